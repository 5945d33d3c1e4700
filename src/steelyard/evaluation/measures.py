"""What a suite's answers are worth, beside what ignorance would score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.errors import ShapeError
from steelyard.evaluation.run import Prediction
from steelyard.metrics.distances import (
    brier_distances,
    cross_entropies,
    kl_divergences,
    masses_at_mode,
    mode_hits,
    ranked_probability_distances,
)
from steelyard.metrics.forecasts import padded
from steelyard.metrics.intervals import bootstrap_interval
from steelyard.metrics.reliability import expected_calibration_error
from steelyard.types.question import KINDS

NUM_DRAWS = 1000
NUM_BINS = 10
FLOOR = 1e-9
"""Probabilities below count as this in NLL and KL, as in the typed-decisions benchmark: one answer
that was called impossible should cost much, and not make the mean infinite."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean with its 95 % interval, from a bootstrap that draws groups; None for one group."""

    value: float
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """One distance from the targets: the answers', the uniform's and the label prior's."""

    model: Figure
    uniform: float
    prior: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """All figures for the answers of one kind in one suite.

    Attributes:
        n, groups: how many answers, and what the bootstrap drew.
        accuracy: share of answers whose most probable option is one that no other beats in the
            target; chance: that of guessing evenly; majority: that of the label prior's most
            probable option, of several one at random. None where no target prefers an option.
        nll: cross-entropy in nats, with the target's own spread; kl: without it.
        brier: sum of squares, 0 to 2.
        rps: ranked probability score over k - 1, of scores only.
        ece: expected calibration error of the most probable option, 10 bins, against the target's
            mass on it.
        confidence: mean probability of the most probable option.
        layers: mean layer that spoke.
        seconds: mean time of an answer.
    """

    suite: str
    kind: str
    n: int
    groups: int
    accuracy: Figure | None
    chance: float | None
    majority: float | None
    nll: Figure
    kl: Beside
    brier: Beside
    rps: Beside | None
    ece: float
    confidence: Figure
    layers: float
    seconds: float


def measure(
    predictions: Sequence[Prediction],
    priors: Mapping[str, tuple[float, ...]],
    *,
    draws: int = NUM_DRAWS,
    seed: int = 0,
) -> list[Measures]:
    """The measures of each suite and kind, suites in the order given.

    Args:
        priors: example id -> what is known of its answer without its state; see `label_priors`.
    Raises:
        ShapeError: no predictions, or one whose prior is missing.
    """
    if not predictions:
        raise ShapeError("none; allowed: one or more", field="predictions")
    for prediction in predictions:
        if prediction.example not in priors:
            raise ShapeError(f"none of example {prediction.example}", field="priors")
    suites = dict.fromkeys(prediction.suite for prediction in predictions)
    parts = [
        [p for p in predictions if (p.suite, p.kind) == (suite, kind)]
        for suite in suites
        for kind in KINDS
    ]
    return [_measure(part, priors, draws, seed) for part in parts if part]


def _measure(
    part: Sequence[Prediction], priors: Mapping[str, tuple[float, ...]], draws: int, seed: int
) -> Measures:
    targets = padded([p.target for p in part])  # (n, k)
    answers = padded([p.probabilities for p in part])
    prior = padded([priors[p.example] for p in part])
    uniform = padded([(1 / len(p.target),) * len(p.target) for p in part])
    levels = np.array([len(p.target) - 1 for p in part])
    groups = np.array([p.group for p in part])
    num_groups = len(np.unique(groups))

    def figure(values: np.ndarray) -> Figure:
        return Figure(
            float(values.mean()),
            bootstrap_interval(values, groups, draws=draws, seed=seed) if num_groups > 1 else None,
        )

    def beside(distance: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Beside:
        return Beside(
            model=figure(distance(answers, targets)),
            uniform=float(distance(uniform, targets).mean()),
            prior=float(distance(prior, targets).mean()),
        )

    def normalised_rps(forecasts: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        scores: np.ndarray = ranked_probability_distances(forecasts, wanted) / np.maximum(levels, 1)
        return scores

    confidences = answers.max(axis=1)
    right = _best(targets)  # (n, k), of each row what may be said
    likeliest = _best(prior)  # (n, k), what knowing the prior says, one of them at random
    shared = (right & likeliest).sum(axis=1) / likeliest.sum(axis=1)  # (n,)
    prefers = bool((abs(targets - uniform) > FLOOR).any())
    return Measures(
        suite=part[0].suite,
        kind=part[0].kind,
        n=len(part),
        groups=num_groups,
        accuracy=figure(mode_hits(answers, targets)) if prefers else None,
        chance=float((right * uniform).sum(axis=1).mean()) if prefers else None,
        majority=float(shared.mean()) if prefers else None,
        nll=figure(cross_entropies(_floored(answers), targets)),
        kl=beside(lambda forecasts, wanted: kl_divergences(_floored(forecasts), wanted)),
        brier=beside(brier_distances),
        rps=beside(normalised_rps) if part[0].kind == "score" else None,
        ece=expected_calibration_error(
            confidences.clip(0, 1), masses_at_mode(answers, targets).clip(0, 1), NUM_BINS
        ),
        confidence=figure(confidences),
        layers=float(np.mean([p.exit_layer for p in part])),
        seconds=float(np.mean([p.seconds for p in part])),
    )


def _best(distributions: np.ndarray) -> np.ndarray:
    """(n, k): whether no other option of the row has more."""
    best: np.ndarray = distributions == distributions.max(axis=1, keepdims=True)
    return best


def _floored(probabilities: np.ndarray) -> np.ndarray:
    floored: np.ndarray = np.maximum(probabilities, FLOOR)
    return floored
