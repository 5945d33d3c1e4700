"""Where fetched models are kept, and what was made of them: `STEELYARD_HOME`, or the user's cache
folder."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def model_folder(name: str, home: Path | None = None) -> Path:
    """The folder of the named model `name`. It need not exist.

    Args:
        home: instead of `STEELYARD_HOME` and the user's cache folder.
    """
    return _root(home) / "models" / name


def compiled_folder(name: str, home: Path | None = None) -> Path:
    """The folder of a compiled model, which may be deleted at any time. It need not exist."""
    return _root(home) / "compiled" / name


def _root(home: Path | None) -> Path:
    root = home or os.environ.get("STEELYARD_HOME") or platformdirs.user_cache_dir("steelyard")
    return Path(root).expanduser()
