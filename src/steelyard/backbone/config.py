"""What a decoder of a known family looks like: every number its forward pass depends on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from steelyard.errors import ModelFileError, UnsupportedModelError

FAMILIES = ("llama", "qwen2", "qwen3", "qwen3_5", "qwen3_5_text")
HYBRID = ("qwen3_5", "qwen3_5_text")
"""Families that mix attention with recurrent layers; `qwen3_5` holds a vision tower beside them."""

MIXERS = {"full_attention": False, "linear_attention": True}
"""What a configuration calls a layer -> whether it is recurrent."""


@dataclass(frozen=True, slots=True)
class LinearScaling:
    """Positions divided by `factor`."""

    factor: float


@dataclass(frozen=True, slots=True)
class Llama3Scaling:
    """Low frequencies divided by `factor`, high ones kept, a ramp between (Llama 3.1)."""

    factor: float
    low_frequency_factor: float
    high_frequency_factor: float
    original_positions: int


@dataclass(frozen=True, slots=True)
class YarnScaling:
    """Frequencies interpolated by a ramp over dimensions (YaRN, Peng 2023, arXiv 2309.00071).

    Attributes:
        attention_factor: multiplies the rotary cosines and sines.
        truncate: round the ends of the ramp to whole dimensions.
    """

    factor: float
    original_positions: int
    attention_factor: float
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    truncate: bool = True


RopeScaling = LinearScaling | Llama3Scaling | YarnScaling


@dataclass(frozen=True, slots=True)
class RecurrentConfig:
    """The shape of the recurrent layers (Gated DeltaNet, Yang 2024, arXiv 2412.06464).

    Attributes:
        layers: which of the decoder's layers are recurrent, from 0.
        key_heads, value_heads: `value_heads` is a multiple of `key_heads`.
        key_dim, value_dim: of a head.
        kernel: tokens that the convolution before the recurrence sees, at least 2.
    """

    layers: frozenset[int]
    key_heads: int
    value_heads: int
    key_dim: int
    value_dim: int
    kernel: int

    def __post_init__(self) -> None:
        if self.value_heads % self.key_heads:
            raise UnsupportedModelError(
                f"{self.value_heads} value heads cannot share {self.key_heads} key heads; "
                "the first must be a multiple of the second",
                field="linear_num_key_heads",
            )
        if self.kernel < 2:
            raise UnsupportedModelError(
                f"{self.kernel}; at least 2", field="linear_conv_kernel_dim"
            )

    @property
    def channels(self) -> int:
        """Queries, keys and values of a token, side by side."""
        return 2 * self.key_heads * self.key_dim + self.value_heads * self.value_dim


@dataclass(frozen=True, slots=True)
class DecoderConfig:
    """The shape of a decoder.

    Attributes:
        vocab: number of tokens. width: of the hidden states. mlp_width: of the gated MLP.
        layers, heads, kv_heads, head_dim: `heads` is a multiple of `kv_heads`.
        max_positions: the longest sequence that the model was made for, in tokens.
        norm_eps: of every RMS norm.
        rope_theta, rope_scaling: the rotary embedding. rotary_share: of each head that is rotated.
        qkv_bias, o_bias, mlp_bias: which projections have a bias.
        qk_norm: queries and keys are normalised per head (Qwen3).
        gated: what attention reads goes through a gate that the token sets (Qwen3.5).
        centred_norms: weights of norms are what is added to 1 (Qwen3.5).
        tied: the head is the embedding.
        recurrent: the recurrent layers, if there are any.
        foreign: beginnings of the names of tensors that belong to parts which we do not run.
    """

    vocab: int
    width: int
    mlp_width: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    max_positions: int
    norm_eps: float = 1e-6
    rope_theta: float = 10_000.0
    rope_scaling: RopeScaling | None = None
    qkv_bias: bool = False
    o_bias: bool = False
    mlp_bias: bool = False
    rotary_share: float = 1.0
    qk_norm: bool = False
    gated: bool = False
    centred_norms: bool = False
    tied: bool = False
    recurrent: RecurrentConfig | None = None
    foreign: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.heads % self.kv_heads:
            raise UnsupportedModelError(
                f"{self.heads} heads cannot share {self.kv_heads} key-value heads; "
                "the first must be a multiple of the second",
                field="num_key_value_heads",
            )
        if self.rotary_dim % 2 or not 0 < self.rotary_dim <= self.head_dim:
            raise UnsupportedModelError(
                f"{self.rotary_dim} of {self.head_dim} numbers of a head would be rotated; "
                "the rotary embedding needs an even number",
                field="head_dim",
            )

    @property
    def rotary_dim(self) -> int:
        """The first so many numbers of a head are rotated."""
        return int(self.head_dim * self.rotary_share)

    def is_recurrent(self, layer: int) -> bool:
        return self.recurrent is not None and layer in self.recurrent.layers


def from_hf(config: Mapping[str, Any]) -> DecoderConfig:
    """A decoder's shape from the parsed `config.json` of a Hugging Face folder.

    Raises:
        UnsupportedModelError: another family, or a variant whose forward pass we do not have.
        ModelFileError: a number that the family needs is missing, or a value has the wrong type.
    """
    try:
        return _from_hf(config)
    except (TypeError, ValueError, AttributeError, ZeroDivisionError) as error:
        raise ModelFileError(f"a value in the model's configuration: {error}") from error


def _from_hf(config: Mapping[str, Any]) -> DecoderConfig:
    family = config.get("model_type")
    if family not in FAMILIES:
        raise UnsupportedModelError(
            f"{family!r}; the segmented backbone runs {', '.join(FAMILIES)}", field="model_type"
        )
    if family == "qwen3_5":
        config = _text_part(config)
    hybrid = family in HYBRID
    _refuse_variants(config, hybrid)
    heads = _integer(config, "num_attention_heads")
    width = _integer(config, "hidden_size")
    positions = _integer(config, "max_position_embeddings")
    theta, scaling = _rope(config, positions)
    if isinstance(scaling, YarnScaling):
        positions = max(positions, int(scaling.factor * scaling.original_positions))
    attention_bias = bool(config.get("attention_bias", False))
    return DecoderConfig(
        vocab=_integer(config, "vocab_size"),
        width=width,
        mlp_width=_integer(config, "intermediate_size"),
        layers=_integer(config, "num_hidden_layers"),
        heads=heads,
        kv_heads=int(config.get("num_key_value_heads") or heads),
        head_dim=int(config.get("head_dim") or _HEAD_DIMS.get(family, width // heads)),
        max_positions=positions,
        norm_eps=float(config.get("rms_norm_eps", 1e-6)),
        rope_theta=theta,
        rope_scaling=scaling,
        rotary_share=_rotary_share(config, hybrid),
        qkv_bias=family == "qwen2" or attention_bias,
        o_bias=family != "qwen2" and attention_bias,
        mlp_bias=family == "llama" and bool(config.get("mlp_bias", False)),
        qk_norm=family == "qwen3" or hybrid,
        gated=hybrid,
        centred_norms=hybrid,
        tied=bool(config.get("tie_word_embeddings", False)),
        recurrent=_recurrent(config) if hybrid else None,
        foreign=("model.visual.", "mtp.") if hybrid else (),
    )


_OF_THE_WHOLE = ("tie_word_embeddings", "quantization_config")
_HEAD_DIMS = {"qwen3": 128, "qwen3_5": 256, "qwen3_5_text": 256}  # where it is not written down


def _text_part(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The decoder's part of a configuration that has a vision tower's beside it."""
    text = config.get("text_config")
    if not isinstance(text, Mapping):
        raise ModelFileError(f"{text!r} in the model's configuration; a table", field="text_config")
    # what is said of the whole model counts, as in transformers
    return {**text, **{name: config[name] for name in _OF_THE_WHOLE if name in config}}


