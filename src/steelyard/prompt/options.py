"""A question of any kind as what readouts work on: a text and a list of options."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.prompt.content import content_text
from steelyard.types.content import Content
from steelyard.types.question import Choice, Noul, Question, Score, kind_of

# What is asked when the caller gave descriptions but no instructions.
NEUTRAL = {
    "noul": "Which description fits?",
    "choice": "Which option fits best?",
    "score": "Which level fits best?",
}


@dataclass(frozen=True, slots=True)
class OptionSet:
    """A question and its options, all texts as the caller wrote them.

    Attributes:
        kind: "noul", "choice" or "score".
        instructions: the question's text.
        keys: how the answer names the options: ("true", "false"), the labels, or "0", "1", ...
        texts: what the model reads for each option: "Yes: <criterion>", "label: description", or
            the level without its number.
    """

    kind: str
    instructions: str
    keys: tuple[str, ...]
    texts: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.keys)


def option_set(question: Question) -> OptionSet:
    """The options of a question, in the caller's order (yes before no, levels low to high)."""
    keys: tuple[str, ...]
    texts: tuple[str, ...]
    match question:
        case Noul():
            keys = ("true", "false")
            criteria = question.criteria or {}
            texts = (
                _described("Yes", criteria.get("true")),
                _described("No", criteria.get("false")),
            )
        case Choice():
            keys = tuple(question.criteria)
            texts = tuple(_described(*option) for option in question.criteria.items())
        case Score():
            keys = tuple(str(level) for level in range(len(question.criteria)))
            texts = tuple(content_text(level) for level in question.criteria)
    kind = kind_of(question)
    asked = question.instructions
    return OptionSet(kind, NEUTRAL[kind] if asked is None else content_text(asked), keys, texts)


def _described(name: str, description: Content | None) -> str:
    return name if description is None else f"{name}: {content_text(description)}"
