"""How much of the way from guessing to perfect a score has come."""

from __future__ import annotations

from steelyard.errors import ShapeError


def above_chance(score: float, chance: float) -> float:
    """(score - chance) / (1 - chance): 0 for a guess, 1 for perfect, below 0 for worse.

    Of accuracies this is chance-corrected accuracy; with the chance of two raters' margins it is
    Cohen's kappa.

    Args:
        score: at most 1, where more is better.
        chance: what guessing scores, below 1.
    Raises:
        ShapeError: a chance of 1 or more: nothing lies above it.
    """
    if not chance < 1:
        raise ShapeError(f"got {chance}; allowed: below 1", field="chance")
    return (score - chance) / (1 - chance)
