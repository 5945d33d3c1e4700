"""What a run's result holds of the benchmarks' scores."""

import pytest
from support.predictions import failure, prediction

from steelyard.cli.evaluation_tables import print_result
from steelyard.evaluation.boards.jevbench_axes import speed
from steelyard.evaluation.evaluate import Evaluated
from steelyard.evaluation.measures import measure
from steelyard.evaluation.result import jevbench_of, result_of


def test_speed_is_that_of_the_tiers_that_are_timed():
    rows = [
        prediction(0, (0.9, 0.1), (1.0, 0.0), source="s/judge", seconds=0.2),
        prediction(1, (0.9, 0.1), (1.0, 0.0), source="s/hard", seconds=5.0),
    ]

    def axis(*part):
        one = Evaluated(
            suite="s", version="", questions=2, examples={}, maker=None, predictions=part,
            failures=(), priors={}, measures=(),
        )  # fmt: skip
        return jevbench_of(one, alone=True)["equal"]["speed"]

    assert axis(*rows) == pytest.approx(speed(0.2, 0.2))
    assert axis(rows[1]) == pytest.approx(speed(5.0, 5.0))


def evaluated(suite, predictions, failures=()):
    priors = {one.example: (1 / len(one.target),) * len(one.target) for one in predictions}
    return Evaluated(
        suite=suite,
        version="0" * 12,
        questions=9,
        examples={one.example: None for one in (*predictions, *failures)},
        maker=None,
        predictions=predictions,
        failures=failures,
        priors=priors,
        measures=measure(predictions, priors) if predictions else (),
    )


def test_known_and_unknown_answers_of_jevbench_240_make_an_abstention_test():
    known = evaluated("jevbench240", [prediction(0, (0.9, 0.1), (1.0, 0.0), kind="noul")])
    flat = [prediction(1, (0.6, 0.4), (0.5, 0.5), kind="noul")]
    unknown = evaluated("jevbench240-unknown", flat)
    result = result_of([known, unknown], {})
    assert result["abstention"]["commits"] == 1
    assert result["abstention"]["commits_in_vain"] == 0
    assert "jevbench" in result["suites"][0] and "jevbench" not in result["suites"][1]
    assert "abstention" not in result_of([known], {})


def test_a_suite_without_any_answer_is_told_as_that(capsys):
    result = result_of([evaluated("s", [], [failure(0, (1.0, 0.0))])], {}, costs=(1, 1))
    (suite,) = result["suites"]
    assert (suite["answered"], suite["failed"], suite["kinds"]) == (0, 1, [])
    assert not {"jevbench", "typed_decisions", "noul_costs"} & suite.keys()
    print_result(result)
    assert "1 of 1 have no answer: 1 max_tokens_exceeded" in capsys.readouterr().out


def test_a_failure_is_wrong_to_jevbench():
    row = prediction(0, (0.9, 0.1), (1.0, 0.0))
    one = evaluated("s", [row], [failure(1, (1.0, 0.0))])
    assert jevbench_of(one)["equal"]["intelligence"] == pytest.approx(0)
    assert jevbench_of(one)["competence"] == {"choice/standard": pytest.approx(0)}
