"""A labelled decision: one question about one state, and the distribution it should get."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from steelyard.errors import RequestError
from steelyard.types.codec import decode_question, encode_question
from steelyard.types.content import Content, Json, as_content, as_text, describe
from steelyard.types.question import Choice, Noul, Question

SUM_TOLERANCE = 1e-6
MOST_WEIGHT = 1e6

FIELDS = ("state", "question", "target", "source", "group", "licence", "weight")


@dataclass(frozen=True, slots=True)
class Example:
    """What training learns from and evaluation judges by.

    Args:
        state: what is judged.
        question: the typed question.
        target: one probability for each option, in the question's order; a noul's are (yes, no).
        source: the data set or generator that it comes from.
        group: id of the document or row within the source; examples of one group never stand on
            both sides of a split.
        licence: SPDX identifier of the text's licence.
        weight: its share in a loss, above 0 and at most a million.
    Raises:
        RequestError: a target that is no distribution over the options, an empty name, a weight
            that is not positive and finite; or what Request raises of state and question.
    """

    state: Content
    question: Question
    target: tuple[float, ...]
    source: str
    group: str
    licence: str
    weight: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "state", as_content(self.state, "state"))
        object.__setattr__(self, "target", _target(self.target, num_options(self.question)))
        for name in ("source", "group", "licence"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value:
                raise RequestError(
                    f"got {describe(value)}; allowed: a non-empty string", field=name
                )
            as_text(value, name)
        if not _is_number(self.weight) or not 0 < self.weight <= MOST_WEIGHT:
            raise RequestError(
                f"got {describe(self.weight)}; allowed: above 0, at most {MOST_WEIGHT:g}",
                field="weight",
            )

    @property
    def gold(self) -> int:
        """The most probable option; the first of several."""
        return max(range(len(self.target)), key=self.target.__getitem__)


def num_options(question: Question) -> int:
    """How many options a question offers; a noul has two."""
    return 2 if isinstance(question, Noul) else len(question.criteria)


def encode_example(example: Example) -> dict[str, Json]:
    """The JSON object of which `decode_example` makes an equal example."""
    body: dict[str, Json] = {
        "state": example.state,
        "question": encode_question(example.question),
        "target": list(example.target),
        "source": example.source,
        "group": example.group,
        "licence": example.licence,
    }
    return body if example.weight == 1.0 else {**body, "weight": example.weight}


def decode_example(body: object) -> Example:
    """The example that a parsed JSON value spells; choices may have any number of options.

    Raises:
        RequestError: a missing or unknown field, or a value that Example refuses.
    """
    if not isinstance(body, Mapping):
        raise RequestError(f"the example is {describe(body)}; allowed: an object")
    for name in FIELDS:
        if name not in body and name != "weight":
            raise RequestError(f"missing; an example needs {', '.join(FIELDS[:-1])}", field=name)
    for name in body:
        if name not in FIELDS:
            raise RequestError(f"unknown; allowed: {', '.join(FIELDS)}", field=str(name))
    question = decode_question(body["question"], "question", max_options=2**31)
    return Example(**{**body, "question": question})


def among(example: Example, order: Sequence[int]) -> Example:
    """A choice with some of its options, in another order; its target is conditional on them.

    Args:
        order: the options by their old index; together they have some of the target's mass.
    """
    assert isinstance(example.question, Choice), "only a choice has options without an order"
    options = list(example.question.criteria.items())
    question = Choice(example.question.instructions, dict(options[index] for index in order))
    total = math.fsum(example.target[index] for index in order)
    target = tuple(example.target[index] / total for index in order)
    return replace(example, question=question, target=target)


def _target(value: object, options: int) -> tuple[float, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise RequestError(
            f"got {describe(value)}; allowed: a probability for each option", field="target"
        )
    if len(value) != options:
        raise RequestError(
            f"{len(value)} probabilities for {options} options; allowed: one each", field="target"
        )
    for index, part in enumerate(value):
        if not _is_number(part) or not 0 <= part <= 1:
            raise RequestError(f"got {part!r}; allowed: 0 to 1", field=f"target.{index}")
    total = math.fsum(value)
    if abs(total - 1) > SUM_TOLERANCE:
        raise RequestError(f"adds up to {total!r}; allowed: 1", field="target")
    return tuple(float(part) for part in value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
