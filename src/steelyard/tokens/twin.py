"""Variants of a tokenizer: one that cannot be talked into special tokens, one that goes on.

Both share the original's model, so they cost neither time nor memory.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import tokenizers
from tokenizers import models

from steelyard.errors import UnsupportedModelError


def spells_no_special(
    tokenizer: tokenizers.Tokenizer, special_tokens: Mapping[str, int]
) -> tokenizers.Tokenizer:
    """The tokenizer without its special tokens: text that spells one becomes ordinary tokens.

    Raises:
        UnsupportedModelError: the tokens that stay would change their ids.
    """
    twin = _without_added_tokens(tokenizer, tokenizer.model, special_tokens)
    if _spelled(twin, special_tokens):
        # The vocabulary itself can build a special token (SentencePiece keeps "</s>" in it).
        renamed = _rename(json.loads(tokenizer.to_str())["model"], special_tokens)
        text = json.dumps({"version": "1.0", "added_tokens": [], "model": renamed})
        model = tokenizers.Tokenizer.from_str(text).model
        twin = _without_added_tokens(tokenizer, model, special_tokens)
    if spelled := _spelled(twin, special_tokens):
        raise UnsupportedModelError(
            f"plain text can spell the special token {spelled!r} of this tokenizer"
        )
    return twin


def bare(tokenizer: tokenizers.Tokenizer) -> tuple[tokenizers.Tokenizer, bool]:
    """The tokenizer without the space that some put in front of a text.

    Returns:
        The variant, and whether the original puts the space in front of every run of text
        (True) or only at the very beginning.
    """
    skeleton = tokenizers.Tokenizer(models.BPE())
    skeleton.normalizer = tokenizer.normalizer
    skeleton.pre_tokenizer = tokenizer.pre_tokenizer
    config = json.loads(skeleton.to_str())
    first_only = False
    found = False
    for part in (*_parts(config["normalizer"]), *_parts(config["pre_tokenizer"])):
        if part["type"] == "Prepend" and part["prepend"]:
            part["prepend"], found = "", True
        elif part.get("add_prefix_space"):
            part["add_prefix_space"], found = False, True
        if part["type"] == "Metaspace" and part["prepend_scheme"] != "never":
            first_only = part["prepend_scheme"] == "first"
            part["prepend_scheme"], found = "never", True
    if not found:
        return tokenizer, True
    if tokenizer.get_added_tokens_decoder() and not first_only:
        raise UnsupportedModelError(
            "this tokenizer puts a space in front of each run of text and also has added tokens "
            "of white space; together they are not supported"
        )
    skeleton = tokenizers.Tokenizer.from_str(json.dumps(config))
    variant = _without_added_tokens(tokenizer, tokenizer.model, {})
    variant.normalizer = skeleton.normalizer
    variant.pre_tokenizer = skeleton.pre_tokenizer
    return variant, not first_only


def _without_added_tokens(
    tokenizer: tokenizers.Tokenizer, model: models.Model, unwanted: Mapping[str, int]
) -> tokenizers.Tokenizer:
    twin = tokenizers.Tokenizer(model)
    twin.normalizer = tokenizer.normalizer
    twin.pre_tokenizer = tokenizer.pre_tokenizer
    for token_id, token in sorted(tokenizer.get_added_tokens_decoder().items()):
        if token.content not in unwanted:
            twin.add_tokens([token])
            if twin.token_to_id(token.content) != token_id:
                raise UnsupportedModelError(
                    f"the added token {token.content!r} stands behind special tokens; "
                    "such tokenizers are not supported"
                )
    return twin


def _spelled(twin: tokenizers.Tokenizer, special_tokens: Mapping[str, int]) -> str | None:
    unknown = getattr(twin.model, "unk_token", None)
    banned = {token: text for text, token in special_tokens.items() if text != unknown}
    texts = [form for text in banned.values() for form in (text, f"a {text} b")]
    for encoding in twin.encode_batch(texts, add_special_tokens=False):
        for token in encoding.ids:
            if token in banned:
                return banned[token]
    return None


def _rename(model: dict[str, Any], special_tokens: Mapping[str, int]) -> dict[str, Any]:
    """The model's JSON with its special tokens under names that no text spells."""
    hidden = {text: f"\ufffe{text}\ufffe" for text in special_tokens}
    hidden.pop(model.get("unk_token") or "", None)
    if model["type"] == "Unigram":
        hidden.pop(model["vocab"][model["unk_id"]][0] if model["unk_id"] is not None else "", None)
        model["vocab"] = [[hidden.get(text, text), score] for text, score in model["vocab"]]
        return model
    model["vocab"] = {hidden.get(text, text): token for text, token in model["vocab"].items()}
    if "merges" in model:
        pairs = [m.split(" ") if isinstance(m, str) else m for m in model["merges"]]
        model["merges"] = [pair for pair in pairs if not {*pair, "".join(pair)} & hidden.keys()]
    return model


def _parts(config: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The components of a normalizer or pre-tokenizer, sequences taken apart."""
    if config is None:
        return []
    if config["type"] != "Sequence":
        return [config]
    inner = config.get("normalizers") or config.get("pretokenizers") or []
    return [part for item in inner for part in _parts(item)]


def missing_bytes(tokenizer: tokenizers.Tokenizer) -> bytes:
    """The bytes that a byte-level vocabulary has no token for; none for other tokenizers.

    Each byte has a character of its own there (GPT-2's table: printable ones stand for themselves,
    the others follow from 256 on). SmolLM2 lacks eight that occur in UTF-8.
    """
    skeleton = tokenizers.Tokenizer(models.BPE())
    skeleton.pre_tokenizer = tokenizer.pre_tokenizer
    parts = _parts(json.loads(skeleton.to_str())["pre_tokenizer"])
    if not any(part["type"] == "ByteLevel" for part in parts):
        return b""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = (byte for byte in range(256) if byte not in printable)
    table = {byte: chr(byte) for byte in printable}
    table |= {byte: chr(256 + place) for place, byte in enumerate(others)}
    return bytes(
        byte for byte, letter in sorted(table.items()) if tokenizer.token_to_id(letter) is None
    )
