"""What makes an example worthless, whoever made it."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterator

from steelyard.data.normal import normal
from steelyard.data.words import leaves
from steelyard.types.content import Content
from steelyard.types.example import Example
from steelyard.types.question import Choice, Noul

ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")


def fault(example: Example) -> str | None:
    """Why an example cannot be learned from, in words that a report counts by; None if it can.

    That the target is a distribution over the options, Example itself sees to.
    """
    question = example.question
    if isinstance(question, Noul):
        return None
    if len(question.criteria) < 2:
        return "fewer than two options"
    if isinstance(question, Choice):
        if _repeats(question.criteria):
            return "two options are the same answer"
        described = [text for text in question.criteria.values() if text is not None]
        return "two options have the same description" if _repeats(described) else None
    return "two levels are the same" if _repeats(question.criteria) else None


def texts(example: Example) -> Iterator[str]:
    """Every text of an example: state, instructions, labels, descriptions and levels."""
    question = example.question
    yield from leaves(example.state)
    yield from leaves(question.instructions)
    if isinstance(question, Choice):
        yield from question.criteria
    yield from leaves(question.criteria)


def has_entity(example: Example) -> bool:
    """Whether an HTML entity was left in a text, which its converter should have decoded."""
    return any(
        html.unescape(entity) != entity
        for text in texts(example)
        if "&" in text
        for entity in ENTITY.findall(text)
    )


def _repeats(contents: Collection[Content]) -> bool:
    return len({_form(content) for content in contents}) < len(contents)


def _form(content: Content) -> str:
    return normal(content) if isinstance(content, str) else "\0".join(map(normal, leaves(content)))
