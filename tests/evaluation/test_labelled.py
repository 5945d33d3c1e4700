"""Labelled tables: cells become targets, and what is no answer is said with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from steelyard.bulk.template import parse_template
from steelyard.errors import InputFileError
from steelyard.evaluation.labelled import Labels, labelled
from steelyard.evaluation.run import example_id
from steelyard.types import Choice, Noul, Score
from steelyard.types.codec import dumps
from steelyard.types.example import encode_example

QUESTIONS = {
    "urgent": Noul("Urgent?"),
    "queue": Choice("Which team?", ["billing", "sales"]),
    "anger": Score("How angry?", ["calm", "annoyed", "furious"]),
}
CSV = """subject,state,urgent,queue,anger,who
Hi,one,yes,sales,annoyed,a
Ho,two,0,billing,2,b
,three,,,,a
"""


def table(folder: Path, text: str = CSV) -> Path:
    path = folder / "tickets.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_answered_cell_is_an_example(tmp_path: Path) -> None:
    made = labelled(table(tmp_path), Labels(questions=QUESTIONS, group="who"))
    assert [one.target for one in made] == [
        (1.0, 0.0), (0.0, 1.0), (0.0, 1.0, 0.0),
        (0.0, 1.0), (1.0, 0.0), (0.0, 0.0, 1.0),
    ]  # fmt: skip
    assert [one.state for one in made] == ["one"] * 3 + ["two"] * 3
    assert [one.group for one in made] == ["a"] * 3 + ["b"] * 3
    assert {one.question for one in made[:1]} == {QUESTIONS["urgent"]}


def test_a_state_of_several_columns_and_labels_elsewhere(tmp_path: Path) -> None:
    labels = Labels(
        questions={"mood": QUESTIONS["anger"]},
        state=parse_template("{subject}: {state}"),
        columns={"mood": "anger"},
    )
    made = labelled(table(tmp_path), labels)
    assert [one.state for one in made] == ["Hi: one", "Ho: two"]
    assert len({one.group for one in made}) == 2


def test_lines_of_json_are_read_as_a_table_or_as_examples(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"state": "x", "urgent": false}\n', encoding="utf-8")
    [one] = labelled(path, Labels(questions={"urgent": QUESTIONS["urgent"]}))
    assert one.target == (0.0, 1.0)
    path.write_text(dumps(encode_example(one)) + "\n", encoding="utf-8")
    assert labelled(path) == [one]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("yes", "perhaps", "line 2: urgent: got 'perhaps'; allowed: yes or no"),
        ("sales", "cooks", "line 2: queue: got 'cooks'; allowed: billing, sales"),
        ("annoyed", "3", "line 2: anger: got '3'; allowed: a level, or 0 to 2"),
        ("annoyed", "-1", "line 2: anger: got '-1'; allowed: a level"),
        (",queue", ",team", "no field 'queue'; found: subject, state, urgent, team"),
    ],
)
def test_what_is_no_answer_is_said_with_its_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    with pytest.raises(InputFileError, match=message):
        labelled(table(tmp_path, CSV.replace(old, new)), Labels(questions=QUESTIONS))


def test_a_table_without_answers_and_a_label_without_question_are_refused(tmp_path: Path) -> None:
    empty = table(tmp_path, "state,urgent\nx,\n")
    questions = {"urgent": QUESTIONS["urgent"]}
    with pytest.raises(InputFileError, match="no answers"):
        labelled(empty, Labels(questions=questions))
    with pytest.raises(InputFileError, match=r"labels\.mood: no question; allowed: urgent"):
        labelled(empty, Labels(questions=questions, columns={"mood": "x"}))


def test_a_row_keeps_its_group_under_another_path_and_among_other_lines(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    head, rows = CSV.split("\n", 1)
    labels = Labels(questions=QUESTIONS)
    ids = [example_id(one) for one in labelled(table(tmp_path), labels)]
    moved = table(tmp_path / "elsewhere", f"{head}\nNew,zero,no,sales,calm,c\n{rows}")
    assert [example_id(one) for one in labelled(moved, labels)][3:] == ids
    assert len({one.group for one in labelled(moved, labels)}) == 3
