"""Reading models from disk: configuration, tensors, tokenizer and digest of a folder or a GGUF."""
