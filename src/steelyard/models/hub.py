"""Models by their Hugging Face id, in the cache that other programs share."""

from __future__ import annotations

import re
from pathlib import Path

from steelyard.errors import DownloadError

FILES = ("*.safetensors", "*.json", "*.jinja", "*.model", "merges.txt", "vocab.txt")
"""Weights, configuration and tokenizer. No pickled weights and no code."""

_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def is_id(name: str) -> bool:
    """Whether `name` has the form `org/name`."""
    return _ID.fullmatch(name) is not None


def download(name: str) -> Path:
    """Bring the model `name` into the hub's cache and return its folder.

    Raises:
        DownloadError: the hub cannot be reached, or does not hand the model out.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    try:
        folder = Path(snapshot_download(name, allow_patterns=list(FILES)))
    except (OSError, HfHubHTTPError, HFValidationError) as error:
        raise DownloadError(f"{name} did not come from the Hugging Face hub: {error}") from error
    if not _has_weights(folder):
        raise DownloadError(f"{name} on the Hugging Face hub has no weights in safetensors format")
    return folder


def cached(name: str) -> Path | None:
    """The folder of `name` in the hub's cache, or None. Asks no network."""
    from huggingface_hub import try_to_load_from_cache

    config = try_to_load_from_cache(name, "config.json")
    if isinstance(config, str) and _has_weights(Path(config).parent):
        return Path(config).parent
    return None


def _has_weights(folder: Path) -> bool:
    return any(folder.glob("*.safetensors"))
