"""Tables in a page, between two marks that name the module which makes them."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from benchmarks.record import RECORDS, ROOT

END = "<!-- end of the tables -->"


def begin(maker: str) -> str:
    return f"<!-- tables of {maker}: do not edit -->"


def renew(page: str, maker: str, tables: str) -> str:
    """The page with `tables` between the marks of `maker`.

    Raises:
        ValueError: the page does not have the first mark once, and the other after it.
    """
    mark = begin(maker)
    before, found, rest = page.partition(mark)
    _, end, after = rest.partition(END)
    if not found or not end or mark in rest:
        raise ValueError(f"the page needs {mark!r} once, and then {END!r}")
    return f"{before}{mark}\n\n{tables}\n{END}{after}"


def write(page: Path, maker: str, tables: str) -> None:
    """Put `tables` between the marks of `maker`."""
    page.write_text(renew(page.read_text(encoding="utf-8"), maker, tables), encoding="utf-8")


def command(maker: str, doc: str | None, page: Path, render: Callable[[Path], str]) -> None:
    """The command line of a module that makes tables of records."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {maker}",
        description=doc,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--check", action="store_true", help="write nothing, fail on a difference")
    options = parser.parse_args()
    text = page.read_text(encoding="utf-8")
    renewed = renew(text, maker, render(RECORDS))
    if not options.check:
        page.write_text(renewed, encoding="utf-8")
    elif renewed != text:
        raise SystemExit(f"{page.relative_to(ROOT)} is not what the records say; write it again")
