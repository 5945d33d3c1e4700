"""Answers survive a killed run, and a run that is started again asks only what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from benchmarks.ability import Cell, answer
from benchmarks.answers import MixedAnswersError, append_line, flat, line_of, read_lines
from benchmarks.suites import Case, Item
from steelyard.types.answer import (
    Audit,
    Basis,
    ChoiceAnswer,
    NoulAnswer,
    Response,
    Timings,
    Usage,
)
from steelyard.types.question import Choice, Noul, Question

CELL = Cell(model="m", dtype="float32", readout="letters", layout="isolated-v1", rotations=1)
BASIS = Basis(readout="letters", exit_layer=1, calibration=None, margin=0.5, passes=1)
CASES = [
    Case(
        "suite",
        group,
        "domain",
        f"state {group}",
        (
            Item("late", "noul", Noul("Late?"), "yes", "no"),
            Item("team", "choice", Choice("Team?", ["a", "b"]), "b", "a"),
        ),
    )
    for group in ("g1", "g2", "g3")
]


class OneAnswer:
    """An engine that says 0.75 to everything, and keeps the states it was asked about."""

    def __init__(self, weights: str = "w" * 64) -> None:
        self.weights = weights
        self.states: list[object] = []

    def decide(self, state: object, questions: Mapping[str, Question], **_: object) -> Response:
        self.states.append(state)
        return Response(
            model="m",
            answers={
                name: NoulAnswer(noul=0.75, basis=BASIS)
                if isinstance(question, Noul)
                else ChoiceAnswer(
                    choice="a", confidence=0.5, probabilities={"a": 0.75, "b": 0.25}, basis=BASIS
                )
                for name, question in questions.items()
            },
            usage=Usage(input_tokens=9, output_tokens=9),
            timings=Timings(prepare_ms=1, forward_ms=1, total_ms=2),
            audit=Audit(
                steelyard="0",
                model="m",
                weights=self.weights,
                tokenizer="t" * 64,
                layout="l" * 64,
                layout_name="isolated-v1",
                calibrator=None,
                runtime="torch",
                dtype="float32",
                computed_tokens=9,
                reused_tokens=0,
                exit_layers=(1,),
            ),
        )


def test_lines_come_back_as_they_were_written(tmp_path: Path) -> None:
    lines = list(answer(OneAnswer(), CELL, CASES, tmp_path / "kept.jsonl", "c" * 40))
    assert read_lines(tmp_path / "kept.jsonl") == lines
    assert [(a.group, a.id, a.prediction, a.correct) for a in flat(lines)][:2] == [
        ("g1", "late", "yes", True),
        ("g1", "team", "a", False),
    ]


def test_a_second_run_asks_only_what_is_missing(tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    first = list(answer(OneAnswer(), CELL, CASES[:2], kept, "c" * 40))
    engine = OneAnswer()
    second = list(answer(engine, CELL, CASES, kept, "d" * 40))
    assert engine.states == ["state g3"]
    assert second[:2] == first
    assert [line.commit for line in second] == ["c" * 12, "c" * 12, "d" * 12]


def test_a_torn_last_line_is_dropped_and_asked_again(tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    list(answer(OneAnswer(), CELL, CASES, kept, "c" * 40))
    kept.write_text(kept.read_text(encoding="utf-8")[:-30], encoding="utf-8")
    engine = OneAnswer()
    assert len(list(answer(engine, CELL, CASES, kept, "c" * 40))) == 3
    assert engine.states == ["state g3"]
    assert len(read_lines(kept)) == 3


def test_answers_of_other_weights_are_refused(tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    for case, engine in zip(CASES, (OneAnswer(), OneAnswer("v" * 64)), strict=False):
        asked = {item.id: item.question for item in case.items}
        append_line(kept, line_of(case, engine.decide(case.state, asked), "c" * 40, 0.1))
    with pytest.raises(MixedAnswersError, match="2 different weights or layouts"):
        read_lines(kept)


def test_answers_to_another_sample_are_refused(tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    list(answer(OneAnswer(), CELL, CASES[:1], kept, "c" * 40))
    fewer = Case("suite", "g1", "domain", "state g1", CASES[0].items[:1])
    with pytest.raises(MixedAnswersError, match="another sample"):
        list(answer(OneAnswer(), CELL, [fewer], kept, "c" * 40))
