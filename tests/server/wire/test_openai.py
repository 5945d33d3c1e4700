"""OpenAI Decisions, by worked bodies."""

from __future__ import annotations

from typing import Any

import pytest
from support.fake_engine import fake_response

from steelyard.errors import RequestError
from steelyard.server.wire.openai import decode
from steelyard.types.question import Choice, Noul, Score

PREDICATE = {"type": "predicate", "name": "urgent", "instructions": "Is it urgent?"}
CHOICE = {
    "type": "choice",
    "instructions": [{"type": "input_text", "text": "Which?"}],
    "choices": [{"value": "true", "description": "the word"}, {"value": True}, {"value": False}],
}
SCORE = {
    "type": "score",
    "instructions": "How angry?",
    "levels": [{"label": "calm"}, {"label": "angry", "description": "swears"}],
}


def body(*questions: Any, input: Any = "a text") -> Any:
    return {"model": "gpt-6-luna", "input": input, "questions": list(questions)}


def test_each_kind_becomes_ours() -> None:
    call = decode(body(PREDICATE, CHOICE, SCORE) | {"safety_identifier": "someone"})
    [request] = call.requests
    assert call.model == "gpt-6-luna" and request.state == "a text"
    assert request.questions == {
        "0": Noul("Is it urgent?"),
        "1": Choice("Which?", {"true": "the word", "true (boolean)": None, "false": None}),
        "2": Score("How angry?", ["calm", "angry: swears"]),
    }


def test_the_reply_lists_answers_in_order_with_the_values_that_were_sent() -> None:
    call = decode(body(PREDICATE, CHOICE, SCORE))
    response = fake_response(call.requests[0])
    reply: Any = call.reply([response])
    noul, choice, score = response.answers.values()
    assert [answer["type"] for answer in reply["answers"]] == ["predicate", "choice", "score"]
    assert reply["answers"][0] == {
        "type": "predicate", "name": "urgent", "probability": noul.noul,
    }  # fmt: skip
    values = [entry["value"] for entry in reply["answers"][1]["probabilities"]]
    assert values == ["true", True, False]
    best = max(reply["answers"][1]["probabilities"], key=lambda entry: entry["probability"])
    assert reply["answers"][1]["choice"] is best["value"]
    assert reply["answers"][1]["confidence"] == choice.confidence
    assert reply["answers"][2]["score"] == score.score
    assert [(e["value"], e["label"]) for e in reply["answers"][2]["probabilities"]] == [
        (0, "calm"), (1, "angry"),
    ]  # fmt: skip
    usage = reply["usage"]
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]
    assert usage["input_tokens_details"] == {"cached_tokens": 0, "cache_write_tokens": 0}
    assert usage["output_tokens_details"] == {"reasoning_tokens": 0}


def test_messages_and_calls_become_a_list_of_what_was_said() -> None:
    items = [
        {"role": "system", "content": "Be strict."},
        {"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "Look:"},
            {"type": "input_json", "data": {"seats": 60}},
        ]},
        {"type": "function_call", "call_id": "c1", "name": "look_up", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "nothing"},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
    ]  # fmt: skip
    [request] = decode(body(PREDICATE, input=items)).requests
    assert request.state == [
        {"role": "system", "content": "Be strict."},
        {"role": "user", "content": ["Look:", {"seats": 60}]},
        {"type": "function_call", "call_id": "c1", "name": "look_up", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "nothing"},
        {"role": "assistant", "content": "No."},
    ]


OUTPUT = {"type": "function_call_output", "call_id": "c", "output": "x"}


def many(count: int) -> list[Any]:
    return [{"value": f"v{n}"} for n in range(count)]


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ([], None),
        ({}, "input"),
        ({"input": "x"}, "questions"),
        (body(), "questions"),
        (body(*[PREDICATE] * 401), "questions"),
        (body(PREDICATE, input=" "), "input"),
        (body(PREDICATE, input=[]), "input"),
        (body(PREDICATE, input=7), "input"),
        (body(PREDICATE) | {"model": 3}, "model"),
        (body("x"), "questions.0"),
        (body({"instructions": "x"}), "questions.0.type"),
        (body({"type": "noul", "instructions": "x"}), "questions.0.type"),
        (body({"type": ["predicate"], "instructions": "x"}), "questions.0.type"),
        (body({"type": "predicate"}), "questions.0.instructions"),
        (body(PREDICATE | {"name": 3}), "questions.0.name"),
        (body(PREDICATE | {"criteria": 3}), "questions.0"),
        (body(PREDICATE | {"instructions": []}), "questions.0.instructions"),
        (body(CHOICE | {"choices": many(1)}), "questions.0.choices"),
        (body(CHOICE | {"choices": many(256)}), "questions.0.choices"),
        (body(CHOICE | {"choices": [*many(1), "x"]}), "questions.0.choices.1"),
        (body(CHOICE | {"choices": [*many(2), *many(1)]}), "questions.0.choices.2.value"),
        (body(CHOICE | {"choices": [*many(1), {"value": 3}]}), "questions.0.choices.1.value"),
        (body(CHOICE | {"choices": [*many(1), {"value": ["x"]}]}), "questions.0.choices.1.value"),
        (body(CHOICE | {"choices": [*many(1), {"value": " "}]}), "questions.0.choices.1.value"),
        (body(SCORE | {"levels": [{"label": "x"}]}), "questions.0.levels"),
        (body(SCORE | {"levels": [{"label": "x"}, {"label": ""}]}), "questions.0.levels.1.label"),
        (body(PREDICATE, input=["x"]), "input.0"),
        (body(PREDICATE, input=[{"role": "tool", "content": "x"}]), "input.0.role"),
        (body(PREDICATE, input=[{"role": "user"}]), "input.0.content"),
        (body(PREDICATE, input=[{"type": "computer_call"}]), "input.0.type"),
        (body(PREDICATE, input=[OUTPUT]), "input.0.call_id"),
        (
            body(PREDICATE | {"instructions": [{"type": "input_image", "image_url": "data:"}]}),
            "questions.0.instructions.0.type",
        ),
        (
            body(PREDICATE | {"instructions": [{"type": "input_json", "data": "x"}]}),
            "questions.0.instructions.0.data",
        ),
    ],
)
def test_what_the_format_does_not_allow_is_named(sent: Any, field: str | None) -> None:
    with pytest.raises(RequestError) as refused:
        decode(sent)
    assert refused.value.field == field


def test_every_choice_up_to_255_is_taken() -> None:
    [request] = decode(body(CHOICE | {"choices": many(255)})).requests
    question = request.questions["0"]
    assert isinstance(question, Choice) and len(question.criteria) == 255
