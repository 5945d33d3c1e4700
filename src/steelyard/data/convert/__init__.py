"""Corpora as examples, one file each."""
