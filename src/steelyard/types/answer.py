"""What comes back: one answer per question, and what the numbers rest on.

Answers assert what every reader relies on, so that a NaN or a `choice` that is not the most
probable option stops where it arises.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from steelyard.types.content import Content

Action: TypeAlias = Literal["act", "ask", "escalate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What one answer's numbers rest on.

    Attributes:
        readout: name of the readout that spoke, such as "letters".
        exit_layer: the layer after which the answer was read.
        calibration: digest of the calibrator applied, or None: the probabilities are uncalibrated,
            because nothing was fitted for such a question, read like this.
        margin: difference between the two largest probabilities; 1.0 with a single option.
        passes: how many prompts were read for this answer (tournament, rotations, re-readings).
    """

    readout: str
    exit_layer: int
    calibration: str | None
    margin: float
    passes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a calibration guarantees of answers like this one; see docs/trust.md.

    Attributes:
        options: keys of the options among which the right one is ("yes" and "no" of a noul),
            with a probability of at least `coverage`; both None where no sets were fitted.
        action: "act", "ask" or "escalate"; None where no thresholds were fitted.
    """

    options: tuple[str, ...] | None
    coverage: float | None
    action: Action | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoulAnswer:
    """`noul` is P(yes), in [0, 1].

    `committed` is no probability: a leaning moved out of the band from .2 to .8, in which callers
    read no answer, where the map for it was fitted; else None.
    """

    noul: float
    basis: Basis
    verdict: Verdict | None = None
    committed: float | None = None

    def __post_init__(self) -> None:
        _assert_shares(self.noul, self.committed or 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceAnswer:
    """`choice` is the label with the largest of `probabilities`, which sum to 1."""

    choice: str
    confidence: float
    probabilities: Mapping[str, float]
    basis: Basis
    verdict: Verdict | None = None

    def __post_init__(self) -> None:
        _assert_shares(self.confidence, *self.probabilities.values())
        assert self.probabilities[self.choice] == max(self.probabilities.values()), (
            f"choice {self.choice!r} is not the most probable option"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreAnswer:
    """`score` is the expected level, sum of i * p_i; `probabilities` has the keys "0", "1", ..."""

    score: float
    confidence: float
    legend: Sequence[Content]
    probabilities: Mapping[str, float]
    basis: Basis
    verdict: Verdict | None = None

    def __post_init__(self) -> None:
        _assert_shares(self.confidence, *self.probabilities.values())
        assert list(self.probabilities) == [str(level) for level in range(len(self.legend))], (
            f"levels {list(self.probabilities)} for a legend of {len(self.legend)}"
        )


Answer = NoulAnswer | ChoiceAnswer | ScoreAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of a request, each shared token counted once, and of its serialised answers."""

    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """Milliseconds by stage; `total_ms` is wall time and may exceed the sum."""

    prepare_ms: float
    forward_ms: float
    total_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Enough to say later what produced the answers.

    Attributes:
        weights, tokenizer, layout: sha256 digests, hexadecimal.
        calibrator: sha256 digest, or None.
        layout_name: such as "isolated-v1".
        runtime: such as "torch"; dtype: such as "float32".
        computed_tokens: tokens that went through the model.
        reused_tokens: prefix tokens taken from the store instead.
        exit_layers: the exits that were open, shallow to deep.
    """

    steelyard: str
    model: str
    weights: str
    tokenizer: str
    layout: str
    layout_name: str
    calibrator: str | None
    runtime: str
    dtype: str
    computed_tokens: int
    reused_tokens: int
    exit_layers: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """All answers to one request.

    Attributes:
        model: concrete name of the model that answered.
        answers: id -> answer, in the order asked.
        warnings: what the caller should know, such as that the model is untrained.
    """

    model: str
    answers: Mapping[str, Answer]
    usage: Usage
    timings: Timings
    audit: Audit
    warnings: tuple[str, ...] = field(default=())


def _assert_shares(*values: float) -> None:
    assert all(0 <= value <= 1 for value in values), f"outside [0, 1]: {values}"
