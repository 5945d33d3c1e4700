"""Figures beyond those of `measures.py`: what confidence is good for, and what levels are worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TypeAlias

import numpy as np

from steelyard.evaluation.boards.decision_index import skill
from steelyard.evaluation.measures import Figure, Measures
from steelyard.evaluation.run import Failure, Prediction
from steelyard.metrics.agreement import quadratic_kappa
from steelyard.metrics.brier_parts import BrierParts, brier_parts
from steelyard.metrics.chance import above_chance
from steelyard.metrics.distances import masses_at_mode, mode_hits
from steelyard.metrics.forecasts import padded
from steelyard.metrics.group_draws import draw_groups, percentiles
from steelyard.metrics.noise_floor import ece_noise_floor
from steelyard.metrics.ranking import auroc, balanced_accuracy
from steelyard.metrics.selective import risk_coverage
from steelyard.metrics.smooth_ece import smooth_ece

Formula: TypeAlias = Callable[[float, float], float]

RISKS = (0.01, 0.05, 0.10, 0.20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorecard:
    """Of the answers of one kind in one suite. None: not defined for such questions or answers.

    Attributes:
        asked: answered and failed; accuracy_of_asked: with failed ones as wrong.
        above_chance: chance-corrected accuracy of the answers; skill: the Decision Index's, which
            takes failed ones as wrong and is clipped to [0, 1].
        groups_right: share of groups (a state, a document, a pair in both orders) of which every
            answer is right; where groups have several.
        ece_floor: the ECE of a perfect forecaster of these confidences, by chance; where targets
            are one-hot.
        smooth_ece: without bins.
        brier_parts: of the most probable option: was it right?
        aurc, excess_aurc: mean error rate over all shares answered, and less the best order's.
        coverage_at: error rate -> the largest share of answers that has it, surest first; of this
            sample: what may be promised is `steelyard calibrate`'s.
        auroc, balanced_accuracy: of nouls.
        kappa: quadratic, of the most probable level; level_error: mean distance of the expected
            level from the target's; of scores.
        p50_s, p95_s: seconds of an answer; each its share of a call unless asked alone.
    """

    suite: str
    kind: str
    asked: int
    accuracy_of_asked: float | None
    above_chance: float | None
    skill: float | None
    groups_right: Figure | None
    ece_floor: float | None
    smooth_ece: float
    brier_parts: BrierParts
    aurc: float
    excess_aurc: float
    coverage_at: dict[str, float]
    auroc: float | None
    balanced_accuracy: float | None
    kappa: float | None
    level_error: float | None
    p50_s: float
    p95_s: float


def scorecard(
    measured: Measures, predictions: Sequence[Prediction], failures: Sequence[Failure]
) -> Scorecard:
    """The figures of the answers that were measured.

    Args:
        predictions, failures: of the suite; those of other kinds are passed over.
    """
    part = [one for one in predictions if one.kind == measured.kind]
    asked = len(part) + sum(one.kind == measured.kind for one in failures)
    answers, targets = padded([p.probabilities for p in part]), padded([p.target for p in part])
    confidences = answers.max(axis=1).clip(0, 1)
    masses = masses_at_mode(answers, targets).clip(0, 1)
    hits = mode_hits(answers, targets)
    curve = risk_coverage(confidences, 1 - masses)
    single = bool(np.isin(targets, (0.0, 1.0)).all())
    accuracy = None if measured.accuracy is None else measured.accuracy.value
    chance = measured.chance if measured.chance is not None and measured.chance < 1 else None
    noul, score = measured.kind == "noul", measured.kind == "score"
    levels = np.arange(answers.shape[1])
    seconds = [one.seconds for one in part]
    return Scorecard(
        suite=measured.suite,
        kind=measured.kind,
        asked=asked,
        accuracy_of_asked=None if accuracy is None else accuracy * len(part) / asked,
        above_chance=_both(accuracy, chance, above_chance),
        skill=_both(accuracy, chance, lambda a, c: skill(a, c, len(part) / asked)),
        groups_right=None if accuracy is None else _groups_right(part, hits),
        ece_floor=ece_noise_floor(confidences) if single else None,
        smooth_ece=smooth_ece(confidences, masses),
        brier_parts=brier_parts(confidences, masses),
        aurc=curve.area,
        excess_aurc=curve.excess,
        coverage_at={f"{risk:g}": curve.coverage_at(risk) for risk in RISKS},
        auroc=_finite(auroc(answers[:, 0], targets[:, 0] > 0.5)) if noul else None,
        balanced_accuracy=(
            _finite(balanced_accuracy(answers[:, 0], targets[:, 0] > 0.5)) if noul else None
        ),
        kappa=(
            _finite(
                quadratic_kappa(answers.argmax(axis=1), targets.argmax(axis=1), answers.shape[1])
            )
            if score
            else None
        ),
        level_error=float(abs(answers @ levels - targets @ levels).mean()) if score else None,
        p50_s=float(np.quantile(seconds, 0.5)),
        p95_s=float(np.quantile(seconds, 0.95)),
    )


def _groups_right(part: Sequence[Prediction], hits: np.ndarray) -> Figure | None:
    names, group_of_row = np.unique([one.group for one in part], return_inverse=True)
    if len(names) == len(part) or len(names) < 2:
        return None
    right = np.ones(len(names))
    np.minimum.at(right, group_of_row, hits)
    draws = draw_groups(np.arange(len(names)))
    return Figure(float(right.mean()), percentiles(draws.means(right)))


def _both(accuracy: float | None, chance: float | None, formula: Formula) -> float | None:
    return None if accuracy is None or chance is None else formula(accuracy, chance)


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
