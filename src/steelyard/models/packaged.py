"""Trained parts of named models that come with the package, on top of the weights that are pulled.

`trained/<name>/` is a model directory whose base is the named model itself. A named model without
one is asked as its catalogue entry says.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from steelyard.errors import ModelFileError
from steelyard.models.catalog import Entry
from steelyard.models.manifest import FILE_NAME, Manifest, read_manifest

TRAINED = Path(__file__).with_name("trained")


def trained_folder(name: str) -> Path | None:
    """The model directory that the package has for a named model, or None."""
    folder = TRAINED / name
    return folder if (folder / FILE_NAME).is_file() else None


def manifest_of(entry: Entry) -> Manifest:
    """How a named model wants to be asked.

    Raises:
        ModelFileError: the package's own directory is not one of this model.
    """
    folder = trained_folder(entry.name)
    if folder is None:
        return entry.manifest
    manifest = read_manifest(folder)
    if manifest.base != entry.name:
        raise ModelFileError(
            f"got {manifest.base!r}; allowed: {entry.name!r}", field=f"{folder / FILE_NAME}: base"
        )
    return replace(manifest, name=entry.name)
