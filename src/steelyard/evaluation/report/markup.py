"""HTML that cannot be forged: whatever is not `Markup` is text, and is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


class Markup(str):
    """Finished HTML; only `tag` and `joined` make it."""

    __slots__ = ()


def tag(name: str, *children: str, **attributes: object) -> Markup:
    """An element; text among its children is escaped, as is every attribute.

    An attribute's underscores are hyphens, one at its end is dropped (`class_`), and one that is
    None is left out. Numbers are written with up to two decimals, which is fine for a drawing.
    """
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_text(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{told}>{joined(children)}</{name}>")


def joined(parts: Iterable[str]) -> Markup:
    """Parts one after another; text is escaped."""
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in parts))


def table(head: Iterable[str], rows: Iterable[Iterable[str]], class_: str | None = None) -> Markup:
    """A table with a head."""
    lines = [tag("tr", *(tag("td", cell) for cell in row)) for row in rows]
    return tag(
        "table",
        tag("thead", tag("tr", *(tag("th", cell) for cell in head))),
        tag("tbody", *lines),
        class_=class_,
    )


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return str(value)
