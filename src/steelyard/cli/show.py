"""`steelyard show`: what is known of a model without loading it."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from steelyard.models.catalog import Entry
    from steelyard.models.manifest import Manifest

Facts: TypeAlias = dict[str, object]


def show(
    name: Annotated[
        str, typer.Argument(help="Named model, Hugging Face id, model folder or GGUF file.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Show what a model is, where it lies and how it is asked. The weights are not loaded."""
    facts = describe(name)
    if as_json:
        typer.echo(json.dumps(facts))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(overflow="fold")  # a path or a digest is never cut
    for key, value in facts.items():
        table.add_row(key.replace("_", " "), _text(value))
    Console(highlight=False).print(table)


def describe(name: str) -> Facts:
    """Everything that can be said of a model by its catalogue entry, manifest and headers.

    A named model that was not pulled is described by its entry alone; its "path" is None.

    Raises:
        UnknownModelError: there is no such model.
        ModelFileError: it is not whole, or a named model's sha256 is not the pinned one.
    """
    from steelyard.errors import ModelFileError, UnknownModelError
    from steelyard.models.catalog import CATALOG
    from steelyard.models.directory import file_digest, parts_of
    from steelyard.models.locate import locate
    from steelyard.models.packaged import manifest_of

    entry = CATALOG.get(name)
    try:
        model = locate(name)
    except UnknownModelError:
        if entry is None:
            raise
        told = _manifest(manifest_of(entry))
        return {**_entry(entry), "sha256": entry.sha256, "path": None, **told}
    facts: Facts = {"name": model.name} if entry is None else _entry(entry)
    facts |= _folder(model.path) if model.path.is_dir() else _gguf(model.path)
    if entry is not None and facts["sha256"] != entry.sha256:
        raise ModelFileError(
            f"{model.path} has the sha256 {facts['sha256']}, pinned is {entry.sha256}; "
            f"mend it with: steelyard pull {entry.name}"
        )
    if model.folder is not None and (parts := parts_of(model.folder)):
        facts["folder"] = str(model.folder)
        facts["parts"] = {part.name: file_digest(part) for part in parts}
    return facts | _manifest(model.manifest)


def _manifest(manifest: Manifest) -> Facts:
    """What it says about asking; of training only what there is."""
    facts: Facts = {}
    if manifest.base is not None:
        facts["base"] = manifest.base
    if manifest.exits is not None:
        facts["exits"] = [f"layer {layer}" for layer in manifest.exits.layers]
        facts["exit_threshold"] = manifest.exits.threshold
    if manifest.fitted_on is not None:
        facts["fitted_on"] = manifest.fitted_on
    return facts | {
        "readout": manifest.readout,
        "layout": manifest.layout,
        "warnings": list(manifest.warnings),
    }


def _entry(entry: Entry) -> Facts:
    return {
        "name": entry.name,
        "title": entry.title,
        "licence": entry.licence,
        "origin": entry.origin,
        "size_bytes": entry.size_bytes,
    }


def _gguf(path: Path) -> Facts:
    from steelyard.backbone.weights.gguf_header import read_header
    from steelyard.models.directory import file_digest

    header = read_header(path)
    architecture = header.metadata.need("general.architecture", str)
    kinds = Counter(tensor.kind.name for tensor in header.tensors.values())
    return {
        "path": str(path),
        "size_bytes": path.stat().st_size,
        "sha256": file_digest(path),
        "format": "gguf",
        "architecture": architecture,
        "layers": header.metadata.get(f"{architecture}.block_count", int),
        "width": header.metadata.get(f"{architecture}.embedding_length", int),
        "context_tokens": header.metadata.get(f"{architecture}.context_length", int),
        "parameters": sum(math.prod(tensor.shape) for tensor in header.tensors.values()),
        "tensors": dict(kinds.most_common()),
    }


def _folder(path: Path) -> Facts:
    from steelyard.errors import ModelFileError
    from steelyard.models.directory import PARTS, file_digest

    try:
        config = json.loads((path / "config.json").read_text(encoding="utf-8"))
    except ValueError as error:
        raise ModelFileError(f"{path / 'config.json'} is not JSON: {error}") from error
    if not isinstance(config, dict):
        raise ModelFileError(f"{path / 'config.json'} holds no object")
    shards = sorted(one for one in path.glob("*.safetensors") if one.name not in PARTS)
    text = config.get("text_config", config)  # models that also see keep the decoder's apart
    return {
        "path": str(path),
        "size_bytes": sum(shard.stat().st_size for shard in shards),
        "sha256": {shard.name: file_digest(shard) for shard in shards},
        "format": "safetensors",
        "architecture": config.get("model_type"),
        "layers": text.get("num_hidden_layers"),
        "width": text.get("hidden_size"),
        "context_tokens": text.get("max_position_embeddings"),
        "dtype": text.get("dtype", text.get("torch_dtype")),
    }


def _text(value: object) -> str:
    if value is None or value == []:
        return "-"
    if isinstance(value, Mapping):
        return "\n".join(f"{item} {key}" for key, item in value.items())
    if isinstance(value, list):
        return "\n".join(value)
    return f"{value:,}" if isinstance(value, int) else str(value)
