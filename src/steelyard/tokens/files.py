"""The tokenizer files of a Hugging Face model folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tokenizers

from steelyard.errors import ModelFileError


@dataclass(frozen=True, slots=True)
class TokenizerFiles:
    """What a model folder says of its tokenizer; `bos` and `eos` are the tokens' text."""

    tokenizer: tokenizers.Tokenizer
    chat_template: str | None
    special_tokens: Mapping[str, int]
    bos: str | None
    eos: str | None


def read_folder(folder: Path) -> TokenizerFiles:
    """Read tokenizer.json, tokenizer_config.json and the chat template.

    Raises:
        ModelFileError: a file is missing or corrupt, or the files contradict each other.
    """
    path = folder / "tokenizer.json"
    text = _read(path)
    if text is None:
        raise ModelFileError(f"{path}: no such file; a model folder needs its tokenizer.json")
    try:
        tokenizer = tokenizers.Tokenizer.from_str(text)
    except Exception as error:  # the library raises nothing narrower
        raise ModelFileError(f"{path}: not a tokenizer: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    config = _read_json(folder / "tokenizer_config.json")
    try:
        return _files(folder, tokenizer, config)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ModelFileError(
            f"{folder / 'tokenizer_config.json'}: not what a tokenizer needs: {error!r}"
        ) from error


def _files(
    folder: Path, tokenizer: tokenizers.Tokenizer, config: Mapping[str, Any]
) -> TokenizerFiles:
    for token, entry in config.get("added_tokens_decoder", {}).items():
        if tokenizer.token_to_id(entry["content"]) != int(token):
            raise ModelFileError(
                f"{folder / 'tokenizer_config.json'}: the added token {entry['content']!r} has "
                f"the id {token}, but tokenizer.json does not say so"
            )
    added = tokenizer.get_added_tokens_decoder()
    return TokenizerFiles(
        tokenizer=tokenizer,
        chat_template=_chat_template(folder, config),
        special_tokens={
            token.content: token_id
            for token_id, token in added.items()
            if token.special or not token.content.isspace()
        },
        bos=_token_text(config.get("bos_token")),
        eos=_token_text(config.get("eos_token")),
    )


def _chat_template(folder: Path, config: Mapping[str, Any]) -> str | None:
    """The template, from its own file first, as transformers looks for it."""
    template = _read(folder / "chat_template.jinja")
    if template is None:
        template = _read_json(folder / "chat_template.json").get("chat_template")
    if template is None:
        template = config.get("chat_template")
    if isinstance(template, list):
        named = {entry["name"]: entry["template"] for entry in template}
        template = named.get("default")
    if template is not None and not isinstance(template, str):
        raise ModelFileError(f"{folder}: the chat template is no text")
    return template


def _token_text(token: str | Mapping[str, Any] | None) -> str | None:
    return token["content"] if isinstance(token, Mapping) else token


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ModelFileError(f"{path}: cannot be read: {error}") from error


def _read_json(path: Path) -> dict[str, Any]:
    text = _read(path)
    if text is None:
        return {}
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ModelFileError(f"{path}: not JSON: {error}") from error
    if not isinstance(value, dict):
        raise ModelFileError(f"{path}: got {type(value).__name__}; allowed: an object")
    return value


def write_folder(files: TokenizerFiles, folder: Path) -> None:
    """Write what `read_folder` and transformers read: tokenizer.json and tokenizer_config.json."""
    files.tokenizer.save(str(folder / "tokenizer.json"))
    special = {
        str(index): {"content": text, "special": True}
        for text, index in sorted(files.special_tokens.items(), key=lambda item: item[1])
    }
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "added_tokens_decoder": special,
        "chat_template": files.chat_template,
        "bos_token": files.bos,
        "eos_token": files.eos,
    }
    known = {name: value for name, value in config.items() if value is not None}
    text = json.dumps(known, indent=2, ensure_ascii=False) + "\n"
    (folder / "tokenizer_config.json").write_text(text, encoding="utf-8")
