"""PRM800K and HelpSteer: grades of what a model wrote."""

from pathlib import Path

import pytest
from support.conversions import (
    assert_hidden,
    choices,
    converted,
    nouls,
    options,
    right,
    scores,
    shown,
    write_jsonl,
)

from steelyard.data import soft
from steelyard.data.convert import helpsteer, prm800k


def completion(text: str, rating: int | None, *, flagged: bool = False) -> object:
    return {"text": text, "rating": rating, "flagged": flagged}


STEPS = [
    {
        "completions": [
            completion("first right", 1),
            completion("first wrong", -1),
            completion("first flagged", 1, flagged=True),
            completion("first unrated", None),
        ],
        "human_completion": None,
        "chosen_completion": 0,
    },
    {
        "completions": [completion("second wrong", -1)],
        "human_completion": {"text": "second by hand", "rating": 1, "flagged": False},
        "chosen_completion": None,
    },
    {
        "completions": [completion("third so-so", 0)],
        "human_completion": None,
        "chosen_completion": None,
    },
    {
        "completions": [completion("WRONG: after the end", 1)],
        "human_completion": None,
        "chosen_completion": 0,
    },
]
ROW = {
    "labeler": "SECRET",
    "timestamp": "2022-07-17",
    "generation": 9,
    "is_quality_control_question": False,
    "is_initial_screening_question": False,
    "question": {
        "problem": "How many primes are below 10?",
        "ground_truth_solution": "SECRET",
        "ground_truth_answer": "SECRET",
    },
    "label": {"steps": STEPS, "total_time": 1, "finish_reason": "solution"},
}


def test_prm800k_judges_each_step_after_those_that_were_taken(tmp_path: Path) -> None:
    test = {**ROW, "is_quality_control_question": True, "question": {"problem": "WRONG"}}
    write_jsonl(tmp_path / "prm800k/phase2_train.jsonl", [ROW, test])
    found = converted(prm800k.SOURCE, tmp_path, seeds=40)
    assert_hidden(found, "SECRET", "WRONG", "flagged", "unrated")
    graded = {"first right": 2, "first wrong": 0, "second wrong": 0, "third so-so": 1}
    before = {"first": [], "second": ["first right"], "third": ["first right", "second by hand"]}
    for each in nouls(found) + scores(found):
        assert isinstance(each.state, dict)
        *earlier, last = each.state["steps"]
        assert earlier == before[last.split()[0]]
        if each in nouls(found):
            assert (each.target[0] > 0.5) == (graded[last] == 2) and graded[last] != 1
        else:
            assert each.target == soft.ordinal(3, graded[last])
    for each in choices(found):
        assert right(each) == "first right"
        assert set(options(each)) == {"first right", "first wrong"}
        assert each.state == {"problem": "How many primes are below 10?"}
    assert choices(found) and nouls(found) and scores(found)


def test_helpsteer_grades_two_qualities_with_distance_smoothing(tmp_path: Path) -> None:
    row = {"prompt": "Say hi.", "response": "Hi.", "helpfulness": 4, "correctness": 3,
           "coherence": 2, "complexity": 1, "verbosity": 0}  # fmt: skip
    write_jsonl(tmp_path / "helpsteer/train.jsonl", [row, {**row, "response": " "}])
    found = converted(helpsteer.SOURCE, tmp_path, seeds=20)
    assert len(found) == len(scores(found)) == 40
    assert {each.gold for each in found} == {0, 1, 2, 3, 4}
    for each in found:
        [name] = [
            name
            for name, (_, levels) in helpsteer.QUALITIES.items()
            if list(levels) == list(each.question.criteria or ())
        ]
        assert each.gold == row[name]
        assert each.target == pytest.approx(soft.ordinal(5, each.gold))
        assert "helpfulness" not in shown(each)
