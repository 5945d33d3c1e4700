"""The files of a model directory beside its weights, and the digest that covers them all."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

ADAPTER = "adapter_model.safetensors"
ADAPTER_CONFIG = "adapter_config.json"
HEAD = "pointer.safetensors"
EXITS = "exits.safetensors"
PARTS = (ADAPTER, ADAPTER_CONFIG, HEAD, EXITS)
"""What changes answers; the order is that of the digest."""


def parts_of(folder: Path | None) -> tuple[Path, ...]:
    """The files of PARTS that a model directory has."""
    if folder is None:
        return ()
    return tuple(folder / name for name in PARTS if (folder / name).is_file())


def whole_digest(weights: str, parts: Sequence[Path]) -> str:
    """sha256 over weights and parts, hexadecimal: of the lines that `sha256sum` would print.

    Args:
        weights: digest of the weights, the base's for an adapter; without parts it is the whole.
    """
    if not parts:
        return weights
    digests = {"weights": weights} | {path.name: file_digest(path) for path in parts}
    lines = "".join(f"{digest}  {name}\n" for name, digest in digests.items())
    return hashlib.sha256(lines.encode()).hexdigest()


def file_digest(path: Path) -> str:
    """sha256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
