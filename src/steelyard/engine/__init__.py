"""The engine: requests in, answers out."""
