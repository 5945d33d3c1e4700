"""Distances between distributions against SciPy and plain loops."""

from math import inf, log

import numpy as np
import pytest
from scipy.special import rel_entr

from steelyard.errors import ShapeError
from steelyard.metrics.distances import (
    brier_distances,
    cross_entropies,
    kl_divergences,
    masses_at_mode,
    mode_hits,
    ranked_probability_distances,
    total_variations,
)
from steelyard.metrics.scores import brier_scores, log_losses, ranked_probability_scores

EACH = [
    brier_distances,
    cross_entropies,
    kl_divergences,
    masses_at_mode,
    mode_hits,
    ranked_probability_distances,
    total_variations,
]


def drawn(seed, n=40, k=5):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(k), n), rng.dirichlet(np.full(k, 0.5), n)


def test_kl_is_scipys_and_the_cross_entropy_less_the_entropy():
    forecasts, targets = drawn(1)
    np.testing.assert_allclose(
        kl_divergences(forecasts, targets), rel_entr(targets, forecasts).sum(axis=1)
    )
    entropy = -(targets * np.log(targets)).sum(axis=1)
    np.testing.assert_allclose(
        cross_entropies(forecasts, targets), kl_divergences(forecasts, targets) + entropy
    )


def test_the_total_variation_is_the_most_that_two_forecasts_of_one_event_differ():
    forecasts, targets = drawn(3, k=4)
    events = [[bool(number >> option & 1) for option in range(4)] for number in range(16)]
    differences = [(forecasts - targets)[:, event].sum(axis=1) for event in events]
    np.testing.assert_allclose(total_variations(forecasts, targets), np.max(differences, axis=0))


def test_brier_and_rps_against_loops():
    forecasts, targets = drawn(2)
    for row in range(len(forecasts)):
        p, t = forecasts[row].tolist(), targets[row].tolist()
        assert brier_distances(forecasts, targets)[row] == pytest.approx(
            sum((a - b) ** 2 for a, b in zip(p, t, strict=True))
        )
        worked = sum((sum(p[:j]) - sum(t[:j])) ** 2 for j in range(1, 5))
        assert ranked_probability_distances(forecasts, targets)[row] == pytest.approx(worked)
        assert ranked_probability_distances(forecasts, targets, normalised=True)[
            row
        ] == pytest.approx(worked / 4)


def test_an_outcome_is_a_one_hot_target():
    forecasts, _ = drawn(3)
    labels = np.arange(40) % 5
    targets = np.eye(5)[labels]
    np.testing.assert_allclose(kl_divergences(forecasts, targets), log_losses(forecasts, labels))
    np.testing.assert_allclose(brier_distances(forecasts, targets), brier_scores(forecasts, labels))
    np.testing.assert_allclose(
        ranked_probability_distances(forecasts, targets),
        ranked_probability_scores(forecasts, labels),
    )


def test_the_target_itself_is_at_no_distance():
    _, targets = drawn(4)
    for distance in (kl_divergences, brier_distances, ranked_probability_distances):
        np.testing.assert_allclose(distance(targets, targets), 0, atol=1e-12)


def test_what_was_called_impossible_costs_infinity_only_where_it_has_a_share():
    forecast = np.array([[1.0, 0.0, 0.0]])
    assert kl_divergences(forecast, np.array([[0.5, 0.5, 0.0]])).tolist() == [inf]
    assert kl_divergences(forecast, np.array([[1.0, 0.0, 0.0]])).tolist() == [0]
    half = np.array([[0.5, 0.5, 0.0]])
    np.testing.assert_allclose(kl_divergences(half, forecast), [log(2)])


def test_any_of_equally_voted_options_is_right():
    targets = np.array([[0.4, 0.4, 0.2]] * 3)
    forecasts = np.array([[0.6, 0.4, 0.0], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
    assert mode_hits(forecasts, targets).tolist() == [1, 1, 0]
    assert masses_at_mode(forecasts, targets).tolist() == [0.4, 0.4, 0.2]


@pytest.mark.parametrize("distance", EACH)
def test_zeros_at_the_end_change_nothing(distance):
    forecasts, targets = drawn(5)
    padding = np.zeros((40, 2))
    padded = distance(np.hstack([forecasts, padding]), np.hstack([targets, padding]))
    np.testing.assert_allclose(padded, distance(forecasts, targets))


@pytest.mark.parametrize("distance", EACH)
@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (np.array([[0.5, 0.4]]), "targets: row 0"),
        (np.array([[0.5, 0.3, 0.2]]), r"targets: shape \(1, 3\); allowed: \(1, 2\)"),
        (np.array([0.5, 0.5]), r"targets: shape \(2,\)"),
    ],
)
def test_what_is_no_target_is_refused(distance, targets, message):
    with pytest.raises(ShapeError, match=message):
        distance(np.array([[0.5, 0.5]]), targets)
