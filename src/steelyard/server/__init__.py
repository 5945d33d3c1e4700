"""HTTP: a model as the service that clients of typed decisions already speak to."""
