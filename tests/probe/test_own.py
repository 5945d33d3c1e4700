"""The user's questions: read as `steelyard score` reads them, with other wordings beside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steelyard.errors import InputFileError
from steelyard.probe.experiment import Setting
from steelyard.probe.experiments import paraphrase
from steelyard.probe.own import questions_of, read_own
from steelyard.probe.trial import ASKED

QUEUE = {"type": "choice", "instructions": "Which?", "criteria": {"a": None, "b": "B"}}
URGENT = {"type": "noul", "instructions": "Is it urgent?"}


def written(tmp_path: Path, *records: object) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, records)) + "\n")
    return path


def test_every_question_of_every_row_is_asked_alone(tmp_path):
    semif = {"state": "s2", "question": "Why?", "options": [
        {"id": "1", "description": "x"}, {"id": "2", "description": "y"},
    ]}  # fmt: skip
    rows = [{"state": "s1", "questions": {"queue": QUEUE, "urgent": URGENT}}, semif]
    own = read_own(written(tmp_path, *rows))
    assert [one.name for one in own] == ["line 1, queue", "line 1, urgent", "line 2, question"]
    assert [one.state_name for one in own] == ["line 1", "line 1", "line 2"]
    assert all(list(one.request.questions) == [ASKED] for one in own)
    assert own[2].request.questions[ASKED].criteria == {"x": None, "y": None}


def test_other_wordings_are_asked_too(tmp_path):
    row = {"state": "s", "questions": {"u": URGENT}, "paraphrases": {"u": ["Is it pressing?"]}}
    trials = paraphrase.plan(Setting(own=read_own(written(tmp_path, row))))
    texts = {trial.condition: trial.request.questions[ASKED].instructions for trial in trials}
    assert texts["own wording 1"] == "Is it pressing?"
    assert texts["as it is"] == texts["again"] == "Is it urgent?"
    assert len(texts) == 6


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"state": "", "questions": {"u": URGENT}}, "line 1.state"),
        ([1], "line 1: got an array"),
        ({"state": "s", "questions": {"u": URGENT}, "paraphrases": {"v": []}}, "no such question"),
        ({"state": "s", "questions": {"u": URGENT}, "paraphrases": {"u": "x"}}, "array of strings"),
        ({"state": "s", "questions": {"u": URGENT}, "paraphrases": ["x"]}, "id -> texts"),
    ],
)
def test_a_bad_row_is_named(row, words, tmp_path):
    with pytest.raises(InputFileError, match=r"rows\.jsonl") as caught:
        read_own(written(tmp_path, row))
    assert words in str(caught.value)


def test_an_empty_file_and_none_are_errors(tmp_path):
    path = tmp_path / "rows.jsonl"
    with pytest.raises(InputFileError):
        read_own(path)
    path.write_text("\n")
    with pytest.raises(InputFileError, match="no rows"):
        read_own(path)


def test_a_quick_run_takes_a_sample_that_the_seed_decides(tmp_path):
    rows = [{"state": f"s{n}", "questions": {"u": URGENT}} for n in range(30)]
    own = read_own(written(tmp_path, *rows))
    taken = questions_of(Setting(quick=True, own=own))
    assert len(taken) == 8 and taken == questions_of(Setting(quick=True, own=own))
    assert taken != questions_of(Setting(quick=True, own=own, seed=1))
    assert questions_of(Setting(own=own)) == own
