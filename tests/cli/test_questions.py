"""Questions from flags and files, good and bad."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steelyard.cli.questions import parse_flags, read_questions
from steelyard.errors import InputFileError, RequestError, TooManyOptionsError
from steelyard.types.question import Choice, Noul, Score


@pytest.mark.parametrize(
    ("text", "name", "question"),
    [
        ("urgent=Is it urgent?", "urgent", Noul("Is it urgent?")),
        (" urgent = Is it urgent? ", "urgent", Noul("Is it urgent?")),
        ("Is it urgent?", "Is it urgent?", Noul("Is it urgent?")),
        ("Is 1+1=2?", "Is 1+1=2?", Noul("Is 1+1=2?")),
        ("x=y=z", "x", Noul("y=z")),
        (r"x\=y", "x=y", Noul("x=y")),
        ("Is it: a|b?", "Is it: a|b?", Noul("Is it: a|b?")),
        (r"C:\temp", r"C:\temp", Noul(r"C:\temp")),
        (r"a\\b", r"a\b", Noul(r"a\b")),
        ("größe.2-x=Groß?", "größe.2-x", Noul("Groß?")),
    ],
)
def test_noul_flags(text, name, question):
    assert parse_flags(nouls=[text]) == {name: question}


@pytest.mark.parametrize(
    ("text", "name", "instructions", "criteria"),
    [
        (
            "queue=Which team?:billing|technical|sales",
            "queue",
            "Which team?",
            {"billing": None, "technical": None, "sales": None},
        ),
        (
            "queue=Which?:billing=Charges: refunds, a=b|technical",
            "queue",
            "Which?",
            {"billing": "Charges: refunds, a=b", "technical": None},
        ),
        ("Which team?:a|b", "Which team?", "Which team?", {"a": None, "b": None}),
        ("Which team?:a=x|b=y", "Which team?", "Which team?", {"a": "x", "b": "y"}),
        ("queue=:a|b", "queue", None, {"a": None, "b": None}),
        (r"q=At 10\:30?:a\|b|c\=d|e\\", "q", "At 10:30?", {"a|b": None, "c=d": None, "e\\": None}),
        ("q=One?: only ", "q", "One?", {"only": None}),
        ("q=Ü?:雪|é=ü", "q", "Ü?", {"雪": None, "é": "ü"}),
    ],
)
def test_choice_flags(text, name, instructions, criteria):
    assert parse_flags(choices=[text]) == {name: Choice(instructions, criteria)}
    asked = parse_flags(choices=[text])[name]
    assert list(asked.criteria) == list(criteria)


@pytest.mark.parametrize(
    ("text", "name", "question"),
    [
        ("anger=How?:calm|annoyed|furious", "anger", Score("How?", ["calm", "annoyed", "furious"])),
        ("How?:a=1|b: 2", "How?", Score("How?", ["a=1", "b: 2"])),
        ("s=:x|x", "s", Score(None, ["x", "x"])),
    ],
)
def test_score_flags(text, name, question):
    assert parse_flags(scores=[text]) == {name: question}


@pytest.mark.parametrize(
    ("flag", "text", "message"),
    [
        ("nouls", "", "a noul needs"),
        ("nouls", "urgent=", "a noul needs"),
        ("nouls", "urgent= ", "a noul needs"),
        ("choices", "queue=Which team?", "no colon between question and options"),
        ("choices", "", "no colon"),
        ("choices", ":a|b", "neither an id nor a question"),
        ("choices", "q=Which?:", "option label"),
        ("choices", "q=Which?:a||b", "option label"),
        ("choices", "q=Which?:a|b|", "option label"),
        ("choices", "q=Which?:=text|b", "option label"),
        ("choices", "q=Which?:a=|b", "criteria.a: empty"),
        ("choices", "q=Which?:a|b|a", "the option 'a' is given twice"),
        ("scores", "anger=How?", "no colon"),
        ("scores", "anger=How?:low||high", "criteria.1: empty"),
        ("nouls", "x=\udcff", "lone surrogate"),
    ],
)
def test_a_bad_flag_is_named_with_the_expected_form(flag, text, message):
    with pytest.raises(RequestError) as caught:
        parse_flags(**{flag: [text]})
    name = f"--{flag[:-1]}"
    assert caught.value.field == name
    assert f"{name}: got {text!r}: " in str(caught.value)
    assert message in str(caught.value)
    assert 'expected "[id=]question' in str(caught.value)
    assert "such as" in str(caught.value)


def test_a_long_bad_flag_is_shown_in_part():
    with pytest.raises(RequestError) as caught:
        parse_flags(choices=["x" * 100_000])
    assert len(str(caught.value)) < 500


def test_too_many_levels_keep_their_error():
    with pytest.raises(TooManyOptionsError, match="--score: "):
        parse_flags(scores=["q=How?:" + "|".join("abcdefghijk")])


def test_an_id_given_twice_is_refused():
    with pytest.raises(RequestError, match="the id 'q' is given twice"):
        parse_flags(nouls=["q=a?"], choices=["q=b?:x|y"])


def test_questions_keep_their_order():
    asked = parse_flags(["b=1", "a=2"], ["d=:x", "c=:y"], ["z=:l"])
    assert list(asked) == ["b", "a", "d", "c", "z"]


# -- files ------------------------------------------------------------------------------------

QUESTIONS = {
    "queue": {"type": "choice", "instructions": "Which?", "criteria": {"yes": "Ja", "no": None}},
    "urgent": {"type": "noul", "criteria": {"true": "Now", "false": None}},
    "anger": {"type": "score", "instructions": {"de": "Wie?"}, "criteria": ["calm", "angry"]},
}
ASKED = {
    "queue": Choice("Which?", {"yes": "Ja", "no": None}),
    "urgent": Noul(None, {"true": "Now", "false": None}),
    "anger": Score({"de": "Wie?"}, ["calm", "angry"]),
}
YAML = """\
# comments are welcome
queue:
  type: choice
  instructions: Which?
  criteria:
    yes: Ja
    no:
