"""What an experiment is: a name, a question, requests to send, and a way to judge the replies.

Nothing here sends anything: `plan` and `judge` are functions of values, so an experiment is tested
with replies made by hand.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from steelyard.probe.finding import Finding
from steelyard.probe.trial import Outcome, Trial
from steelyard.types.request import Request

T = TypeVar("T")
Cell: TypeAlias = str | float | int | None


@dataclass(frozen=True, slots=True)
class Table:
    """Figures behind the findings; the rows are as long as `columns`."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an experiment found."""

    findings: tuple[Finding, ...]
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OwnQuestion:
    """A question of the user's: a request with one question, and other wordings of it.

    Attributes:
        name: where it comes from, such as "line 3, queue".
        state_name: questions on one state share it.
    """

    name: str
    state_name: str
    request: Request
    wordings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Setting:
    """What a run chooses for all its experiments.

    Attributes:
        seed: the same seed makes the same requests, in the same order, and the same intervals.
        quick: few and small requests.
        own: the user's questions; none means the built-in scenes.
    """

    seed: int = 0
    quick: bool = False
    own: tuple[OwnQuestion, ...] = field(default=())

    def size(self, quick: T, full: T) -> T:
        """One of two sizes."""
        return quick if self.quick else full

    def random(self, purpose: str) -> random.Random:
        """Chance of its own for each purpose, so that no experiment shifts another's."""
        return random.Random(f"{self.seed} {purpose}")


@dataclass(frozen=True, slots=True)
class Experiment:
    """One experiment.

    Attributes:
        name: for the command line.
        asks: one sentence on what is to be learnt.
        plan: the requests, all of them known before the first is sent.
        judge: findings from the outcomes, which come in the order of the plan.
    """

    name: str
    asks: str
    plan: Callable[[Setting], Sequence[Trial]]
    judge: Callable[[Sequence[Outcome], Setting], Judgement]
