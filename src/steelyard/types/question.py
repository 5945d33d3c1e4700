"""The three kinds of question, as frozen values that are valid once they exist.

Construction copies what it is given (see `as_content`), so a question never changes afterwards.
Errors name the field within the question: `instructions`, `criteria`, `criteria.billing`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from steelyard.errors import RequestError, TooManyOptionsError
from steelyard.types.content import Content, as_content, as_text, describe

MAX_LEVELS = 10


@dataclass(frozen=True, slots=True)
class Noul:
    """A yes/no question; the answer is P(yes).

    Args:
        instructions: what to judge; may be None when a criterion is described.
        criteria: descriptions of the outcomes under the keys "true" and "false"; either may be
            absent or None.
    Raises:
        RequestError: neither instructions nor a described outcome, an unknown key, bad content.
    """

    instructions: Content | None = None
    criteria: Mapping[str, Content | None] | None = None

    def __post_init__(self) -> None:
        instructions = _optional(self.instructions, "instructions")
        criteria = None if self.criteria is None else _outcomes(self.criteria)
        described = criteria is not None and any(text is not None for text in criteria.values())
        if instructions is None and not described:
            raise RequestError(
                "missing; a noul needs instructions or at least one described outcome",
                field="instructions",
            )
        object.__setattr__(self, "instructions", instructions)
        object.__setattr__(self, "criteria", criteria)


@dataclass(frozen=True, slots=True, init=False)
class Choice:
    """One of the labelled options. The wire allows 255 of them (the codec's limit); more is ours.

    Args:
        instructions: what to choose by; may be None.
        criteria: label -> description in the caller's order; None means judge by the label alone.
            A sequence of labels is accepted and means no descriptions.
    Raises:
        RequestError: no option, a blank or repeated label, bad content.
    """

    instructions: Content | None
    criteria: Mapping[str, Content | None]

    # Written by hand because it accepts more than the field holds.
    def __init__(
        self,
        instructions: Content | None,
        criteria: Mapping[str, Content | None] | Sequence[str],
    ) -> None:
        object.__setattr__(self, "instructions", _optional(instructions, "instructions"))
        object.__setattr__(self, "criteria", _options(criteria))


@dataclass(frozen=True, slots=True)
class Score:
    """One of 1 to 10 ordered levels, lowest first.

    Args:
        instructions: what to grade; may be None.
        criteria: the level descriptions, low to high; none of them may be None.
    Raises:
        RequestError: no level, a None level, a mapping instead of a list, bad content.
        TooManyOptionsError: more than 10 levels.
    """

    instructions: Content | None
    criteria: Sequence[Content]

    def __post_init__(self) -> None:
        object.__setattr__(self, "instructions", _optional(self.instructions, "instructions"))
        object.__setattr__(self, "criteria", _levels(self.criteria))


Question = Noul | Choice | Score
Kind = Literal["noul", "choice", "score"]
KINDS: tuple[Kind, ...] = ("noul", "choice", "score")


def kind_of(question: Question) -> Kind:
    """The wire name of a question's kind."""
    match question:
        case Noul():
            return "noul"
        case Choice():
            return "choice"
        case Score():
            return "score"


def _optional(value: Content | None, field: str) -> Content | None:
    return None if value is None else as_content(value, field)


def _outcomes(criteria: Mapping[str, Content | None]) -> dict[str, Content | None]:
    allowed = 'allowed: an object with the keys "true" and "false"'
    if not isinstance(criteria, Mapping):
        raise RequestError(f"got {describe(criteria)}; {allowed}", field="criteria")
    for key in criteria:
        if not isinstance(key, str):  # an unquoted true in YAML is a boolean
            raise RequestError(
                f"{describe(key)} as a key, not a string; {allowed} (quote them in YAML)",
                field="criteria",
            )
        if key not in ("true", "false"):
            raise RequestError(f"unknown outcome {describe(key)}; {allowed}", field="criteria")
    return {
        as_text(key, "criteria"): _optional(text, f"criteria.{key}")
        for key, text in criteria.items()
    }


def _options(
    criteria: Mapping[str, Content | None] | Sequence[str],
) -> dict[str, Content | None]:
    if isinstance(criteria, Mapping):
        pairs = list(criteria.items())
    elif isinstance(criteria, Sequence) and not isinstance(criteria, str | bytes | bytearray):
        pairs = [(label, None) for label in criteria]
    else:
        raise RequestError(
            f"got {describe(criteria)}; allowed: an object of label -> description",
            field="criteria",
        )
    if not pairs:
        raise RequestError("no options; allowed: one or more", field="criteria")
    options: dict[str, Content | None] = {}
    for given, description in pairs:
        label = _label(given)
        if label in options:
            raise RequestError(f"option label {describe(label)} is given twice", field="criteria")
        options[label] = _optional(description, f"criteria.{label}")
    return options


def _label(label: object) -> str:
    if not isinstance(label, str) or not label or label.isspace():
        raise RequestError(
            f"{describe(label)} as an option label; allowed: a string that is not blank",
            field="criteria",
        )
    return as_text(label, "criteria")


def _levels(criteria: Sequence[Content]) -> tuple[Content, ...]:
    if not isinstance(criteria, Sequence) or isinstance(criteria, str | bytes | bytearray):
        raise RequestError(
            f"got {describe(criteria)}; allowed: a list of level descriptions, low to high, "
            'such as ["calm", "angry"]',
            field="criteria",
        )
    if not criteria:
        raise RequestError(f"no levels; allowed: 1 to {MAX_LEVELS}", field="criteria")
    if len(criteria) > MAX_LEVELS:
        raise TooManyOptionsError(
            f"Too many levels. Must have at most {MAX_LEVELS} levels. Got {len(criteria)}.",
            field="criteria",
        )
    return tuple(as_content(level, f"criteria.{index}") for index, level in enumerate(criteria))
