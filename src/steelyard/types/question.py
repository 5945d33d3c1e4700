"""The three kinds of question, as frozen values that are valid once they exist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from steelyard.errors import RequestError, TooManyOptionsError
from steelyard.types.content import Content, check_content

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
        check_instructions(self.instructions)
        criteria = self.criteria
        if criteria is not None:
            if not isinstance(criteria, Mapping):
                raise RequestError(
                    f"got {type(criteria).__name__}; allowed: an object with the keys "
                    '"true" and "false"',
                    field="criteria",
                )
            for key, text in criteria.items():
                if key not in ("true", "false"):
                    raise RequestError(
                        f'unknown outcome {key!r}; allowed: "true", "false"', field="criteria"
                    )
                if text is not None:
                    check_content(text, f"criteria.{key}")
        described = any(text is not None for text in (criteria or {}).values())
        if self.instructions is None and not described:
            raise RequestError(
                "a noul needs instructions or at least one described outcome", field="instructions"
            )


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the labelled options. The wire allows 255 of them (the codec's limit); more is ours.

    Args:
        instructions: what to choose by; may be None.
        criteria: label -> description in the caller's order; None means judge by the label alone.
            A sequence of labels is accepted and means no descriptions.
    Raises:
        RequestError: no option, an empty or repeated label, bad content.
    """

    instructions: Content | None
    criteria: Mapping[str, Content | None]

    def __init__(
        self,
        instructions: Content | None,
        criteria: Mapping[str, Content | None] | Sequence[str],
    ) -> None:
        object.__setattr__(self, "instructions", instructions)
        object.__setattr__(self, "criteria", _labelled(criteria))
        check_instructions(instructions)


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
        check_instructions(self.instructions)
        levels = self.criteria
        if isinstance(levels, str | bytes | Mapping) or not isinstance(levels, Sequence):
            raise RequestError(
                f"got {type(levels).__name__}; allowed: a list of level descriptions, low to high",
                field="criteria",
            )
        if not levels:
            raise RequestError("no levels; allowed: 1 to 10", field="criteria")
        if len(levels) > MAX_LEVELS:
            raise TooManyOptionsError(
                f"Too many levels. Must have at most {MAX_LEVELS} levels. Got {len(levels)}.",
                field="criteria",
            )
        for index, level in enumerate(levels):
            check_content(level, f"criteria.{index}")
        object.__setattr__(self, "criteria", tuple(levels))


Question = Noul | Choice | Score

KINDS: Mapping[str, type[Noul] | type[Choice] | type[Score]] = {
    "noul": Noul,
    "choice": Choice,
    "score": Score,
}


def kind_of(question: Question) -> str:
    """The wire name of a question's kind."""
    return type(question).__name__.lower()


def check_instructions(instructions: Content | None) -> None:
    if instructions is not None:
        check_content(instructions, "instructions")


def _labelled(
    criteria: Mapping[str, Content | None] | Sequence[str],
) -> dict[str, Content | None]:
    if isinstance(criteria, Mapping):
        pairs = list(criteria.items())
    elif isinstance(criteria, Sequence) and not isinstance(criteria, str | bytes):
        pairs = [(label, None) for label in criteria]
    else:
        raise RequestError(
            f"got {type(criteria).__name__}; allowed: an object of label -> description",
            field="criteria",
        )
    if not pairs:
        raise RequestError("no options; allowed: one or more", field="criteria")
    labelled: dict[str, Content | None] = {}
    for label, description in pairs:
        if not isinstance(label, str) or not label:
            raise RequestError(
                f"option label {label!r}; allowed: a non-empty string", field="criteria"
            )
        check_content(label, "criteria")
        if label in labelled:
            raise RequestError(f"option label {label!r} is given twice", field="criteria")
        if description is not None:
            check_content(description, f"criteria.{label}")
        labelled[label] = description
    return labelled
