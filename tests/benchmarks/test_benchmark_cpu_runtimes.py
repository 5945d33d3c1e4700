"""What the comparison of runtimes asks, and how it counts agreement."""

from __future__ import annotations

import math

import pytest

from benchmarks.cpu_runtimes import agreement, asked, parser, ratios, workloads


def test_no_two_criteria_are_the_same() -> None:
    questions = asked(100)
    assert len({question.instructions for question in questions.values()}) == len(questions) == 100


def test_every_shape_is_there() -> None:
    names = [workload.name for workload in workloads(2)]
    assert names[0] == "short" and names[-1] == "shape777-2x21"
    assert "states-1000x20" in names and len(names) == 14
    assert [len(one.requests) for one in workloads(2)] == [1] * 13 + [2]


def test_agreement_counts_flips_and_differences() -> None:
    found = agreement([0.6, 0.1], [0.4, 0.1])
    assert found["flips"] == 1
    assert found["largest"] == pytest.approx(0.2) and found["mean"] == pytest.approx(0.1)
    expected = 0.4 * math.log(0.4 / 0.6) + 0.6 * math.log(0.6 / 0.4)
    assert found["divergence"] == pytest.approx(expected / 2)


def test_ratios_say_how_often_faster() -> None:
    found = ratios({"torch-float32": 6.0, "transformers-float32": 12.0, "openvino-float32": 2.0})
    assert found["openvino-float32"] == {"torch-float32": 3.0, "transformers-float32": 6.0}
    assert found["torch-float32"] == {"transformers-float32": 2.0}


def test_the_options_have_defaults() -> None:
    options = parser().parse_args([])
    assert (options.model, options.threads, options.states) == ("mini", 2, 2)
