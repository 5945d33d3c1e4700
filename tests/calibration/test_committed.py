"""The committed map keeps order, empties the band of clear leanings, and only of those."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.calibration.committed import MIN_ROWS, CommittedNoul, fit_committed
from steelyard.errors import ShapeError, TooFewRowsError


def nouls(n: int, *, sharpness: float = 1.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """P(yes) that are too cautious where sharpness is above 1, and answers, 0 or 1."""
    random = np.random.default_rng(seed)
    odds = random.normal(scale=1.0, size=n)
    truths = random.random(n) < 1 / (1 + np.exp(-odds * sharpness))
    return 1 / (1 + np.exp(-odds)), truths.astype(np.float64)


@pytest.mark.parametrize("boundary", [0.2, 0.35, 0.5])
def test_it_is_monotone_symmetric_and_stays_within_0_and_1(boundary: float) -> None:
    fitted = CommittedNoul(0.6, boundary, after=None)
    places = np.linspace(0, 1, 201)
    found = np.array([fitted.commit(float(place)) for place in places])
    assert (np.diff(found) > 0).all()
    assert found[0] == pytest.approx(0, abs=1e-12) and found[-1] == pytest.approx(1)
    np.testing.assert_allclose(found + found[::-1], 1.0, atol=1e-12)


def test_at_temperature_1_and_the_band_s_own_boundary_nothing_moves() -> None:
    fitted = CommittedNoul(1.0, 0.2, after=None)
    for place in (0.0, 0.1, 0.2, 0.5, 0.77, 1.0):
        assert fitted.commit(place) == pytest.approx(place, abs=1e-12)


def test_a_worked_value() -> None:
    # logit(.7) = ln(7/3); / .5 = 2 ln(7/3); c = 49/58; beyond 1 - .4: .8 + .2 (c - .6) / .4
    fitted = CommittedNoul(0.5, 0.4, after=None)
    assert fitted.commit(0.7) == pytest.approx(0.8 + 0.2 * (49 / 58 - 0.6) / 0.4)
    assert fitted.commit(0.52) == pytest.approx(
        0.2 + 0.6 * (0.52**2 / (0.52**2 + 0.48**2) - 0.4) / 0.2
    )


def test_leanings_that_are_right_more_often_than_not_are_committed() -> None:
    yes, truths = nouls(2500, sharpness=4.0)
    fitted = fit_committed(yes, truths, after="d")
    assert fitted.temperature == pytest.approx(0.25, rel=0.15) and fitted.after == "d"
    committed = np.array([fitted.commit(p) for p in yes[:400]])

    def abstained(values: np.ndarray) -> float:
        return float(((values > 0.2) & (values < 0.8)).mean())

    assert abstained(committed) < 0.1 < 0.7 < abstained(yes[:400])


def test_dearer_mistakes_commit_less() -> None:
    yes, truths = nouls(1500)
    boundaries = [
        fit_committed(yes, truths, after=None, wrong_cost=cost).boundary for cost in (0.0, 2.0, 4.0)
    ]
    assert boundaries == sorted(boundaries, reverse=True) and boundaries[0] > boundaries[-1]
    # calibrated: worth it while p > cost (1 - p), so at 4 from p = .8 on, and nothing is moved
    assert boundaries[-1] < 0.3


def test_rows_without_a_clear_answer_teach_nothing() -> None:
    yes, truths = nouls(400)
    unclear = np.full(500, 0.5)
    both = fit_committed(
        np.concatenate([yes, unclear]), np.concatenate([truths, unclear]), after=None
    )
    assert both == fit_committed(yes, truths, after=None)
    with pytest.raises(TooFewRowsError, match=f"{MIN_ROWS - 1} rows; needed: {MIN_ROWS}"):
        fit_committed(yes[: MIN_ROWS - 1], truths[: MIN_ROWS - 1], after=None)


def test_what_is_no_probability_is_refused() -> None:
    with pytest.raises(ShapeError, match=r"yes: got 1\.2"):
        CommittedNoul(1.0, 0.3, after=None).commit(1.2)
    with pytest.raises(ShapeError, match="targets: shape"):
        fit_committed(np.zeros(3), np.zeros(4), after=None)
    with pytest.raises(ShapeError, match="yes: values outside 0 to 1"):
        fit_committed(np.array([2.0]), np.array([1.0]), after=None)
