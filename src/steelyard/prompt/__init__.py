"""Prompts: layouts, labels, branches of text."""
