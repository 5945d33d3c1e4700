"""Named sets of labelled questions, resumable runs over them, and what the answers are worth."""
