"""Labelled questions are read as published, and a sample is fixed by its seed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.suites import Case, Item, jevbench, sample, sys1bench
from steelyard.types.question import Choice, Noul


def write_rows(path: Path, rows: list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def test_sys1bench_gives_choices_and_nouls_with_their_truth(tmp_path: Path) -> None:
    questions = {
        "queue": {
            "type": "choice",
            "instructions": "Which queue?",
            "criteria": [{"key": "a", "description": "First"}, {"key": "b", "description": "Last"}],
            "ground_truth": "b",
        },
        "angry": {
            "type": "noul",
            "instructions": "Angry?",
            "criteria": None,
            "ground_truth": False,
        },
        "priority": {"type": "score", "instructions": "How urgent?", "ground_truth": 1},
    }
    row = {"task_id": "t1", "domain": "tickets", "state": {"text": "Hi"}, "questions": questions}
    write_rows(tmp_path / "sys1bench" / "canary.jsonl.gz", [row])
    (case,) = sys1bench(tmp_path)
    assert case == Case(
        "sys1bench",
        "t1",
        "tickets",
        {"text": "Hi"},
        (
            Item("queue", "choice", Choice("Which queue?", {"a": "First", "b": "Last"}), "b", "b"),
            Item("angry", "noul", Noul("Angry?"), "no", "no"),
        ),
    )


def test_jevbench_leaves_out_unknown_answers_and_unlabelled_states(tmp_path: Path) -> None:
    questions = {
        "late": {"type": "noul", "instructions": "Late?"},
        "team": {"type": "choice", "instructions": "Team?", "criteria": {"x": "X", "y": "Y"}},
        "plan": {"type": "choice", "instructions": "Plan?", "criteria": {"p": "P", "q": "Q"}},
    }
    cases = [
        {"id": name, "domain": "support", "state": name, "questions": questions}
        for name in ("s1", "s2", "closed")
    ]
    gold = [
        {"id": "s1", "gold": {"late": True, "team": "y", "plan": "unknown"}},
        {"id": "s2", "gold": {"late": "unknown", "team": "y", "plan": "p"}},
    ]
    write_rows(tmp_path / "jevbench240" / "cases.jsonl.gz", cases)
    write_rows(tmp_path / "jevbench240" / "gold_6domains.jsonl", gold)
    found = jevbench(tmp_path)
    assert [(case.group, [(item.id, item.truth) for item in case.items]) for case in found] == [
        ("s1", [("late", "yes"), ("team", "y")]),
        ("s2", [("team", "y"), ("plan", "p")]),
    ]


def test_usual_is_the_most_frequent_truth_of_a_question(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {
            "task_id": str(number),
            "domain": "mail",
            "state": "text",
            "questions": {
                "spam": {"type": "noul", "instructions": "Spam?", "ground_truth": number > 1}
            },
        }
        for number in range(4)
    ] + [
        {
            "task_id": "5",
            "domain": "mail",
            "state": "text",
            "questions": {"spam": {"type": "noul", "instructions": "Spam?", "ground_truth": True}},
        }
    ]
    write_rows(tmp_path / "sys1bench" / "canary.jsonl.gz", rows)
    assert {case.items[0].usual for case in sys1bench(tmp_path)} == {"yes"}


def pool(num_states: int) -> list[Case]:
    return [
        Case(
            "suite",
            f"s{state}",
            "domain",
            "text",
            (
                Item("n1", "noul", Noul("One?"), "yes"),
                Item("n2", "noul", Noul("Two?"), "no"),
                Item("c", "choice", Choice("Which?", ["a", "b"]), "a"),
            ),
        )
        for state in range(num_states)
    ]


def test_a_sample_is_half_nouls_half_choices_with_states_kept_together() -> None:
    drawn = sample(pool(40), 30, seed=3)
    kinds = [item.kind for case in drawn for item in case.items]
    assert (kinds.count("noul"), kinds.count("choice")) == (15, 15)
    groups = [case.group for case in drawn]
    assert len(set(groups)) == len(groups)


def test_a_sample_is_fixed_by_its_seed() -> None:
    assert sample(pool(40), 30, seed=3) == sample(pool(40), 30, seed=3)
    assert sample(pool(40), 30, seed=3) != sample(pool(40), 30, seed=4)


def test_a_sample_larger_than_the_suite_is_refused() -> None:
    with pytest.raises(ValueError, match="20 questions of kind 'choice' wanted, 10 there"):
        sample(pool(10), 40, seed=1)
