"""Experiments on anything that decides: what its answers depend on, and what they should not."""
