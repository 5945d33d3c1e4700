"""What can be probed: a model in this process, or a server by its address."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from steelyard.probe.trial import Distribution, Reply
from steelyard.types.answer import Answer, NoulAnswer
from steelyard.types.request import Request

if TYPE_CHECKING:
    from steelyard.client import Client
    from steelyard.engine.engine import Engine


@dataclass(frozen=True, slots=True)
class Local:
    """An engine in this process, asked one request at a time."""

    engine: Engine

    @property
    def name(self) -> str:
        engine = self.engine
        return f"{engine.name} (in this process; {engine.readout}, {engine.layout})"

    def decide(self, request: Request) -> Reply:
        begin = time.perf_counter()
        response = self.engine.decide(request.state, request.questions)
        return Reply(
            answers={name: distribution(answer) for name, answer in response.answers.items()},
            input_tokens=response.usage.input_tokens,
            ms=1e3 * (time.perf_counter() - begin),
        )


@dataclass(frozen=True, slots=True)
class Remote:
    """A server that speaks System One.

    Attributes:
        url: as it is named in the report.
        model: what the server is asked for; None leaves it to the server.
    """

    client: Client
    url: str
    model: str | None = None

    @property
    def name(self) -> str:
        return self.url if self.model is None else f"{self.model} at {self.url}"

    def decide(self, request: Request) -> Reply:
        begin = time.perf_counter()
        response = self.client.decide_plain(request.state, request.questions, model=self.model)
        return Reply(
            answers=response.answers,
            input_tokens=response.input_tokens,
            ms=1e3 * (time.perf_counter() - begin),
        )


def distribution(answer: Answer) -> Distribution:
    """Option -> probability, whatever the kind."""
    if isinstance(answer, NoulAnswer):
        return {"yes": answer.noul, "no": 1 - answer.noul}
    probabilities: Mapping[str, float] = answer.probabilities
    return probabilities
