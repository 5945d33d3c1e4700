"""What an experiment sends, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from steelyard.types.request import Request

Distribution: TypeAlias = Mapping[str, float]

ASKED = "asked"
"""The id under which a trial's one question goes, unless ids are what is tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a decider answered.

    Attributes:
        answers: id -> option -> probability; the options of a noul are "yes" and "no".
        input_tokens: as the decider counted; None where it tells none.
        ms: wall-clock time of the call, seen from here.
    """

    answers: Mapping[str, Distribution]
    input_tokens: int | None
    ms: float


class Decider(Protocol):
    """Anything that decides: a model in this process, or a server."""

    @property
    def name(self) -> str:
        """What is probed, in words for the report."""

    def decide(self, request: Request) -> Reply:
        """Answer one request.

        Raises:
            SteelyardError: it is refused.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One request of an experiment.

    Attributes:
        block: what the trial is compared within; trials of a block differ in their condition alone.
        condition: what was done to the block's question here.
        group: what the bootstrap draws: blocks on one text are one group.
        watched: ids of the questions that are compared, in the order in which they correspond.
        right: the right option, where there is one.
        size: how much of what is varied: characters, questions, options.
    """

    block: str
    condition: str
    request: Request
    group: str
    watched: tuple[str, ...] = (ASKED,)
    right: str | None = None
    size: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """A trial and the reply to it, or why there is none."""

    trial: Trial
    reply: Reply | None
    refusal: str | None = None

    @property
    def answers(self) -> tuple[Distribution, ...]:
        """The watched distributions; of an answered trial only."""
        assert self.reply is not None, "a refused trial has no answers"
        return tuple(self.reply.answers[name] for name in self.trial.watched)

    @property
    def answer(self) -> Distribution:
        """The first of them."""
        return self.answers[0]
