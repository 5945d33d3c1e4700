"""`steelyard.json`: what a model directory says about how it is to be asked."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path

from steelyard.errors import ModelFileError

FILE_NAME = "steelyard.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """How a model wants to be asked. None leaves a point to the library's default.

    Attributes:
        name: what the model calls itself.
        readout: name of the readout it was made for, such as "continuation".
        layout: name of the prompt layout it was made for, such as "isolated-v1".
        warnings: sentences that accompany every answer.
    """

    name: str | None = None
    readout: str | None = None
    layout: str | None = None
    warnings: tuple[str, ...] = ()


def read_manifest(folder: Path) -> Manifest:
    """Read the `steelyard.json` of a model directory; a directory without one says nothing.

    Raises:
        ModelFileError: not JSON, an unknown key (a newer steelyard's, or a typing error), a value
            of the wrong type.
    """
    path = folder / FILE_NAME
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Manifest()
    except (OSError, UnicodeDecodeError) as error:
        raise ModelFileError(f"{path} cannot be read: {error}") from error
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ModelFileError(f"{path} is not JSON: {error}") from error
    return _checked(value, path)


def _checked(value: object, path: Path) -> Manifest:
    if not isinstance(value, dict):
        raise ModelFileError(f"{path} holds {type(value).__name__}; allowed: an object")
    known = [item.name for item in fields(Manifest)]
    for key in value:
        if key not in known:
            raise ModelFileError(
                f"unknown key; allowed: {', '.join(known)}", field=f"{path}: {key}"
            )
    warnings = value.get("warnings", [])
    if not isinstance(warnings, list) or not all(isinstance(text, str) for text in warnings):
        raise ModelFileError(f"got {warnings!r}; allowed: an array of strings", field="warnings")
    return Manifest(
        name=_text(value, "name"),
        readout=_text(value, "readout"),
        layout=_text(value, "layout"),
        warnings=tuple(warnings),
    )


def _text(value: dict[str, object], key: str) -> str | None:
    text = value.get(key)
    if text is not None and (not isinstance(text, str) or not text):
        raise ModelFileError(f"got {text!r}; allowed: a non-empty string or null", field=key)
    return text
