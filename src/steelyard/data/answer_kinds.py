"""What kind of thing a short answer is: numbers stand among numbers, names among names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, TypeAlias

from steelyard.data.figures import figure
from steelyard.data.normal import decoded

Kind: TypeAlias = Literal["yes/no", "date", "year", "number", "name", "phrase"]

MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
DATE = re.compile(
    rf"{MONTH} \d{{1,2}}(?:, \d{{4}})?|\d{{1,2}} {MONTH}(?:,? \d{{4}})?|{MONTH},? \d{{4}}"
    r"|\d{4}-\d{2}-\d{2}"
)
WORD = r"(?:[A-Z]\.|[A-Z][\w'’&-]*)"
NAME = re.compile(rf"{WORD}(?:\s(?:(?:of|the|de|la|von|van|du)\s){{0,2}}{WORD})*")
NO_NAMES = frozenset(
    {"A", "An", "And", "But", "He", "Her", "His", "In", "It", "On", "She", "That", "The", "There",
     "These", "They", "This", "We", "When", "You"}
)  # fmt: skip
SENTENCE_START = re.compile(r"(?:^|[.!?]\s+|\n)")


@lru_cache(maxsize=50_000)
def kind_of(answer: str) -> Kind:
    """The kind of a short answer; a text that starts with a capital counts as a name."""
    text = decoded(answer)
    if text.casefold() in ("yes", "no"):
        return "yes/no"
    if DATE.fullmatch(text):
        return "date"
    number = figure(text)
    if number is not None:
        return "year" if number.is_year else "number"
    return "name" if text.lstrip("\"'“‘(")[:1].isupper() else "phrase"


def same_kind(answer: str, texts: Iterable[str]) -> list[str]:
    """The texts of the answer's kind."""
    kind = kind_of(answer)
    return [text for text in texts if kind_of(text) == kind]


def spans(text: str) -> list[str]:
    """What a document holds that could answer a question: its dates, years and names, each once.

    A single capitalised word at the start of a sentence is left out: mostly it is no name.
    """
    found = [match.group() for match in DATE.finditer(text)]
    found += [match for match in re.findall(r"\b[12]\d{3}\b", text) if kind_of(match) == "year"]
    undated = DATE.sub(lambda match: " " * len(match.group()), text)  # May is no name there
    starts = {match.end() for match in SENTENCE_START.finditer(undated)}
    for match in NAME.finditer(undated):
        name = match.group().rstrip(".'’-&")
        if len(name) < 2 or name in NO_NAMES:
            continue
        if match.start() not in starts or " " in name:
            found.append(name)
    return list(dict.fromkeys(found))
