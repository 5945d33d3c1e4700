"""Scoring files: many rows in, one record per row out, resumable after a kill."""
