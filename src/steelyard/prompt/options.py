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
        names: a short answer for each option: "Yes" and "No", the label, the level.
    """

    kind: str
    instructions: str
    keys: tuple[str, ...]
    texts: tuple[str, ...]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.keys)


def option_set(question: Question) -> OptionSet:
    """The options of a question, in the caller's order (yes before no, levels low to high)."""
    match question:
        case Noul():
            criteria = question.criteria or {}
            names = {"true": "Yes", "false": "No"}
            described = {name: criteria.get(key) for key, name in names.items()}
        case Choice():
            names = {label: label for label in question.criteria}
            described = dict(question.criteria)
        case Score():
            names = {str(i): content_text(level) for i, level in enumerate(question.criteria)}
            levels = tuple(names.values())
            return _options(question, tuple(names), levels, levels)
    texts = tuple(_described(name, description) for name, description in described.items())
    return _options(question, tuple(names), texts, tuple(names.values()))


def _options(
    question: Question, keys: tuple[str, ...], texts: tuple[str, ...], names: tuple[str, ...]
) -> OptionSet:
    kind = kind_of(question)
    asked = question.instructions
    instructions = NEUTRAL[kind] if asked is None else content_text(asked)
    return OptionSet(kind, instructions, keys, texts, names)


def _described(name: str, description: Content | None) -> str:
    return name if description is None else f"{name}: {content_text(description)}"
