"""From what the user calls a model to the file or folder it lies in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import ModelFileError, UnknownModelError
from steelyard.models import hub
from steelyard.models.catalog import CATALOG, Entry, unknown
from steelyard.models.directory import ADAPTER
from steelyard.models.home import model_folder
from steelyard.models.manifest import FILE_NAME, Manifest, read_manifest
from steelyard.models.packaged import manifest_of, trained_folder

OWN_WEIGHTS = ("model.safetensors", "model.safetensors.index.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedModel:
    """A model that is on this machine.

    Attributes:
        name: the named model, the Hugging Face id, or what the folder or file is called.
        path: of the weights: a GGUF file, or a folder with a `config.json`.
        folder: the model directory, whose parts stand on the weights at `path`; None for a GGUF
            file that stands alone.
        manifest: how the model wants to be asked.
        entry: of the catalogue, for a named model.
    """

    name: str
    path: Path
    manifest: Manifest
    folder: Path | None = None
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
        return _folder(path, None, home)
    if path.suffix == ".gguf":
        return _file(path)
    if is_there and name:
        raise ModelFileError(f"{path} is no model; allowed: a .gguf file or a model folder")
    if hub.is_id(name):
        return _folder(_cached(name), name, home)
    raise unknown(name)


def locate_base(name_or_path: str | Path, *, home: Path | None = None) -> Path:
    """The weights that training begins with: a named model without what the package adds to it,
    else what `locate` finds.

    Raises:
        UnknownModelError, ModelFileError: as `locate`.
    """
    name = str(name_or_path)
    return _pulled(CATALOG[name], home) if name in CATALOG else locate(name, home=home).path


def _named(entry: Entry, home: Path | None) -> LocatedModel:
    return LocatedModel(
        name=entry.name,
        path=_pulled(entry, home),
        folder=trained_folder(entry.name),
        manifest=manifest_of(entry),
        entry=entry,
    )


def _pulled(entry: Entry, home: Path | None) -> Path:
    """The weights of a named model, without what the package may add to them."""
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
    return path


def _folder(path: Path, name: str | None, home: Path | None) -> LocatedModel:
    manifest = read_manifest(path)
    weights = path
    if manifest.base is not None:
        if any((path / name).exists() for name in OWN_WEIGHTS):
            raise ModelFileError(
                f"got {manifest.base!r} beside weights of its own; allowed: one of them",
                field=f"{path / FILE_NAME}: base",
            )
        weights = _base(manifest.base, path, home)
    elif (path / ADAPTER).exists():
        raise ModelFileError(
            "missing; the adapter in the folder needs the base that it continues",
            field=f"{path / FILE_NAME}: base",
        )
    elif not (path / "config.json").is_file():
        raise ModelFileError(f"the folder {path} has no config.json, so it is no model")
    return LocatedModel(
        name=name or manifest.name or path.resolve().name,
        path=weights,
        folder=path,
        manifest=manifest,
    )


def _base(name: str, folder: Path, home: Path | None) -> Path:
    """The weights that a model directory continues."""
    if name in CATALOG:
        return _pulled(CATALOG[name], home)
    if hub.is_id(name):
        return _cached(name)
    raise ModelFileError(
        f"got {name!r}; allowed: {', '.join(CATALOG)}, or a Hugging Face id",
        field=f"{folder / FILE_NAME}: base",
    )


def _file(path: Path) -> LocatedModel:
    if not path.exists():
        raise UnknownModelError(f"there is no file {path}")
    return LocatedModel(name=path.stem, path=path, manifest=Manifest())


def _cached(name: str) -> Path:
    folder = hub.cached(name)
    if folder is None:
        raise UnknownModelError(
            f"there is no folder {name}, and the Hugging Face model {name} has not been fetched; "
            f"if it is one, fetch it with: steelyard pull {name}"
        )
    return folder
