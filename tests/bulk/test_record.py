"""What a record stands for: a System One request, a SemIf row, or a state with given questions."""

from __future__ import annotations

import pytest

from steelyard.bulk.record import Recipe, read_row
from steelyard.bulk.template import parse_template
from steelyard.errors import RequestError
from steelyard.types.question import Choice, Noul
from steelyard.types.request import Request

ASKED = {"urgent": Noul("Urgent?")}
OPTIONS = [{"id": "s", "description": "Supported"}, {"id": "c", "description": "Contradicted"}]
SEMIF = {"id": "r1", "state": {"a": 1}, "question": "What holds?", "options": OPTIONS}


def read(record, recipe=None):
    return read_row(record, recipe or Recipe(), line=1, end=1)


def error_of(record, recipe=None) -> RequestError:
    row = read(record, recipe)
    assert isinstance(row.asked, RequestError), row
    return row.asked


def test_a_system_one_request():
    body = {"id": 7, "state": "x", "questions": {"q": {"type": "noul", "instructions": "?"}}}
    row = read(body)
    assert row.id == 7
    assert row.asked == Request("x", {"q": Noul("?")})
    assert row.names == {}


def test_more_options_than_the_wire_allows_are_left_to_the_engine():
    criteria = {f"o{index}": None for index in range(300)}
    row = read({"state": "x", "questions": {"q": {"type": "choice", "criteria": criteria}}})
    assert isinstance(row.asked, Request)


def test_a_semif_row_shows_descriptions_and_hides_ids():
    row = read({**SEMIF, "gold": "s", "anything": 1})
    assert row.asked == Request(
        {"a": 1}, {"question": Choice("What holds?", ["Supported", "Contradicted"])}
    )
    assert row.names == {"Supported": "s", "Contradicted": "c"}


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"options": OPTIONS[:1]}, "options", "got 1 options; allowed: an array of 2 to 16"),
        ({"options": OPTIONS * 9}, "options", "got 18 options"),
        ({"options": {}}, "options", "got an object"),
        ({"options": [OPTIONS[0], "x"]}, "options.1", "got 'x'; allowed: an object"),
        ({"options": [OPTIONS[0], OPTIONS[0]]}, "options.1.id", "'s' is given twice"),
        (
            {"options": [OPTIONS[0], {"id": "t", "description": "Supported"}]},
            "options.1.description",
            "'Supported' is given twice",
        ),
        ({"options": [OPTIONS[0], {"id": "t"}]}, "options.1.description", "missing"),
        ({"options": [OPTIONS[0], {"id": "", "description": "x"}]}, "options.1.id", "got ''"),
        ({"options": [OPTIONS[0], {"id": 1, "description": "x"}]}, "options.1.id", "number 1"),
        ({"question": None}, "question", "got null; allowed: a string"),
        ({"question": " "}, "question", "blank"),
        ({"state": ""}, "state", "empty"),
        ({"state": {"x": float("nan")}}, "state.x", "nan"),
    ],
)
def test_a_bad_semif_row_names_the_field(change, field, message):
    error = error_of({**SEMIF, **change})
    assert error.field == field
    assert message in str(error)


@pytest.mark.parametrize("key", ["state", "question"])
def test_a_semif_row_needs_state_and_question(key):
    assert error_of({name: value for name, value in SEMIF.items() if name != key}).field == key


def test_given_questions_take_the_state_of_a_column():
    row = read({"id": "a", "text": "hello"}, Recipe(questions=ASKED, state="text"))
    assert row.asked == Request("hello", ASKED)


def test_given_questions_take_the_state_of_a_template():
    recipe = Recipe(questions=ASKED, state=parse_template("{a}-{b}"), id="key")
    row = read({"key": "k", "a": "x", "b": 2}, recipe)
    assert row.asked == Request("x-2", ASKED)
    assert row.id == "k"


def test_a_missing_state_names_what_there_is():
    error = error_of({"id": 1, "text": "x"}, Recipe(questions=ASKED))
    assert error.field == "state"
    assert "there are 'id', 'text'" in str(error)


def test_questions_given_and_in_the_row_are_refused():
    record = {"state": "x", "questions": {"q": {"type": "noul", "instructions": "?"}}}
    assert error_of(record, Recipe(questions=ASKED)).field == "questions"


@pytest.mark.parametrize("bad", [1.5, True, [1], {"a": 1}, "\ud800"])
def test_an_id_is_a_string_or_an_integer(bad):
    row = read({**SEMIF, "id": bad})
    assert isinstance(row.asked, RequestError)
    assert row.asked.field == "id"
    assert row.id is None


def test_a_bad_row_keeps_its_id():
    row = read({"id": "r9", "state": "x", "questions": {"q": {"type": "bool"}}})
    assert row.id == "r9"
    assert isinstance(row.asked, RequestError)
    assert row.asked.field == "questions.q.type"
