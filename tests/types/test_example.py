import math

import pytest

from steelyard.errors import RequestError
from steelyard.types import (
    Choice,
    Example,
    Noul,
    Score,
    among,
    decode_example,
    encode_example,
    num_options,
)

ORIGIN = {"source": "made", "group": "1", "licence": "MIT"}
CHOICE = Choice("Which?", {"a": "first", "b": None, "c": "third"})


def test_what_is_encoded_is_decoded_again():
    for question, target in [
        (Noul("Is it?"), (0.25, 0.75)),
        (CHOICE, (0.1, 0.2, 0.7)),
        (Score(None, ["low", "high"]), (1, 0)),
    ]:
        example = Example({"k": [1, "\u00e9"]}, question, target, **ORIGIN, weight=2.5)
        assert decode_example(encode_example(example)) == example


def test_gold_is_the_first_of_the_likeliest_options():
    assert Example("s", CHOICE, (0.4, 0.2, 0.4), **ORIGIN).gold == 0
    assert Example("s", CHOICE, (0.1, 0.2, 0.7), **ORIGIN).gold == 2


def test_a_choice_among_all_options_keeps_each_options_probability():
    example = among(Example("s", CHOICE, (0.1, 0.2, 0.7), **ORIGIN), (2, 0, 1))
    assert dict(zip(example.question.criteria, example.target, strict=True)) == pytest.approx(
        {"c": 0.7, "a": 0.1, "b": 0.2}
    )
    assert example.question.criteria["c"] == "third"


def test_a_choice_among_fewer_options_is_conditional_on_them():
    example = among(Example("s", CHOICE, (0.1, 0.2, 0.7), **ORIGIN), (1, 0))
    assert list(example.question.criteria) == ["b", "a"]
    assert example.target == pytest.approx((2 / 3, 1 / 3))


def test_a_noul_has_two_options():
    assert [num_options(q) for q in (Noul("Is it?"), CHOICE, Score(None, ["x"]))] == [2, 3, 1]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"target": (0.5, 0.5)}, "target"),
        ({"target": (0.5, 0.5, 0.1)}, "target"),
        ({"target": (0.5, 0.6, -0.1)}, "target.2"),
        ({"target": (0.5, math.nan, 0.5)}, "target.1"),
        ({"target": "abc"}, "target"),
        ({"state": ""}, "state"),
        ({"source": ""}, "source"),
        ({"group": 3}, "group"),
        ({"weight": 0.0}, "weight"),
        ({"weight": math.inf}, "weight"),
        ({"weight": 10**400}, "weight"),
    ],
)
def test_an_impossible_example_names_its_field(change, field):
    fields = {"state": "s", "question": CHOICE, "target": (0.1, 0.2, 0.7), **ORIGIN}
    with pytest.raises(RequestError) as caught:
        Example(**{**fields, **change})
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("change", "field"),
    [({"licence": None}, "licence"), ({"labels": []}, "labels"), ({"question": 1}, "question")],
)
def test_a_body_that_is_no_example_names_its_field(change, field):
    body = encode_example(Example("s", CHOICE, (0.1, 0.2, 0.7), **ORIGIN))
    body = {key: value for key, value in {**body, **change}.items() if value is not None}
    with pytest.raises(RequestError) as caught:
        decode_example(body)
    assert caught.value.field == field