urgent:
  type: noul
  criteria: {true: Now, false: ~}
anger:
  type: score
  instructions: {de: "Wie?"}
  criteria: [calm, angry]
"""


def write(tmp_path, name, text):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.json", json.dumps(QUESTIONS)),
        ("q.json", b"\xef\xbb\xbf" + json.dumps(QUESTIONS).encode()),
        ("q.yaml", YAML),
        ("q.YML", YAML.replace("\n", "\r\n")),
        ("q.yaml", json.dumps(QUESTIONS)),
    ],
)
def test_files_map_ids_to_questions(tmp_path, name, text):
    file = read_questions(write(tmp_path, name, text))
    assert file.questions == ASKED
    assert file.state is None
    assert list(file.questions["queue"].criteria) == ["yes", "no"]


def test_a_file_may_be_a_whole_request(tmp_path):
    text = json.dumps({"model": "any", "state": {"a": "x"}, "questions": QUESTIONS})
    file = read_questions(write(tmp_path, "q.json", text))
    assert file.questions == ASKED
    assert file.state == {"a": "x"}


def test_a_question_may_be_called_questions(tmp_path):
    text = json.dumps({"questions": {"type": "noul", "instructions": "?"}})
    assert read_questions(write(tmp_path, "q.json", text)).questions == {"questions": Noul("?")}


def test_a_file_may_have_more_options_than_the_wire(tmp_path):
    text = json.dumps({"q": {"type": "choice", "criteria": {str(n): None for n in range(300)}}})
    assert len(read_questions(write(tmp_path, "q.json", text)).questions["q"].criteria) == 300


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("q.json", "", "empty text"),
        ("q.json", "{", "not JSON"),
        ("q.json", '{"q": 1, "q": 2}', "'q' is given twice"),
        ("q.json", "[]", "questions: got an array"),
        ("q.json", "{}", "questions: no questions"),
        ("q.json", '{"q": {"type": "bool"}}', "questions.q.type: got 'bool'"),
        ("q.json", '{"questions": []}', "questions: got an array"),
        ("q.json", '{"state": "", "questions": {}}', "state: empty"),
        ("q.json", b"\xff", "not UTF-8"),
        ("q.yaml", "", "questions: got null"),
        ("q.yaml", b"\xff", "byte 0xff at offset 0 is not UTF-8"),
        ("q.yaml", "a: [", "not YAML: expected the node content"),
        ("q.yaml", "a: 1\na: 2\n", "line 2: the key 'a' is given twice"),
        ("q.yaml", "? [a]\n: 1\n", "line 1: a key that is no text"),
        ("q.yaml", "a: b\n---\nc: d\n", "but found another document at line 2"),
        ("q.yaml", "q: !!python/object:os.system {}", "could not determine a constructor"),
        ("q.yaml", "q: &x [*x]", "questions.q: got an array"),
        ("q.yaml", "q: {type: score, criteria: &x [*x]}", "nested deeper than"),
        ("q.yaml", "q: {type: noul, instructions: 2026-01-01, x: 1}", "unknown field 'x'"),
        ("q.yaml", "q: {type: score, criteria: [1, 2]}", "criteria.0: got the number 1"),
        ("q.yaml", "a: \x00", "not YAML"),
        ("q.yaml", "[" * 500 + "]" * 500, "nested too deeply"),
        ("q.yaml", "a: " + "9" * 5000, "too many digits"),
    ],
)
def test_a_bad_file_is_named_with_what_is_wrong(tmp_path, name, text, message):
    path = write(tmp_path, name, text)
    with pytest.raises(InputFileError) as caught:
        read_questions(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputFileError, match=r"gone\.yaml: No such file or directory"):
        read_questions(tmp_path / "gone.yaml")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"), ("on", "on"), ("2026-01-01", "2026-01-01"), ("12:30", "12:30"),
        ("007", "007"), ("0x1F", "0x1F"), (".nan", ".nan"), (".5", ".5"), ("1_000", "1_000"),
        ("'1'", "1"), ("<<", "<<"),
    ],
)  # fmt: skip
def test_yaml_text_stays_text(tmp_path, text, value):
    path = write(tmp_path, "q.yaml", f"q: {{type: score, criteria: [{text}]}}")
    assert read_questions(path).questions == {"q": Score(None, [value])}


@pytest.mark.parametrize(
    "value",
    ["!!timestamp foo", "!!bool maybe", "!!int ''", "!!int abc", "!!map foo", "!!map [a, b]"],
)
def test_yaml_tags_that_do_not_fit_their_value_are_refused(tmp_path: Path, value: str) -> None:
    path = tmp_path / "questions.yaml"
    path.write_text(f"q: {value}\n")
    with pytest.raises(InputFileError, match=r"not YAML|tagged as a mapping"):
        read_questions(path)
