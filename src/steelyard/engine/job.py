"""One request under way: its questions' readings, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from steelyard.errors import SteelyardError
from steelyard.readout.reading import Reading, Round, Scores
from steelyard.types.request import Request


@dataclass(slots=True, eq=False)
class Inquiry:
    """A question being read.

    Attributes:
        kind: "noul", "choice" or "score".
        reading: the readout's generator.
        round: what is to be computed next; None once `scores` are there.
        scores: the final scores, float64 (options,), or None while under way.
        exit_layer: the deepest exit that any of its rounds needed.
        passes: prompts read so far.
    """

    kind: str
    reading: Reading
    round: Round | None = field(init=False, default=None)
    scores: np.ndarray | None = field(init=False, default=None)
    exit_layer: int = field(init=False, default=0)
    passes: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.round = next(self.reading)

    def resume(self, scores: Scores, exit_layer: int) -> None:
        """Hand the round's scores to the reading, which asks for another round or concludes."""
        assert self.round is not None, "the question is already answered"
        self.passes += len(self.round.prompts)
        self.exit_layer = max(self.exit_layer, exit_layer)
        try:
            self.round = self.reading.send(scores)
        except StopIteration as finished:
            self.round = None
            self.scores = finished.value


@dataclass(slots=True, eq=False)
class Job:
    """A request and its inquiries by question id.

    Attributes:
        error: why the request cannot be answered; its inquiries are then left as they are.
        computed_tokens: tokens that went through the model for this request.
        reused_tokens: tokens of its roots that were there already.
        roots: the roots counted so far; each counts once.
    """

    request: Request
    inquiries: dict[str, Inquiry]
    error: SteelyardError | None = None
    computed_tokens: int = 0
    reused_tokens: int = 0
    roots: set[tuple[int, ...]] = field(default_factory=set)

    def waiting(self) -> Iterator[tuple[str, Inquiry]]:
        """The inquiries that wait for a round to be computed."""
        if self.error is None:
            for name, inquiry in self.inquiries.items():
                if inquiry.round is not None:
                    yield name, inquiry
