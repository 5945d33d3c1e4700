"""Answers kept on disk, a line for each state, so that a killed run goes on where it stopped.

    {"suite", "group", "commit", "weights", "layout", "seconds", "computed_tokens",
     "answers": [{"id", "kind", "truth", "usual", "probabilities": {label: p}}]}

A noul's labels are "no" and "yes". Every line says which code and weights made it; lines of
different weights or layouts in one file are refused when they are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.suites import Case
from steelyard.evaluation.kept import Row, append_rows, read_rows
from steelyard.types.answer import Answer, ChoiceAnswer, NoulAnswer, Response


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A labelled question with its distribution.

    Attributes:
        suite, group: where it comes from; a bootstrap draws groups.
        truth, usual: see `suites.Item`.
        probabilities: label -> probability, in the order of the options.
    """

    suite: str
    group: str
    id: str
    kind: str
    truth: str
    usual: str
    probabilities: Mapping[str, float]

    @property
    def prediction(self) -> str:
        """The most probable label; the first of equals, so an exactly even noul is a no."""
        return max(self.probabilities, key=self.probabilities.__getitem__)

    @property
    def correct(self) -> bool:
        return self.prediction == self.truth


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The answers to one state, and what it took to get them."""

    suite: str
    group: str
    commit: str
    weights: str
    layout: str
    seconds: float
    computed_tokens: int
    answers: tuple[Answered, ...]


class MixedAnswersError(ValueError):
    """A file holds answers of different weights or layouts."""


def line_of(case: Case, response: Response, commit: str, seconds: float) -> Line:
    return Line(
        suite=case.suite,
        group=case.group,
        commit=commit[:12],
        weights=response.audit.weights[:16],
        layout=response.audit.layout[:16],
        seconds=round(seconds, 4),
        computed_tokens=response.audit.computed_tokens,
        answers=tuple(
            Answered(
                suite=case.suite,
                group=case.group,
                id=item.id,
                kind=item.kind,
                truth=item.truth,
                usual=item.usual,
                probabilities=distribution(response.answers[item.id]),
            )
            for item in case.items
        ),
    )


def append_line(path: Path, line: Line) -> None:
    """Add a line and see it on the disk before returning."""
    row = asdict(line)
    for answer in row["answers"]:
        del answer["suite"], answer["group"]
    append_rows(path, [row])


def read_lines(path: Path) -> list[Line]:
    """The kept lines.

    Raises:
        MixedAnswersError: lines of different weights or layouts.
    """
    lines = [_line(row) for row in read_rows(path)]
    makers = {(line.weights, line.layout) for line in lines}
    if len(makers) > 1:
        raise MixedAnswersError(
            f"{path}: answers of {len(makers)} different weights or layouts; remove the file"
        )
    return lines


def flat(lines: Sequence[Line]) -> list[Answered]:
    return [answer for line in lines for answer in line.answers]


def _line(row: Row) -> Line:
    place = {"suite": row["suite"], "group": row["group"]}
    answers = tuple(Answered(**place, **answer) for answer in row["answers"])
    return Line(**row | {"answers": answers})


def distribution(answer: Answer) -> dict[str, float]:
    """label -> probability of a choice, or "no" and "yes" of a noul."""
    if isinstance(answer, NoulAnswer):
        return {"no": 1.0 - answer.noul, "yes": answer.noul}
    assert isinstance(answer, ChoiceAnswer)
    return dict(answer.probabilities)
