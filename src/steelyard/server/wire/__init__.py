"""The wire formats: each translates a JSON body into requests, and responses into a JSON reply."""
