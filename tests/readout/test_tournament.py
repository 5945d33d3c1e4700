"""The tournament against a model whose preferences are known, and the mass rule by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from steelyard.readout.listing import Ask, Listing, reversed_order, rotated
from steelyard.readout.reading import Reading, Round
from steelyard.readout.scores import log_softmax, margin, mean_of, softmax
from steelyard.readout.tournament import combine, split_evenly, tournament


def finish(reading: Reading) -> tuple[np.ndarray, list[Round]]:
    """Run a reading whose rounds need no measures."""
    rounds = []
    try:
        round_ = next(reading)
        while True:
            rounds.append(round_)
            round_ = reading.send(round_.score(()))
    except StopIteration as stop:
        return stop.value, rounds


def asker(utilities: np.ndarray, bias: np.ndarray | None = None) -> tuple[Ask, list[list[int]]]:
    """An oracle with fixed utilities (Luce), plus a bias by place; records what it was shown."""
    shown: list[list[int]] = []

    def ask(listings: Sequence[Listing]) -> Round:
        shown.extend(list(listing) for listing in listings)
        places = np.zeros(64) if bias is None else bias
        scores = tuple(utilities[list(listing)] + places[: len(listing)] for listing in listings)
        return Round((), lambda _: scores)

    return ask, shown


@pytest.mark.parametrize("count", [1, 2, 26])
def test_few_options_are_read_in_one_listing(count: int) -> None:
    utilities = np.random.default_rng(count).normal(size=count)
    ask, shown = asker(utilities)
    scores, rounds = finish(tournament(ask, range(count)))
    assert shown == [list(range(count))] and len(rounds) == 1
    np.testing.assert_array_equal(scores, utilities)


@pytest.mark.parametrize("count", [27, 52, 53, 77, 128, 150, 255, 700, 2000])
def test_every_option_is_shown_in_groups_of_at_most_26_and_the_best_wins(count: int) -> None:
    rng = np.random.default_rng(count)
    for best in {0, 1, 25, 26, count // 2, count - 1}:
        utilities = rng.normal(size=count)
        utilities[best] = 8.0
        ask, shown = asker(utilities)
        scores, rounds = finish(tournament(ask, range(count)))
        probabilities = np.exp(scores)
        assert probabilities.sum() == pytest.approx(1.0, abs=1e-12)
        assert probabilities.argmax() == best
        assert max(len(listing) for listing in shown) <= 26
        assert {option for listing in shown for option in listing} == set(range(count))
        assert len(rounds) == (2 if count <= 26 * 26 else 3)


def test_groups_keep_the_order_and_differ_by_at_most_one() -> None:
    for count in range(27, 300):
        groups = split_evenly(range(count), 26)
        assert [option for group in groups for option in group] == list(range(count))
        assert max(map(len, groups)) - min(map(len, groups)) <= 1
        assert len(groups) == -(-count // 26)


def test_the_mass_rule_by_hand() -> None:
    # Groups (.6, .3, .1) and (.5, .2, .3), two finalists each; final (.4, .1, .3, .2).
    # M = mean(.9, .8) = .85; the others share .15 as .1 : .2.
    probabilities = combine(
        [np.array([0.6, 0.3, 0.1]), np.array([0.5, 0.2, 0.3])],
        [[0, 1], [0, 2]],
        np.array([0.4, 0.1, 0.3, 0.2]),
    )
    expected = [0.85 * 0.4, 0.85 * 0.1, 0.15 / 3, 0.85 * 0.3, 0.15 * 2 / 3, 0.85 * 0.2]
    np.testing.assert_allclose(probabilities, expected, atol=1e-15)


def test_mass_is_not_lost_when_everyone_is_a_finalist_or_nobody_else_has_any() -> None:
    np.testing.assert_allclose(
        combine([np.array([1.0]), np.array([1.0])], [[0], [0]], np.array([0.3, 0.7])), [0.3, 0.7]
    )
    np.testing.assert_allclose(
        combine([np.array([1.0, 0.0]), np.array([1.0, 0.0])], [[0], [0]], np.array([0.3, 0.7])),
        [0.3, 0, 0.7, 0],
    )


@pytest.mark.parametrize("count", [2, 3, 5, 26])
def test_all_rotations_cancel_a_bias_by_place(count: int) -> None:
    rng = np.random.default_rng(count)
    bias = rng.normal(size=64) * 3
    same = np.zeros(count)
    ask, shown = asker(same, bias)
    scores, _ = finish(tournament(rotated(ask, count), range(count)))
    assert len(shown) == count and sorted(map(tuple, shown)) == sorted(set(map(tuple, shown)))
    np.testing.assert_allclose(softmax(scores), np.full(count, 1 / count), atol=1e-12)


def test_rotations_average_probabilities_in_the_listings_own_order() -> None:
    utilities = np.array([1.0, 0.0, -1.0, 2.0])
    bias = np.array([0.5, 0.0, 0.0, -0.5] + [0.0] * 60)
    ask, shown = asker(utilities, bias)
    scores, _ = finish(tournament(rotated(ask, 2), range(4)))
    assert shown == [[0, 1, 2, 3], [2, 3, 0, 1]]
    first = softmax(utilities + bias[:4])
    second = np.roll(softmax(np.roll(utilities, -2) + bias[:4]), 2)
    np.testing.assert_allclose(softmax(scores), (first + second) / 2, atol=1e-12)


def test_more_rotations_than_options_ask_each_order_once() -> None:
    ask, shown = asker(np.zeros(2))
    finish(tournament(rotated(ask, 4), range(2)))
    assert shown == [[0, 1], [1, 0]]


def test_a_reversed_listing_comes_back_in_its_own_order() -> None:
    ask, shown = asker(np.array([1.0, 2.0, 3.0]))
    (scores,) = reversed_order(ask)([[0, 1, 2]]).score(())
    assert shown == [[2, 1, 0]]
    np.testing.assert_array_equal(scores, [1.0, 2.0, 3.0])


def test_margin_is_the_gap_between_the_two_largest_probabilities() -> None:
    assert margin(np.array([0.2, 0.5, 0.3])) == pytest.approx(0.2)
    assert margin(np.array([1.0])) == 1.0


def test_the_mean_of_distributions_is_arithmetic_and_ignores_their_offsets() -> None:
    mean = mean_of([np.log([0.8, 0.2]) + 7.0, np.log([0.4, 0.6]) - 3.0])
    np.testing.assert_allclose(np.exp(mean), [0.6, 0.4])
    np.testing.assert_allclose(np.exp(log_softmax(np.array([0.0, 0.0]))), [0.5, 0.5])
