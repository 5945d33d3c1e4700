import pytest

from steelyard.training.schedule import rate


def test_the_rate_rises_in_a_line_and_falls_along_a_cosine():
    rates = [rate(step, warmup_steps=4, steps=24) for step in range(1, 25)]
    assert rates[:4] == pytest.approx([0.2, 0.4, 0.6, 0.8])
    assert rates[4] == 1.0
    assert rates[14] == pytest.approx(0.5)
    assert rates[4:] == sorted(rates[4:], reverse=True)
    assert 0 < rates[-1] < 0.01


def test_a_run_shorter_than_its_warm_up_only_rises():
    assert [rate(step, warmup_steps=9, steps=2) for step in (1, 2)] == pytest.approx([0.1, 0.2])


def test_without_a_warm_up_the_first_step_is_full():
    assert rate(1, warmup_steps=0, steps=10) == 1.0
