"""From what the user calls a model to the file or folder it lies in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import ModelFileError, UnknownModelError
from steelyard.models import hub
from steelyard.models.catalog import CATALOG, Entry, unknown
from steelyard.models.home import model_folder
from steelyard.models.manifest import Manifest, read_manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedModel:
    """A model that is on this machine.

    Attributes:
        name: the named model, the Hugging Face id, or what the folder or file is called.
        path: a GGUF file, or a folder with a `config.json`.
        manifest: how the model wants to be asked.
        entry: of the catalogue, for a named model.
    """

    name: str
    path: Path
    manifest: Manifest
    entry: Entry | None = None


def locate(name_or_path: str | Path, *, home: Path | None = None) -> LocatedModel:
    """Find a named model, a GGUF file, a model folder or a Hugging Face id, in this order.

    A named model goes before a folder of the same name; write `./mini` for the folder. Nothing is
    fetched.

    Args:
        home: where named models are kept, see `model_folder`.
    Raises:
        UnknownModelError: nothing of that name here; the message says how to get it.
        ModelFileError: it is there, and is no whole model.
    """
    name = str(name_or_path)
    if name in CATALOG:
        return _named(CATALOG[name], home)
    try:
        path = Path(name).expanduser()
        is_folder, is_there = path.is_dir(), path.exists()
    except (RuntimeError, OSError, ValueError):  # an unknown user's ~, a name no file can have
        raise unknown(name) from None
    if is_folder and name:  # the empty path would be the current folder
        return _folder(path)
    if path.suffix == ".gguf":
        return _file(path)
    if is_there and name:
        raise ModelFileError(f"{path} is no model; allowed: a .gguf file or a model folder")
    if hub.is_id(name):
        return _hub(name)
    raise unknown(name)


def _named(entry: Entry, home: Path | None) -> LocatedModel:
    path = model_folder(entry.name, home) / entry.file_name
    if not path.exists():
        raise UnknownModelError(
            f"the model {entry.name!r} has not been fetched; "
            f"{entry.size_bytes / 1e6:,.0f} MB come with: steelyard pull {entry.name}"
        )
    size_bytes = path.stat().st_size
    if size_bytes != entry.size_bytes:
        raise ModelFileError(
            f"{path} has {size_bytes:,} bytes instead of {entry.size_bytes:,}; "
            f"mend it with: steelyard pull {entry.name}"
        )
    return LocatedModel(name=entry.name, path=path, manifest=entry.manifest, entry=entry)


def _folder(path: Path) -> LocatedModel:
    if not (path / "config.json").is_file():
        raise ModelFileError(f"the folder {path} has no config.json, so it is no model")
    manifest = read_manifest(path)
    return LocatedModel(name=manifest.name or path.resolve().name, path=path, manifest=manifest)


def _file(path: Path) -> LocatedModel:
    if not path.exists():
        raise UnknownModelError(f"there is no file {path}")
    return LocatedModel(name=path.stem, path=path, manifest=Manifest())


def _hub(name: str) -> LocatedModel:
    folder = hub.cached(name)
    if folder is None:
        raise UnknownModelError(
            f"there is no folder {name}, and the Hugging Face model {name} has not been fetched; "
            f"if it is one, fetch it with: steelyard pull {name}"
        )
    return LocatedModel(name=name, path=folder, manifest=read_manifest(folder))
