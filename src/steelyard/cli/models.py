"""`steelyard models`: the named models, and which of them are here."""

from __future__ import annotations

import json
from typing import Annotated

import typer

HERE, NOT_HERE, DAMAGED = "yes", "no", "damaged"


def models(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """List the named models."""
    from rich.console import Console
    from rich.table import Table

    from steelyard.models.catalog import CATALOG
    from steelyard.models.packaged import manifest_of

    if as_json:
        for entry in CATALOG.values():
            typer.echo(
                json.dumps(
                    {
                        "name": entry.name,
                        "title": entry.title,
                        "size_bytes": entry.size_bytes,
                        "licence": entry.licence,
                        "readout": manifest_of(entry).readout,
                        "pulled": pulled(entry.name),
                    }
                )
            )
        return
    table = Table("name", "size", "licence", "readout", "pulled", box=None)
    for entry in CATALOG.values():
        size = f"{entry.size_bytes / 1e6:,.0f} MB"
        readout = manifest_of(entry).readout
        table.add_row(entry.name, size, entry.licence, readout, pulled(entry.name))
    Console().print(table)


def pulled(name: str) -> str:
    """Whether the named model is here: "yes", "no" or "damaged" (it has not the right size)."""
    from steelyard.errors import ModelFileError, UnknownModelError
    from steelyard.models.locate import locate

    try:
        locate(name)
    except UnknownModelError:
        return NOT_HERE
    except ModelFileError:
        return DAMAGED
    return HERE