def _recurrent(config: Mapping[str, Any]) -> RecurrentConfig:
    layers = _integer(config, "num_hidden_layers")
    kinds = config.get("layer_types")
    if kinds is None:
        interval = int(config.get("full_attention_interval", 4))
        recurrent = [(layer + 1) % interval != 0 for layer in range(layers)]
    else:
        recurrent = [MIXERS[kind] for kind in kinds]
    if len(recurrent) != layers:
        raise ModelFileError(
            f"{len(recurrent)} kinds for {layers} layers; one each", field="layer_types"
        )
    return RecurrentConfig(
        layers=frozenset(layer for layer, yes in enumerate(recurrent) if yes),
        key_heads=_integer(config, "linear_num_key_heads"),
        value_heads=_integer(config, "linear_num_value_heads"),
        key_dim=_integer(config, "linear_key_head_dim"),
        value_dim=_integer(config, "linear_value_head_dim"),
        kernel=_integer(config, "linear_conv_kernel_dim"),
    )


def _refuse_variants(config: Mapping[str, Any], hybrid: bool) -> None:
    activation = config.get("hidden_act", "silu")
    if activation not in ("silu", "swish"):
        raise UnsupportedModelError(f"{activation!r}; only silu is known", field="hidden_act")
    if config.get("quantization_config") is not None:
        raise UnsupportedModelError(
            "quantised Hugging Face weights; use the unquantised folder or a GGUF file",
            field="quantization_config",
        )
    known = set(MIXERS) if hybrid else {"full_attention"}
    kinds = set(config.get("layer_types") or ()) - known
    windowed = (
        bool(config.get("use_sliding_window"))
        and config.get("sliding_window") is not None
        and int(config.get("max_window_layers", 0)) < _integer(config, "num_hidden_layers")
    )
    if kinds or windowed:
        raise UnsupportedModelError(
            f"{', '.join(sorted(kinds)) or 'a sliding window'}; known here: "
            f"{', '.join(sorted(known))}",
            field="layer_types" if kinds else "use_sliding_window",
        )


