"""Verdicts: what an interval says about a margin."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.metrics.intervals import wilson_interval
from steelyard.probe.finding import Sample, judge_mean, judge_share, share_interval, unsupported


def judged(values, *, margin=0.1, groups=None, **how):
    groups = [str(index) for index in range(len(values))] if groups is None else groups
    return judge_mean("null", "measure", Sample(values, groups), margin=margin, seed=0, **how)


@pytest.mark.parametrize(
    ("values", "one_sided", "verdict"),
    [
        ([0.0, 0.0, 0.0], False, "holds"),
        ([0.04, -0.05, 0.02, 0.06], False, "holds"),
        ([0.3, 0.35, 0.25], False, "does not hold"),
        ([-0.3, -0.35, -0.25], False, "does not hold"),
        ([-0.3, -0.35, -0.25], True, "holds"),
        ([0.0, 0.3, 0.0, 0.2], False, "not shown"),
        ([0.1, 0.1], False, "holds"),
    ],
)
def test_the_interval_is_set_against_the_margin(values, one_sided, verdict):
    found = judged(values, one_sided=one_sided)
    assert found.verdict == verdict
    assert found.estimate == pytest.approx(np.mean(values))
    assert found.interval[0] <= found.estimate <= found.interval[1]


def test_one_text_shows_nothing():
    found = judged([0.0, 0.0], groups=["a", "a"])
    assert (found.verdict, found.interval, found.groups) == ("not shown", None, 1)


def test_nothing_measured_is_not_supported():
    found = judged([], why_none="refused")
    assert (found.verdict, found.because, found.estimate) == (
        "not supported by this server",
        "refused",
        None,
    )
    assert unsupported("null", "measure", "why").verdict == found.verdict


def test_what_a_model_could_not_have_shown_is_not_shown():
    assert judged([0.0, 0.0], blind="it reads nothing").verdict == "not shown"
    assert judged([0.5, 0.6], blind="it reads nothing").verdict == "does not hold"


def test_rows_of_one_text_count_once():
    values = [0.0] * 10 + [0.3] * 10
    apart = judged(values).interval
    together = judged(values, groups=["a"] * 10 + ["b"] * 10).interval
    assert together == pytest.approx((0.0, 0.3))
    assert apart[0] > 0.0 and apart[1] < 0.3


def test_a_share_without_events_has_wilsons_interval_of_the_texts():
    names = [str(index // 2) for index in range(20)]  # ten texts, two questions each
    assert share_interval([False] * 20, names) == wilson_interval(0, 10)
    assert share_interval([True] * 20, names) == wilson_interval(10, 10)
    low, high = share_interval([index < 4 for index in range(20)], names)
    assert 0 <= low < 0.2 < high <= 1
    assert share_interval([True, False], ["a", "a"]) == (0.0, 1.0)


def test_a_share_is_judged_by_its_most():
    few = judge_share("null", "measure", [False] * 10, list("abcdefghij"), most=0.05, seed=0)
    many = judge_share("null", "measure", [False] * 100, list(range(100)), most=0.05, seed=0)
    assert (few.verdict, many.verdict) == ("not shown", "holds")


def test_the_mean_of_no_effect_is_seldom_called_one():
    # An independent count: noise around 0 with a margin of its own standard error's size.
    random = np.random.default_rng(1)
    wrong = sum(
        judged(random.normal(0, 0.05, 12).tolist(), margin=0.02).verdict == "does not hold"
        for _ in range(40)
    )
    assert wrong <= 3
