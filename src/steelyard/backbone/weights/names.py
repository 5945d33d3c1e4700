"""Names of tensors in Hugging Face checkpoints."""

from __future__ import annotations


def text_name(name: str) -> str:
    """A tensor's name as a checkpoint of the decoder alone has it: `model.layers.0...`.

    Where a vision tower stands beside it, the decoder is `model.language_model`.
    """
    return name.replace("model.language_model.", "model.", 1)
