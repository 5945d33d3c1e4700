"""The table of errors in docs/server.md, made of what the server tells.

python docs/server_tables.py    writes it between the page's two marks

`tests/test_docs.py` fails when the page shows another.
"""

from __future__ import annotations

from pathlib import Path

from steelyard.server.wire.errors import STATUSES

PAGE = Path(__file__).with_name("server.md")
BEGIN = "<!-- table of docs/server_tables.py: do not edit -->"
END = "<!-- end of the table -->"


def renew(page: str) -> str:
    """The page with the table of today's errors between its marks.

    Raises:
        ValueError: the page does not have both marks.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page needs {BEGIN!r} and then {END!r}")
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


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
    PAGE.write_text(renew(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
