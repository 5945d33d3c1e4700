"""How good answers are: accuracy with its interval, proper scores, and what ignorance would score.

Intervals are 95 % percentile intervals of a bootstrap that draws whole states, since questions of
one state are not independent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from math import log
from statistics import fmean
from typing import TypeAlias, TypeVar

import numpy as np

from benchmarks.answers import Answered

Drawn = TypeVar("Drawn")
Statistic: TypeAlias = Callable[[Sequence[Answered]], float]

NUM_DRAWS = 2000
SMALLEST = 1e-12  # where log likelihoods stop falling: one certain error must not be infinite


def score(answers: Sequence[Answered], seed: int = 0) -> dict[str, object]:
    """All figures for answers of one kind and suite.

    `accuracy` has an interval; for nouls it is at 0.5, and `balanced_accuracy` and `auroc` have
    intervals too. Baselines that ignore the state: `chance` guesses evenly, `always_no` and
    `first` give a fixed answer, `usual` gives the most frequent truth of each question.
    """
    groups = {answer.group for answer in answers}
    figures: dict[str, object] = {
        "n": len(answers),
        "groups": len(groups),
        "accuracy": _with_interval(accuracy, answers, seed),
        "chance": fmean(1 / len(answer.probabilities) for answer in answers),
        "usual": fmean(answer.usual == answer.truth for answer in answers),
        "nll": fmean(negative_log_likelihood(answer) for answer in answers),
        "brier": fmean(brier(answer) for answer in answers),
    }
    if answers[0].kind == "choice":
        figures["first"] = fmean(
            next(iter(answer.probabilities)) == answer.truth for answer in answers
        )
    else:
        figures |= {
            "balanced_accuracy": _with_interval(balanced_accuracy, answers, seed),
            "auroc": _with_interval(auroc, answers, seed),
            "always_no": fmean(answer.truth == "no" for answer in answers),
            "said_yes": fmean(answer.prediction == "yes" for answer in answers),
        }
    return figures


def accuracy(answers: Sequence[Answered]) -> float:
    return fmean(answer.correct for answer in answers)


def balanced_accuracy(answers: Sequence[Answered]) -> float:
    """Mean of the accuracies on true yes and on true no; NaN where one of them is missing."""
    parts = [[a.correct for a in answers if a.truth == truth] for truth in ("yes", "no")]
    return fmean(fmean(part) for part in parts) if all(parts) else float("nan")


def auroc(answers: Sequence[Answered]) -> float:
    """P(a true yes gets more than a true no), ties half; NaN where one of them is missing."""
    yes, no = (
        np.array([a.probabilities["yes"] for a in answers if a.truth == truth])
        for truth in ("yes", "no")
    )
    if not len(yes) or not len(no):
        return float("nan")
    above = (yes[:, None] > no).mean()
    return float(above + (yes[:, None] == no).mean() / 2)


def negative_log_likelihood(answer: Answered) -> float:
    return -log(max(answer.probabilities[answer.truth], SMALLEST))


def brier(answer: Answered) -> float:
    """Squared distance to the truth summed over the labels (Brier 1950), in [0, 2]."""
    return sum((p - (label == answer.truth)) ** 2 for label, p in answer.probabilities.items())


def difference(
    first: Sequence[Answered], second: Sequence[Answered], seed: int = 0
) -> dict[str, object]:
    """Accuracy of `second` minus `first` on the questions that both answered, with its interval.

    `changed` is the share of questions whose prediction differs.
    """
    known = {(a.suite, a.group, a.id): a for a in first}
    pairs = [(known[key], b) for b in second if (key := (b.suite, b.group, b.id)) in known]
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for before, after in pairs:
        groups[after.group].append(after.correct - before.correct)
    low, high = bootstrap(list(groups.values()), fmean, seed)
    return {
        "n": len(pairs),
        "difference": fmean(after.correct - before.correct for before, after in pairs),
        "interval": [low, high],
        "changed": fmean(after.prediction != before.prediction for before, after in pairs),
    }


def bootstrap(
    groups: Sequence[Sequence[Drawn]],
    statistic: Callable[[Sequence[Drawn]], float],
    seed: int = 0,
    num_draws: int = NUM_DRAWS,
) -> tuple[float, float]:
    """The 2.5th and 97.5th percentile of a statistic when whole groups are drawn with replacement.

    Draws on which the statistic is NaN (no yes among them, say) are left out.
    """
    generator = np.random.default_rng(seed)
    values = np.array(
        [
            statistic([value for index in drawn for value in groups[index]])
            for drawn in generator.integers(len(groups), size=(num_draws, len(groups)))
        ]
    )
    low, high = np.nanpercentile(values, (2.5, 97.5))
    return float(low), float(high)


def _with_interval(
    statistic: Statistic, answers: Sequence[Answered], seed: int
) -> dict[str, object]:
    groups: defaultdict[str, list[Answered]] = defaultdict(list)
    for answer in answers:
        groups[answer.group].append(answer)
    low, high = bootstrap(list(groups.values()), statistic, seed)
    return {"value": statistic(answers), "interval": [low, high]}
