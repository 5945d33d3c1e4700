"""What a token needs in training between forward and backward pass, in layers of Qwen3.5-4B.

    python -m benchmarks.train_memory

One recurrent layer and one of attention, low-rank terms on all their linear maps, products in
bfloat16, on one text. Counted is what autograd keeps; weights are zeros, which changes no size.
With `model.recompute` it is the hidden states that enter a layer: 4 bytes times its width.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from benchmarks.kept import kept_bytes
from benchmarks.record import add_record_arguments, provenance, write_record
from steelyard.backbone.config import DecoderConfig, RecurrentConfig
from steelyard.backbone.decoder import Decoder, Layer
from steelyard.backbone.forward import start
from steelyard.backbone.masked import plan_masked
from steelyard.tokens.plan import ROOT, Batch, Segment
from steelyard.training.lora import adapt, merge

RECURRENT, ATTENTION = 24, 8
"""Layers of each kind in Qwen3.5-4B."""

SHAPE = DecoderConfig(
    vocab=16,  # embeddings keep nothing
    width=2560,
    mlp_width=9216,
    layers=2,
    heads=16,
    kv_heads=4,
    head_dim=256,
    max_positions=262_144,
    rotary_share=0.25,
    qk_norm=True,
    gated=True,
    centred_norms=True,
    tied=True,
    recurrent=RecurrentConfig(
        frozenset({0}), key_heads=16, value_heads=32, key_dim=128, value_dim=128, kernel=4
    ),
)


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    origin = provenance(options.allow_dirty)
    torch.set_num_threads(1)
    kept = [each / options.tokens for each in by_layer(SHAPE, options.tokens, options.rank)]
    path = write_record(
        options.records,
        "train_memory",
        origin,
        settings={
            "tokens": options.tokens,
            "rank": options.rank,
            "width": SHAPE.width,
            "dtype": "bfloat16",
            "threads": 1,
            "recurrent_layers": RECURRENT,
            "attention_layers": ATTENTION,
        },
        results={
            "recurrent_bytes_per_token": kept[0],
            "attention_bytes_per_token": kept[1],
            "model_bytes_per_token": RECURRENT * kept[0] + ATTENTION * kept[1],
            "recomputed_bytes_per_token": (RECURRENT + ATTENTION) * 4 * SHAPE.width,
        },
    )
    print(path)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.train_memory",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--tokens", type=int, default=256)
    made.add_argument("--rank", type=int, default=16)
    add_record_arguments(made)
    return made


def by_layer(shape: DecoderConfig, tokens: int, rank: int) -> list[int]:
    """Bytes that each layer keeps for one text of so many tokens, those that enter it included."""
    with torch.device("meta"):
        names = [(name, p.shape) for name, p in Decoder(shape).named_parameters()]
    decoder = Decoder.from_weights(shape, ((f"model.{name}", torch.zeros(s)) for name, s in names))
    adapt(decoder, rank=rank, scale=2.0, dtype=torch.bfloat16)
    merge(decoder)
    batch = Batch(
        ids=np.zeros(tokens, dtype=np.int64),
        positions=np.arange(tokens),
        segments=(Segment(0, 0, 0, tokens, ROOT),),
        reads=(),
    )
    plan = plan_masked(batch, decoder.device, decoder.dtype)
    state = start(decoder, batch, plan=plan)
    kept = []
    for layer in decoder.layers:
        hidden = torch.randn(tokens, shape.width, requires_grad=True)
        assert isinstance(layer, Layer)

        def forward(layer: Layer = layer, hidden: Tensor = hidden) -> Tensor:
            return layer(hidden, state.walk, [])[0]

        kept.append(kept_bytes(forward, weights_of(layer)))
    return kept


def weights_of(layer: Layer) -> Iterator[Tensor]:
    for module in layer.modules():
        yield from module.parameters(recurse=False)
        yield from (x for x in vars(module).values() if isinstance(x, Tensor))


if __name__ == "__main__":
    main()
