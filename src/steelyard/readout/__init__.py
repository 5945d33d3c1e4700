"""Readouts: how a question is put to the model and scores are read back."""
