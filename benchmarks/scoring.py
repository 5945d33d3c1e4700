"""How good answers are: accuracy with its interval, proper scores, and what ignorance would score.

Intervals are 95 % bootstrap intervals that draw whole states, since questions of one state are not
independent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.answers import Answered
from steelyard.metrics.intervals import bootstrap_interval
from steelyard.metrics.ranking import auroc, balanced_accuracy
from steelyard.metrics.scores import brier_score, log_loss

NUM_DRAWS = 2000


def score(answers: Sequence[Answered], seed: int = 0) -> dict[str, object]:
    """All figures for answers of one kind and suite, from two states or more.

    `accuracy` has an interval; for nouls it is at 0.5, and `balanced_accuracy` and `auroc` have
    intervals too. Baselines that ignore the state: `chance` guesses evenly, `always_no` and
    `first` give a fixed answer, `usual` gives the most frequent truth of each question.
    """
    probabilities, labels = forecasts(answers)
    groups = np.array([answer.group for answer in answers])
    right = np.array([answer.correct for answer in answers], dtype=np.float64)

    def measured(statistic: Callable[[np.ndarray], float], values: np.ndarray) -> dict[str, object]:
        low_high = bootstrap_interval(values, groups, statistic, NUM_DRAWS, seed=seed)
        return {"value": float(statistic(values)), "interval": list(low_high)}

    figures: dict[str, object] = {
        "n": len(answers),
        "groups": len(np.unique(groups)),
        "accuracy": measured(np.mean, right),
        "chance": float(np.mean([1 / len(answer.probabilities) for answer in answers])),
        "usual": float(np.mean([answer.usual == answer.truth for answer in answers])),
        "nll": log_loss(probabilities, labels),
        "brier": brier_score(probabilities, labels),
    }
    if answers[0].kind == "choice":
        figures["first"] = float(np.mean(labels == 0))
    else:
        nouls = np.stack([probabilities[:, 1], labels], axis=1)  # (n, 2): P(yes), is yes
        figures |= {
            "balanced_accuracy": measured(lambda rows: balanced_accuracy(*rows.T), nouls),
            "auroc": measured(lambda rows: auroc(*rows.T), nouls),
            "always_no": float(np.mean(labels == 0)),
            "said_yes": float(np.mean(probabilities[:, 1] > 0.5)),
        }
    return figures


def forecasts(answers: Sequence[Answered]) -> tuple[np.ndarray, np.ndarray]:
    """(n, k) probabilities, zeros at the end of shorter rows, and (n,) places of the truths."""
    probabilities = np.zeros((len(answers), max(len(a.probabilities) for a in answers)))
    for row, answer in zip(probabilities, answers, strict=True):
        row[: len(answer.probabilities)] = list(answer.probabilities.values())
    labels = np.array([list(a.probabilities).index(a.truth) for a in answers])
    return probabilities, labels


def difference(
    first: Sequence[Answered], second: Sequence[Answered], seed: int = 0
) -> dict[str, object]:
    """Accuracy of `second` minus `first` on the questions that both answered, with its interval.

    `changed` is the share of questions whose prediction differs.
    """
    known = {(a.suite, a.group, a.id): a for a in first}
    pairs = [(known[key], b) for b in second if (key := (b.suite, b.group, b.id)) in known]
    change = np.array([after.correct - before.correct for before, after in pairs])
    groups = np.array([after.group for _, after in pairs])
    return {
        "n": len(pairs),
        "value": float(change.mean()),
        "interval": list(bootstrap_interval(change, groups, draws=NUM_DRAWS, seed=seed)),
        "changed": float(
            np.mean([after.prediction != before.prediction for before, after in pairs])
        ),
    }
