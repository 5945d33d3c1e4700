"""From scores to probabilities, and a record of what was fitted on what."""
