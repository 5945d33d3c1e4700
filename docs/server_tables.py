"""The table of errors in docs/server.md, made of what the server tells.

python -m docs.server_tables    writes it between the page's two marks

`tests/test_docs.py` fails when the page shows another.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.pages import write
from steelyard.server.wire.errors import STATUSES

PAGE = Path(__file__).with_name("server.md")
MAKER = "docs.server_tables"


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
