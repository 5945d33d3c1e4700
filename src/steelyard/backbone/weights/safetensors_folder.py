"""A model in a Hugging Face folder: config.json and one or many safetensors files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from safetensors import SafetensorError, safe_open

from steelyard.backbone.weights.safetensors_arrays import FLOATS, read_array, stored_tensors
from steelyard.backbone.weights.wanted import Wanted, everything
from steelyard.errors import ModelFileError, UnsupportedModelError
from steelyard.tokens.tokenizer import Tokenizer

if TYPE_CHECKING:
    import torch

SINGLE = "model.safetensors"
INDEX = "model.safetensors.index.json"


@dataclass(frozen=True)
class FolderWeights:
    """A model folder.

    Attributes:
        config: the parsed config.json.
        shards: weight file -> names of the tensors in its header, in order of the files' names.
    """

    path: Path
    config: Mapping[str, object]
    shards: Mapping[Path, tuple[str, ...]]

    kind = "safetensors"

    @cached_property
    def digest(self) -> str:
        """sha256 over the weight files, hexadecimal; computed when first asked for.

        Of a single file it is the file's own. Of several it is the sha256 of the lines that
        `sha256sum` prints for them in the order of their names, so it does not depend on the
        order in the index.
        """
        with ThreadPoolExecutor() as pool:  # hashing releases the interpreter's lock
            digests = dict(zip(self.shards, pool.map(_sha256, self.shards), strict=True))
        if len(digests) == 1:
            return next(iter(digests.values()))
        lines = "".join(f"{digest}  {path.name}\n" for path, digest in digests.items())
        return hashlib.sha256(lines.encode()).hexdigest()

    @property
    def files(self) -> Mapping[str, tuple[str, ...]]:
        return {path.name: names for path, names in self.shards.items()}

    def tensors(self, dtype: torch.dtype | None = None) -> Iterator[tuple[str, torch.Tensor]]:
        """Names and new tensors of `dtype` (None: as stored), shard by shard.

        Raises:
            ModelFileError: a file has changed since the folder was opened.
            UnsupportedModelError: a tensor is no plain floating-point one (a quantised model).
        """
        for path, names in self.shards.items():
            for name in names:
                yield name, _read(path, name, dtype)

    def arrays(self, wanted: Wanted = everything) -> Iterator[tuple[str, np.ndarray]]:
        """Names and new float32 arrays, shard by shard. Raises what `tensors` raises."""
        for path in self.shards:
            for name, stored in stored_tensors(path).items():
                if wanted(name):
                    if stored.dtype not in FLOATS:
                        raise _quantised(path, name, stored.dtype)
                    yield name, read_array(path, stored)

    def tokenizer(self) -> Tokenizer:
        """The tokenizer of the folder. Raises what Tokenizer.from_folder raises."""
        return Tokenizer.from_folder(self.path)


def open_folder(path: Path) -> FolderWeights:
    """Read config.json, and check that the weight files are there and whole.

    Raises:
        ModelFileError: a file is missing, cut short, corrupt, or contradicts the index; or the
            weights are pickles only.
    """
    config = _json_object(path / "config.json")
    if (path / SINGLE).exists():
        return FolderWeights(path, config, {path / SINGLE: _names(path / SINGLE)})
    if (path / INDEX).exists():
        return FolderWeights(path, config, _sharded(path))
    pickles = sorted(file.name for file in path.glob("*.bin"))
    if pickles:
        raise ModelFileError(
            f"{path}: the weights are pickles ({pickles[0]}), which may run any code when they are "
            "loaded; only safetensors are read (save_pretrained writes them)"
        )
    raise ModelFileError(f"{path}: no weights: neither {SINGLE} nor {INDEX} is there")


def _sharded(folder: Path) -> dict[Path, tuple[str, ...]]:
    """The shards that the index lists, each checked to hold exactly what the index says."""
    index = folder / INDEX
    listed = _json_object(index).get("weight_map")
    if not isinstance(listed, dict) or not listed:
        raise ModelFileError(f"{index}: there is no 'weight_map' in it")
    wanted: dict[Path, set[str]] = {}
    for name, file in listed.items():
        if not isinstance(file, str) or Path(file).name != file:
            raise ModelFileError(f"{index}: {name!r} is in {file!r}, which is no file name")
        wanted.setdefault(folder / file, set()).add(name)
    shards = {path: _names(path) for path in sorted(wanted)}
    for path, names in shards.items():
        if missing := sorted(wanted[path] - set(names)):
            raise ModelFileError(
                f"{path}: the tensor {missing[0]!r}, which {INDEX} puts there, is missing"
            )
        if extra := sorted(set(names) - wanted[path]):
            raise ModelFileError(f"{index}: no entry for the tensor {extra[0]!r} of {path.name}")
    return shards


def _names(path: Path) -> tuple[str, ...]:
    """Names of the tensors in a file; opening it also checks that it has the right length."""
    try:
        with safe_open(path, framework="np") as file:
            return tuple(file.keys())
    except FileNotFoundError as error:
        raise ModelFileError(f"{path}: no such file") from error
    except (OSError, SafetensorError) as error:
        raise ModelFileError(f"{path}: cut short or corrupt: {error}") from error


def _read(path: Path, name: str, dtype: torch.dtype | None) -> torch.Tensor:
    # The file is opened anew for each tensor: that costs 0.1 ms, and mapped pages, which count as
    # this process's memory, are given back at once. The copy outlives a rewriting of the file.
    try:
        with safe_open(path, framework="pt") as file:
            tensor: torch.Tensor = file.get_tensor(name)
            if not tensor.is_floating_point() or tensor.itemsize == 1:
                raise _quantised(path, name, str(tensor.dtype))
            return tensor.to(dtype or tensor.dtype, copy=True)
    except (OSError, SafetensorError) as error:
        raise ModelFileError(f"{path}: cut short or corrupt: {error}") from error


def _quantised(path: Path, name: str, dtype: str) -> UnsupportedModelError:
    return UnsupportedModelError(
        f"{path}: the tensor {name!r} is {dtype}; quantised safetensors cannot "
        "be run, only float32, float16 and bfloat16"
    )


def _json_object(path: Path) -> dict[str, object]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ModelFileError(f"{path}: no such file") from error
    except (OSError, ValueError) as error:
        raise ModelFileError(f"{path}: cannot be read as JSON: {error}") from error
    if not isinstance(value, dict):
        raise ModelFileError(f"{path}: holds a {type(value).__name__}, not an object")
    return value


def _sha256(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
