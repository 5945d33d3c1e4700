"""The page as a file: whole, small, alone, usable without a mouse, and true to the wire format."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from steelyard.server.page import page, page_headers
from steelyard.types.question import KINDS

TEXT = page().decode("utf-8")
VOID = {"input", "link", "meta", "path", "circle"}  # those used here that have no end
Attributes = dict[str, str | None]


class Outline(HTMLParser):
    """Every element with its attributes; an end that fits no open element is an error."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, Attributes, tuple[str, ...]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), tuple(self.open)))
        assert len(dict(attrs)) == len(attrs), (tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), tuple(self.open)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, tag


@pytest.fixture(scope="module")
def outline() -> Outline:
    outline = Outline()
    outline.feed(TEXT)
    outline.close()
    return outline


def test_it_is_well_formed_and_small(outline):
    assert outline.open == []
    assert TEXT.startswith("<!doctype html>")
    assert len(page()) < 40_000


def test_nothing_is_loaded_from_elsewhere(outline):
    assert re.findall(r"(?:https?:)?//\w", TEXT) == []
    assert re.findall(r"@import|url\(", TEXT) == []
    for tag, attributes, _ in outline.elements:
        assert "src" not in attributes, tag
        assert attributes.get("href") in (None, "data:,"), tag


def test_neither_style_nor_script_stands_in_attributes(outline):
    for tag, attributes, _ in outline.elements:
        assert [name for name in attributes if name == "style" or name.startswith("on")] == [], tag


def test_ids_are_unique_and_those_that_the_script_names_exist(outline):
    ids = [attributes["id"] for _, attributes, _ in outline.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'\$\("([\w-]+)"\)', TEXT)) <= set(ids)
    named = [
        attributes[name]
        for _, attributes, _ in outline.elements
        for name in ("aria-labelledby", "data-copy")
        if name in attributes
    ]
    assert set(named) <= set(ids)


def test_every_field_has_a_label(outline):
    for tag, attributes, parents in outline.elements:
        if tag in ("input", "select", "textarea"):
            assert "label" in parents or "aria-labelledby" in attributes, attributes
    # those that the script makes
    for made in re.findall(r'h\("(?:input|select|textarea)", \{[^}]*\}', TEXT):
        before = TEXT[: TEXT.index(made)].rstrip()
        labelled = '"aria-label"' in made or re.search(r'h\("label", \{\}, "[^"]+",$', before)
        assert labelled or before.endswith("const pick ="), made


def test_what_happens_is_told_to_those_who_do_not_see_it(outline):
    roles = {attributes.get("role"): attributes for _, attributes, _ in outline.elements}
    assert roles["status"]["aria-live"] == "polite"
    assert "alert" in roles


def test_the_key_is_kept_in_memory_only(outline):
    [key] = [attributes for _, attributes, _ in outline.elements if attributes.get("id") == "key"]
    assert (key["type"], key["autocomplete"]) == ("password", "off")
    assert re.findall(r"localStorage|sessionStorage|indexedDB|document\.cookie", TEXT) == []


def test_text_of_others_never_becomes_markup():
    assert re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", TEXT) == []


def test_it_follows_the_system_s_colours_and_wish_for_rest():
    assert "prefers-color-scheme: dark" in TEXT
    assert "prefers-reduced-motion: reduce" in TEXT


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb, as WCAG 2.2 defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_and_the_edges_of_fields_can_be_told_from_their_ground(scheme):
    palettes = [dict(re.findall(r"--([\w-]+): (#\w{6});", rules)) for rules in
                re.findall(r":root \{(.*?)\}", TEXT, re.DOTALL)]  # fmt: skip
    colours = palettes[scheme]
    assert len(palettes) == 2 and colours.keys() == palettes[0].keys()
    text = {
        "ink": ("ground", "sheet", "track"),
        "soft": ("ground", "sheet", "track"),
        "accent": ("ground", "sheet", "tint"),
        "on-accent": ("accent",),
        "bad": ("bad-ground",),
        "note": ("note-ground",),
    }
    for colour, grounds in text.items():
        for ground in grounds:
            assert contrast(colours[colour], colours[ground]) >= 4.5, (colour, ground)
    for ground in ("ground", "sheet"):  # 1.4.11: what shows where a control is, or a bar ends
        assert contrast(colours["edge"], colours[ground]) >= 3
    assert contrast(colours["accent"], colours["track"]) >= 3


def test_it_offers_every_kind_of_question(outline):
    added = [attributes.get("data-add") for _, attributes, _ in outline.elements]
    assert {kind for kind in added if kind} == set(KINDS)


def test_the_policy_allows_this_script_and_this_style_and_nothing_else():
    policy = dict(
        part.split(" ", 1) for part in page_headers()["content-security-policy"].split("; ")
    )
    assert policy["default-src"] == "'none'"
    for element in ("script", "style"):
        begin, end = TEXT.index(f"<{element}>") + len(element) + 2, TEXT.index(f"</{element}>")
        digest = base64.b64encode(hashlib.sha256(TEXT[begin:end].encode()).digest()).decode()
        assert policy[f"{element}-src"] == f"'sha256-{digest}'"
        assert TEXT.count(f"<{element}") == 1


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_script_can_be_parsed(tmp_path):
    script = tmp_path / "page.js"
    script.write_text(TEXT[TEXT.index("<script>") + 8 : TEXT.index("</script>")], "utf-8")
    subprocess.run(["node", "--check", str(script)], check=True, capture_output=True)