def _rope(config: Mapping[str, Any], positions: int) -> tuple[float, RopeScaling | None]:
    """Base and scaling, in the spelling of transformers 5 (`rope_parameters`) or before it."""
    name = "rope_parameters" if config.get("rope_parameters") else "rope_scaling"
    rope: Mapping[str, Any] = config.get(name) or {}
    if any(isinstance(value, Mapping) for value in rope.values()):
        raise UnsupportedModelError("rotary settings that differ by layer", field=name)
    theta = float(rope.get("rope_theta") or config.get("rope_theta") or 10_000.0)
    kind = rope.get("rope_type", rope.get("type", "default"))
    if kind == "default":
        return theta, None
    original = int(
        config.get("original_max_position_embeddings")
        or rope.get("original_max_position_embeddings")
        or positions
    )
    if kind == "linear":
        return theta, LinearScaling(_number(rope, "factor", name))
    if kind == "llama3":
        return theta, Llama3Scaling(
            factor=_number(rope, "factor", name),
            low_frequency_factor=_number(rope, "low_freq_factor", name),
            high_frequency_factor=_number(rope, "high_freq_factor", name),
            original_positions=original,
        )
    if kind == "yarn":
        factor = float(rope.get("factor") or positions / original)
        return theta, YarnScaling(
            factor=factor,
            original_positions=original,
            attention_factor=_yarn_attention_factor(rope, factor),
            beta_fast=float(rope.get("beta_fast") or 32),
            beta_slow=float(rope.get("beta_slow") or 1),
            truncate=bool(rope.get("truncate", True)),
        )
    raise UnsupportedModelError(
        f"{kind!r}; known are default, linear, llama3, yarn", field=f"{name}.rope_type"
    )


def _rotary_share(config: Mapping[str, Any], hybrid: bool) -> float:
    """Of each head that is rotated.

    A multimodal embedding (`mrope_section`) turns different pairs by different positions; those of
    a text are all the same, and so is its rotation.
    """
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    share = rope.get("partial_rotary_factor", config.get("partial_rotary_factor"))
    if hybrid:
        return float(share or 0.25)
    if share not in (None, 1):
        raise UnsupportedModelError(
            f"{share}; only whole heads are rotated", field="partial_rotary_factor"
        )
    return 1.0


def _yarn_attention_factor(rope: Mapping[str, Any], factor: float) -> float:
    def scale(weight: float) -> float:
        return 1.0 if factor <= 1 else 0.1 * weight * math.log(factor) + 1.0

    if rope.get("attention_factor") is not None:
        return float(rope["attention_factor"])
    if rope.get("mscale") and rope.get("mscale_all_dim"):
        return scale(float(rope["mscale"])) / scale(float(rope["mscale_all_dim"]))
    return scale(1.0)


def _integer(config: Mapping[str, Any], name: str) -> int:
    value = config.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ModelFileError(
            f"{value!r} in the model's configuration; a positive integer", field=name
        )
    return value


def _number(rope: Mapping[str, Any], name: str, parent: str) -> float:
    value = rope.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
        raise ModelFileError(
            f"{value!r} in the model's configuration; a positive number", field=f"{parent}.{name}"
        )
    return float(value)
