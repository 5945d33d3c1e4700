"""Token ids: tokenizer, plans, packing."""
