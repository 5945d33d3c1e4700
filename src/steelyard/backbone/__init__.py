"""The forward pass: batches in, hidden states and measures at the read positions out."""
