"""Generators whose answers are computed exactly, one file each."""
