"""System One and its relatives (batch, OpenRouter, the list of models), by worked bodies."""

from __future__ import annotations

from typing import Any

import pytest
from support.fake_engine import fake_response

from steelyard.errors import RequestError, TooManyOptionsError
from steelyard.server.wire import model_list, openrouter, system_one, system_one_batch
from steelyard.server.wire.system_one import Show
from steelyard.types.codec import encode_response

QUESTIONS = {
    "urgent": {"type": "noul", "instructions": "Urgent?", "criteria": {"true": {"if": "now"}}},
    "queue": {"type": "choice", "criteria": {"billing": "Charges", "sales": None}},
    "anger.level": {"type": "score", "criteria": ["calm", {"level": "angry"}]},
}
BODY = {"model": "jev-latest", "state": {"text": "twice"}, "questions": QUESTIONS}


def test_a_request_is_decoded_and_unknown_fields_are_ignored() -> None:
    call = system_one.decode({**BODY, "temperature": 1, "assets": None}, Show())
    [request] = call.requests
    assert call.model == request.model == "jev-latest"
    assert list(request.questions) == list(QUESTIONS)


def test_the_plain_reply_holds_what_system_one_holds_and_no_times() -> None:
    call = system_one.decode(BODY, Show())
    reply: Any = call.reply([fake_response(call.requests[0])])
    assert list(reply) == ["model", "answers", "usage"]
    assert list(reply["answers"]) == list(QUESTIONS)
    assert list(reply["answers"]["urgent"]) == ["type", "noul"]
    assert reply["answers"]["anger.level"]["legend"] == {"0": "calm", "1": {"level": "angry"}}


def test_extras_are_asked_for_or_declined_and_lie_under_x() -> None:
    for default, asked in ((Show(), {"x_extras": True}), (Show(extras=True), {})):
        call = system_one.decode({**BODY, **asked}, default)
        response = fake_response(call.requests[0])
        reply: Any = call.reply([response])
        assert reply == encode_response(response, extras=True)
        known = {"model", "answers", "usage"}
        assert all(name.startswith("x_") for name in set(reply) - known)
    call = system_one.decode({**BODY, "x_extras": False}, Show(extras=True))
    assert list(call.reply([fake_response(call.requests[0])])) == ["model", "answers", "usage"]


def test_digits_are_asked_for() -> None:
    response = fake_response(system_one.decode(BODY, Show()).requests[0])
    for two in (2, 2.0):  # one number to JSON
        call = system_one.decode({**BODY, "x_digits": two}, Show())
        assert call.reply([response]) == encode_response(response, digits=2)
    call = system_one.decode({**BODY, "x_digits": None}, Show(digits=2))
    assert call.reply([response]) == encode_response(response)


@pytest.mark.parametrize(
    ("field", "wish"),
    [("x_extras", 1), ("x_extras", None), ("x_digits", 18), ("x_digits", -1), ("x_digits", True),
     ("x_digits", 2.5), ("x_digits", "2")],
)  # fmt: skip
def test_a_wish_that_makes_no_sense_is_refused(field: str, wish: Any) -> None:
    with pytest.raises(RequestError) as refused:
        system_one.decode({**BODY, field: wish}, Show())
    assert refused.value.field == field


def test_256_options_are_refused_in_the_words_of_the_live_service() -> None:
    criteria: Any = {f"o{n}": None for n in range(256)}
    body: Any = {"state": "x", "questions": {"q": {"type": "choice", "criteria": criteria}}}
    with pytest.raises(TooManyOptionsError) as refused:
        system_one.decode(body, Show())
    assert refused.value.message == "Too many choices. Must have at most 255 choices."


def test_a_batch_asks_the_same_of_every_state() -> None:
    states = ["one", {"two": 2}, ["three"]]
    call = system_one_batch.decode({"states": states, "questions": QUESTIONS}, Show())
    assert [request.state for request in call.requests] == states
    responses = [fake_response(request) for request in call.requests]
    reply: Any = call.reply(responses)
    assert reply["results"] == [encode_response(response) for response in responses]
    assert reply["total_usage"] == {
        "input_tokens": sum(response.usage.input_tokens for response in responses),
        "output_tokens": 9,
    }


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (7, None),
        ({"questions": QUESTIONS}, "states"),
        ({"states": "x", "questions": QUESTIONS}, "states"),
        ({"states": [], "questions": QUESTIONS}, "states"),
        ({"states": ["x"] * 65, "questions": QUESTIONS}, "states"),
        ({"states": ["x", ""], "questions": QUESTIONS}, "states.1"),
        ({"states": ["x", {"a": float("inf")}], "questions": QUESTIONS}, "states.1.a"),
        ({"states": ["x"]}, "questions"),
        ({"states": ["x"], "questions": {"q": {"type": "noul"}}}, "questions.q.instructions"),
    ],
)
def test_a_bad_batch_names_the_place(body: Any, field: str | None) -> None:
    with pytest.raises(RequestError) as refused:
        system_one_batch.decode(body, Show())
    assert refused.value.field == field


def test_openrouter_speaks_system_ones_kinds() -> None:
    call = openrouter.decode({**BODY, "provider": None, "session_id": "s", "user": "u"})
    response = fake_response(call.requests[0])
    assert call.reply([response]) == encode_response(response)


def test_models_are_listed_in_system_ones_form() -> None:
    entry = model_list.ModelEntry("mini", "local", "2026-11-29")
    assert model_list.encode([entry]) == {
        "models": [{"name": "mini", "description": "local", "release_date": "2026-11-29"}]
    }
