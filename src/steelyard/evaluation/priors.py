"""What somebody would answer who knows the suite's answers and never reads the state."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Sequence

from steelyard.types.codec import encode_question
from steelyard.types.example import Example, num_options
from steelyard.types.question import Choice, Question, kind_of

MIN_GROUPS = 10
"""Below, a mean says more about the rows it was taken from than about the question."""


def label_priors(examples: Sequence[Example]) -> list[tuple[float, ...]]:
    """For each example of a whole suite, the mean target of what was asked like it.

    That is the same question, with its options in any order, where it is asked of 10 groups or
    more. Otherwise: of a noul or a score all those of the suite with as many levels, since "yes"
    and "the lowest level" mean something across questions; of a choice the uniform.
    """
    same: defaultdict[Hashable, _Mean] = defaultdict(_Mean)
    alike: defaultdict[Hashable, _Mean] = defaultdict(_Mean)
    for example in examples:
        labels = _labels(example.question)
        target = dict(zip(labels, example.target, strict=True))
        same[_identity(example.question)].add(example.group, target)
        alike[kind_of(example.question), len(labels)].add(example.group, target)
    priors = []
    for example in examples:
        labels = _labels(example.question)
        mean = same[_identity(example.question)]
        if len(mean.groups) < MIN_GROUPS and not isinstance(example.question, Choice):
            mean = alike[kind_of(example.question), len(labels)]
        elif len(mean.groups) < MIN_GROUPS:
            mean = _Mean()
        priors.append(mean.over(labels))
    return priors


class _Mean:
    """A running sum of targets by label."""

    def __init__(self) -> None:
        self.groups: set[str] = set()
        self.sums: defaultdict[str, float] = defaultdict(float)

    def add(self, group: str, target: dict[str, float]) -> None:
        self.groups.add(group)
        for label, share in target.items():
            self.sums[label] += share

    def over(self, labels: Sequence[str]) -> tuple[float, ...]:
        """The mean for these labels, uniform while nothing was added."""
        total = sum(self.sums.values())
        if total == 0:
            return (1 / len(labels),) * len(labels)
        return tuple(self.sums[label] / total for label in labels)


def _labels(question: Question) -> list[str]:
    """A choice's labels; else the places, which keep their meaning across questions."""
    if isinstance(question, Choice):
        return list(question.criteria)
    return [str(place) for place in range(num_options(question))]


def _identity(question: Question) -> str:
    """Equal for questions that differ at most in the order of a choice's options."""
    return json.dumps(encode_question(question), sort_keys=True)
