"""Layers that are computed a second time on the way back (Chen et al. 2016, arXiv 1604.06174).

Of each layer only the hidden states that enter it are kept, so the memory of a step grows with the
states' length by a layer's width and not by all that happens inside. In a recurrent layer that is
most: chunks, their solutions and the states between them.
"""

from __future__ import annotations

from functools import partial

from torch.utils.checkpoint import checkpoint

from steelyard.backbone.decoder import Decoder


def recompute_layers(decoder: Decoder) -> None:
    """Let all layers of a decoder that is trained forget what they did, and do it again."""
    for layer in decoder.layers:
        # chance has no part in a layer, so its state need not be restored
        again = partial(checkpoint, layer.forward, use_reentrant=False, preserve_rng_state=False)
        layer.forward = again
