"""Layers of a decoder as one OpenVINO graph, which computes a chunk of rows.

    hidden, cos, sin, mask, past keys and values  ->  hidden, own keys and values

The rows of a chunk see the past and themselves as the mask says. All lengths are dynamic; shapes
are those of the tensors that a prefix keeps, so that nothing is turned round between two calls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import openvino as ov
from openvino import opset15 as op

from steelyard.backbone.config import DecoderConfig

HIDDEN, COS, SIN, MASK, READS = "hidden", "cos", "sin", "mask", "reads"

Array = np.ndarray
Find = Callable[[str], Array]
"""A tensor by its Hugging Face name, without the leading `model.`."""


def past_keys(layer: int) -> str:
    return f"past_keys.{layer}"


def past_values(layer: int) -> str:
    return f"past_values.{layer}"


def build(config: DecoderConfig, find: Find, layers: range) -> ov.Model:
    """The graph of some layers.

    Inputs: hidden float32 (rows, width); cos and sin float32 (rows, head_dim / 2); mask float32
    (rows, past + rows), 0 where a row sees and -inf where not; for each layer its past keys and
    values (past, kv_heads, head_dim); and where the last layer of the decoder is among them,
    reads int64 (read rows,): the rows that are wanted after it.

    Outputs: hidden, float32 (rows or read rows, width), then keys and values of the chunk's rows,
    layer by layer, (rows, kv_heads, head_dim).
    """
    half = config.head_dim // 2
    hidden = _input(HIDDEN, [-1, config.width])
    cos, sin = _input(COS, [-1, half]), _input(SIN, [-1, half])
    mask = _input(MASK, [-1, -1])
    inputs = [hidden, cos, sin, mask]
    reads = None
    if layers.stop == config.layers:
        reads = _input(READS, [-1], ov.Type.i64)
        inputs.append(reads)
    table = _Table(op.unsqueeze(cos, _axis(1)), op.unsqueeze(sin, _axis(1)))
    seen = _for_groups(config, mask)
    x: Any = hidden
    left: list[Any] = []
    for layer in layers:
        shape = [-1, config.kv_heads, config.head_dim]
        past = [_input(name(layer), shape) for name in (past_keys, past_values)]
        inputs += past
        only = None
        if layer + 1 == config.layers:
            only, seen = reads, _for_groups(config, op.gather(mask, reads, _axis(0)))
        x, own = _Layer(config, find, layer).forward(x, table, seen, past, only)
        left += own
    results = [op.result(y) for y in (x, *left)]
    return ov.Model(results, inputs, f"layers_{layers.start}_{layers.stop}")


class _Table:
    def __init__(self, cos: Any, sin: Any) -> None:
        self.cos, self.sin = cos, sin  # (rows, 1, head_dim / 2)


class _Layer:
    def __init__(self, config: DecoderConfig, find: Find, layer: int) -> None:
        self.config, self.name = config, f"layers.{layer}."
        self.find = find

    def forward(
        self, x: Any, table: _Table, seen: Any, past: list[Any], only: Any | None
    ) -> tuple[Any, list[Any]]:
        config = self.config
        normed = self.norm(x, "input_layernorm.weight")
        keys = self.rotated(self.heads(normed, "k", config.kv_heads), table, "k")
        values = self.heads(normed, "v", config.kv_heads)
        if only is not None:
            normed, x = (op.gather(y, only, _axis(0)) for y in (normed, x))
            table = _Table(*(op.gather(y, only, _axis(0)) for y in (table.cos, table.sin)))
        queries = self.rotated(self.heads(normed, "q", config.heads), table, "q")
        read = self.attend(queries, keys, values, past, seen)
        x = op.add(x, self.linear(read, "self_attn.o_proj", config.o_bias))
        normed = self.norm(x, "post_attention_layernorm.weight")
        gate = op.swish(self.linear(normed, "mlp.gate_proj", config.mlp_bias))
        up = self.linear(normed, "mlp.up_proj", config.mlp_bias)
        x = op.add(x, self.linear(op.multiply(gate, up), "mlp.down_proj", config.mlp_bias))
        return x, [keys, values]

    def attend(self, queries: Any, keys: Any, values: Any, past: list[Any], seen: Any) -> Any:
        """What the rows read, (rows, heads * head_dim).

        The queries that share a key head lie one after the other, as if they were so many rows
        more: so no key is copied for them.
        """
        config = self.config
        group = config.heads // config.kv_heads
        k, v = (
            op.unsqueeze(
                op.transpose(op.concat([before, own], 0), _shape(1, 0, 2)),
                _axis(0),
            )
            for before, own in zip(past, (keys, values), strict=True)
        )  # (1, kv_heads, past + rows, head_dim)
        q = op.reshape(queries, _shape(-1, config.kv_heads, group, config.head_dim), False)
        q = op.transpose(q, _shape(1, 2, 0, 3))  # (kv_heads, group, rows, head_dim)
        q = op.reshape(q, _shape(1, config.kv_heads, -1, config.head_dim), False)
        out = op.scaled_dot_product_attention(q, k, v, seen)
        out = op.reshape(out, _shape(config.kv_heads, group, -1, config.head_dim), False)
        out = op.transpose(out, _shape(2, 0, 1, 3))  # (rows, kv_heads, group, head_dim)
        return op.reshape(out, _shape(-1, config.heads * config.head_dim), False)

    def heads(self, x: Any, name: str, heads: int) -> Any:
        y = self.linear(x, f"self_attn.{name}_proj", self.config.qkv_bias)
        return op.reshape(y, _shape(-1, heads, self.config.head_dim), False)

    def rotated(self, x: Any, table: _Table, name: str) -> Any:
        if self.config.qk_norm:
            x = self.norm(x, f"self_attn.{name}_norm.weight")
        first, second = op.split(x, _axis(2), 2).outputs()
        return op.concat(
            [
                op.subtract(op.multiply(first, table.cos), op.multiply(second, table.sin)),
                op.add(op.multiply(second, table.cos), op.multiply(first, table.sin)),
            ],
            2,
        )

    def linear(self, x: Any, name: str, bias: bool) -> Any:
        weight = _constant(self.find(f"{self.name}{name}.weight"))
        y = op.matmul(x, weight, False, True)
        if bias:
            y = op.add(y, _constant(self.find(f"{self.name}{name}.bias")))
        return y

    def norm(self, x: Any, name: str) -> Any:
        square = op.power(x, op.constant(np.float32(2)))
        mean = op.reduce_mean(square, op.constant([-1], ov.Type.i64), True)
        root = op.sqrt(op.add(mean, op.constant(np.float32(self.config.norm_eps))))
        inverse = op.divide(op.constant(np.float32(1)), root)
        return op.multiply(op.multiply(x, inverse), _constant(self.find(self.name + name)))


def _for_groups(config: DecoderConfig, mask: Any) -> Any:
    """The mask of all queries that share a key head, (1, 1, group * rows, past + rows)."""
    group = config.heads // config.kv_heads
    return op.unsqueeze(op.concat([mask] * group, 0), _shape(0, 1))


def _input(name: str, shape: list[int], type_: ov.Type = ov.Type.f32) -> Any:
    made = op.parameter(shape, type_, name=name)
    made.output(0).set_names({name})
    return made


def _constant(array: Array) -> Any:
    return op.constant(array, shared_memory=True)


def _axis(axis: int) -> Any:
    return op.constant(axis, ov.Type.i64)


def _shape(*dims: int) -> Any:
    return op.constant(list(dims), ov.Type.i64)
