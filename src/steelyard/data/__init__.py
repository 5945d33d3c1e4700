"""Data sets and generators as labelled decisions, for training."""
