"""The elements of a web page by the id that a recorder gave them: tag, attributes, own text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser

NODE_ID = "backend_node_id"
VOID = frozenset({"area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source"})
NAMING = ("aria_label", "aria-label", "placeholder", "alt", "title", "value", "name", "id")
"""Attributes that say what an element is, the most telling first; some releases write `_`."""


def node_texts(html: str) -> Mapping[str, str]:
    """From the id of a node to the text within it, its children's included, spaces joined."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return {node: " ".join(" ".join(parts).split()) for node, parts in reader.texts.items()}


def described(tag: str, attributes: Mapping[str, str], text: str, longest: int) -> str | None:
    """`[button] Search`; None where nothing names the element, or its name is longer."""
    names = [text, *(str(attributes.get(name, "")) for name in NAMING)]
    name = next((each.strip() for each in names if each.strip()), "")
    return f"[{tag}] {name}" if name and len(name) <= longest else None


@dataclass(frozen=True, slots=True)
class _Open:
    tag: str
    node: str | None


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: dict[str, list[str]] = {}
        self.path: list[_Open] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = dict(attrs).get(NODE_ID)
        if node is not None:
            self.texts.setdefault(node, [])
        if tag not in VOID:
            self.path.append(_Open(tag, node))

    def handle_endtag(self, tag: str) -> None:
        # Recorded pages leave elements open; an end tag closes those within it too.
        for depth in range(len(self.path) - 1, -1, -1):
            if self.path[depth].tag == tag:
                del self.path[depth:]
                return

    def handle_data(self, data: str) -> None:
        if data.strip():
            for each in self.path:
                if each.node is not None:
                    self.texts[each.node].append(data)
