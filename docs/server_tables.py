"""The tables of routes and errors in docs/server.md, made of what the server has and tells.

python -m docs.server_tables    writes them between the page's marks

`tests/test_docs.py` fails when the page shows another.
"""

from __future__ import annotations

from pathlib import Path

from fastapi.routing import APIRoute

from benchmarks.pages import write
from steelyard.errors import UnavailableError
from steelyard.server.app import create_app
from steelyard.server.models import Decider, Offer
from steelyard.server.wire.errors import STATUSES

PAGE = Path(__file__).with_name("server.md")
MAKER = "docs.server_tables"
ROUTES = "docs.server_tables.routes"


def routes() -> str:
    """A line for each route, in the order of the application."""

    def load() -> Decider:
        raise UnavailableError("the page needs no model")

    lines = ["| route | what |", "|---|---|"]
    for route in create_app([Offer("mini", load)]).routes:
        if isinstance(route, APIRoute):
            [method] = route.methods
            lines.append(f"| `{method} {route.path}` | {route.summary} |")
    return "\n".join(lines)


def table() -> str:
    """A line for each class of errors that has statuses of its own."""
    lines = ["| code | what | System One | OpenAI | OpenRouter |", "|---|---|---|---|---|"]
    for kind, row in STATUSES.items():
        assert kind.__doc__ is not None, kind
        code, what = kind.code, kind.__doc__.partition("\n")[0].partition(";")[0].rstrip(".")
        if row.system_one == 500:
            code, what = "unknown", "An error of ours"
        cells = (f"`{code}`", what, str(row.system_one), str(row.openai), str(row.openrouter))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    write(PAGE, MAKER, table())
    write(PAGE, ROUTES, routes())
