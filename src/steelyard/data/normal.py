"""When two answers are the same answer: normal forms of texts, numbers and dates.

HTML entities are decoded first: a title spelt with `&quot;` once became a distractor of itself
(Trutina report, 6.3).
"""

from __future__ import annotations

import html
import re
import unicodedata
from decimal import Decimal, InvalidOperation
from functools import lru_cache

ARTICLES = frozenset({"a", "an", "the"})
WORD = re.compile(r"(?<!\w)-?(?:[$€£]\s?)?\d+(?:[.,]\d+)*|\w+")


def decoded(text: str) -> str:
    """HTML entities and odd spaces as plain characters; runs of spaces as one."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", html.unescape(text))).strip()


@lru_cache(maxsize=50_000)
def number(text: str) -> Decimal | None:
    """The number that a text spells ("$1,200.50", "12 %", "-3"), or None."""
    bare = re.sub(r"[,\s$€£%]", "", decoded(text))
    try:
        value = Decimal(bare)
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


@lru_cache(maxsize=50_000)
def normal(text: str) -> str:
    """Equal for texts that are the same answer: case, punctuation, articles and spaces ignored.

    Numbers are compared by value, also those within a text: "-1.50 million" is "-1.5 million" and
    not "1.5 million". A text of nothing but punctuation stays as it is.
    """
    value = number(text)
    if value is not None:
        return format(value.normalize(), "f")
    plain = unicodedata.normalize("NFKD", decoded(text).casefold())
    letters = "".join(c for c in plain if not unicodedata.combining(c))
    words = [_word(word) for word in WORD.findall(letters)]
    kept = [word for word in words if word not in ARTICLES]
    return " ".join(kept or words) or decoded(text)


def _word(text: str) -> str:
    value = number(text)
    return " ".join(re.findall(r"\w+", text)) if value is None else format(value.normalize(), "f")


def same(first: str, second: str) -> bool:
    """Whether two texts are one answer."""
    return normal(first) == normal(second)


def overlap(first: str, second: str) -> bool:
    """Whether they are one answer or one contains the other as words ("Yadkinville" and
    "Yadkinville, North Carolina"); numbers only if they are equal."""
    if number(first) is not None or number(second) is not None:
        return same(first, second)
    a, b = f" {normal(first)} ", f" {normal(second)} "
    return a in b or b in a
