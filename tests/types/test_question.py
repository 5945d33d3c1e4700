"""Questions and requests as values: what they accept, and that nothing changes them later."""

import dataclasses
import enum
import pickle
from types import MappingProxyType

import pytest

from steelyard.errors import RequestError
from steelyard.types import Choice, ChoiceAnswer, Noul, NoulAnswer, Request, Score, dumps, kind_of
from steelyard.types.answer import Basis
from steelyard.types.codec import encode_request


class Loud(str):
    def __format__(self, spec):
        return self.upper()


class Level(enum.IntEnum):
    HIGH = 3


class Celsius(float):
    def __repr__(self):
        return "hot"


def test_kinds_have_their_wire_names():
    assert [kind_of(q) for q in (Noul("?"), Choice(None, ["a"]), Score(None, ["a"]))] == [
        "noul",
        "choice",
        "score",
    ]


def test_a_list_of_labels_means_no_descriptions():
    assert Choice("Which?", ["a", "b"]) == Choice("Which?", {"a": None, "b": None})


def test_levels_are_a_tuple_whatever_listed_them():
    assert Score(None, ["low", "high"]).criteria == ("low", "high")
    assert Score(None, ["low", "high"]) == Score(None, ("low", "high"))


def test_a_repeated_label_in_a_list_is_refused():
    with pytest.raises(RequestError, match="'a' is given twice") as caught:
        Choice("Which?", ["a", "b", "a"])
    assert caught.value.field == "criteria"


@pytest.mark.parametrize("criteria", ["ab", b"ab", 3, None, {"a", "b"}, [], {}, [1], [None], [""]])
def test_what_lists_no_labels_is_refused(criteria):
    with pytest.raises(RequestError) as caught:
        Choice("Which?", criteria)
    assert caught.value.field == "criteria"


@pytest.mark.parametrize("criteria", ["ab", b"ab", {"0": "a"}, {"a"}, None, 3, [], ["a", None]])
def test_what_lists_no_levels_is_refused(criteria):
    with pytest.raises(RequestError):
        Score("How?", criteria)


def test_boolean_keys_of_a_noul_are_refused_with_a_hint_for_yaml():
    with pytest.raises(RequestError, match="quote them in YAML"):
        Noul("?", {True: "yes", False: "no"})


def test_later_changes_to_the_callers_objects_do_not_reach_a_request():
    state = {"rows": [{"price": 1}]}
    outcome = ["yes"]
    options = {"a": {"owns": ["x"]}}
    levels = [["low"], "high"]
    questions = {
        "n": Noul(["?"], {"true": outcome}),
        "c": Choice(None, options),
        "s": Score(None, levels),
    }
    request = Request(state, questions)
    before = dumps(encode_request(request))

    state["rows"][0]["price"] = 2
    outcome.append("or so")
    options["b"] = None
    options["a"]["owns"].clear()
    levels[0].append("very")
    levels.pop()
    questions.clear()

    assert dumps(encode_request(request)) == before


def test_values_are_frozen():
    for question in (Noul("?"), Choice(None, ["a"]), Score(None, ["a"])):
        with pytest.raises(dataclasses.FrozenInstanceError):
            question.instructions = "other"
    with pytest.raises(dataclasses.FrozenInstanceError):
        Request("x", {"q": Noul("?")}).state = "other"


def test_values_can_be_replaced_and_pickled():
    question = Choice("Which?", {"a": "A", "b": None})
    assert dataclasses.replace(question, instructions=None) == Choice(None, {"a": "A", "b": None})
    request = Request("x", {"c": question, "s": Score(None, ["low", "high"])})
    assert pickle.loads(pickle.dumps(request)) == request


def test_subclasses_of_json_values_become_plain():
    state = {
        "team": Loud("billing"),
        "level": Level.HIGH,
        "heat": Celsius(40.5),
        "flag": True,
        "more": MappingProxyType({"a": ("x", 1)}),
    }
    request = Request(state, {"q": Choice(Loud("billing"), [Loud("billing")])})
    assert [type(value) for value in request.state.values()] == [str, int, float, bool, dict]
    assert dumps(request.state) == (
        '{"team":"billing","level":3,"heat":40.5,"flag":true,"more":{"a":["x",1]}}'
    )
    assert f"{request.questions['q'].instructions}" == "billing"


@pytest.mark.parametrize("value", [{1: "a"}, {"a": {True: 1}}, ["a", b"b"], [{1, 2}], [object()]])
def test_what_json_cannot_express_is_refused(value):
    with pytest.raises(RequestError) as caught:
        Request(value, {"q": Noul("?")})
    assert caught.value.field.startswith("state")


def test_a_string_is_no_question_and_a_question_no_mapping():
    with pytest.raises(RequestError) as caught:
        Request("x", {"q": "Refund?"})
    assert caught.value.field == "questions.q"
    with pytest.raises(RequestError) as caught:
        Request("x", Noul("?"))
    assert caught.value.field == "questions"


def test_answers_assert_what_readers_rely_on():
    basis = Basis(readout="letters", exit_layer=1, calibration=None, margin=0.0, passes=1)
    with pytest.raises(AssertionError, match="outside"):
        NoulAnswer(noul=float("nan"), basis=basis)
    with pytest.raises(AssertionError, match="most probable"):
        ChoiceAnswer(choice="a", confidence=0.5, probabilities={"a": 0.4, "b": 0.6}, basis=basis)
