"""OpenAI's own package for Python, unmodified, against a live server."""

from __future__ import annotations

from typing import Any

import openai
import pytest

from benchmarks.serving import Served

TICKET = "I was charged twice for March and the refund never came. Fix it today."
URGENT = {"type": "predicate", "name": "urgent", "instructions": "Does it need an answer today?"}
PAID = {
    "type": "choice",
    "instructions": [{"type": "input_text", "text": "Have they paid?"}],
    "choices": [
        {"value": True, "description": "The payment arrived"},
        {"value": False},
        {"value": "true", "description": "They merely say so"},
        {"value": "unknown"},
    ],
}
ANGER = {
    "type": "score",
    "name": "anger",
    "instructions": "How angry are they?",
    "levels": [
        {"label": "calm"},
        {"label": "annoyed", "description": "Curt"},
        {"label": "furious"},
    ],
}
CONVERSATION = [
    {"role": "developer", "content": "You answer for a shop."},
    {
        "role": "user",
        "content": [
            {"type": "input_text", "text": TICKET},
            {"type": "input_json", "data": {"order": 4471, "charges": [20.0, 20.0]}},
        ],
    },
    {"type": "function_call", "call_id": "c1", "name": "look_up", "arguments": '{"order": 4471}'},
    {"type": "function_call_output", "call_id": "c1", "output": "charged twice"},
    {"role": "assistant", "content": [{"type": "output_text", "text": "I see two charges."}]},
]


def client(url: str, key: str = "local") -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{url}/v1", api_key=key, timeout=600, max_retries=0)


def ask(asking: openai.OpenAI, *questions: Any, **asked: Any) -> Any:
    good = {"model": "gpt-6-luna", "input": TICKET, "questions": list(questions or [URGENT])}
    return asking.decisions.create(**good | asked)


def test_all_kinds_of_answers_come_in_the_order_asked(url: str) -> None:
    with client(url) as asking:
        decided = ask(asking, ANGER, PAID, URGENT, prompt_cache_key="a", safety_identifier="b")
    assert decided._request_id and decided.model != "gpt-6-luna"
    anger, paid, urgent = decided.answers
    assert [one.type for one in decided.answers] == ["score", "choice", "predicate"]
    assert [one.name for one in decided.answers] == ["anger", None, "urgent"]
    assert 0 < urgent.probability < 1
    assert [one.label for one in anger.probabilities] == ["calm", "annoyed", "furious"]
    assert [one.value for one in anger.probabilities] == [0, 1, 2]
    assert anger.score == pytest.approx(
        sum(one.value * one.probability for one in anger.probabilities)
    )
    for several in (anger, paid):
        assert sum(one.probability for one in several.probabilities) == pytest.approx(1, abs=1e-12)
        assert 0 <= several.confidence <= 1
    usage = decided.usage
    assert usage.total_tokens == usage.input_tokens + usage.output_tokens
    assert 0 <= usage.input_tokens_details.cached_tokens <= usage.input_tokens
    assert usage.output_tokens_details.reasoning_tokens == 0


def test_a_boolean_and_the_string_of_its_name_are_two_values(url: str) -> None:
    with client(url) as asking:
        [paid] = ask(asking, PAID).answers
    values = [one.value for one in paid.probabilities]
    assert list(map(repr, values)) == ["True", "False", "'true'", "'unknown'"]
    likeliest = max(paid.probabilities, key=lambda one: one.probability)
    assert repr(paid.choice) == repr(likeliest.value)


def test_a_conversation_with_tool_calls_is_a_state(url: str) -> None:
    with client(url) as asking:
        [urgent] = ask(asking, input=CONVERSATION).answers
        [again] = ask(asking, input=CONVERSATION).answers
        [other] = ask(asking, input=CONVERSATION[:2]).answers
    assert urgent == again and urgent != other


def test_a_callers_mistakes_are_told_in_the_classes_of_the_package(url: str) -> None:
    with client(url) as asking:
        with pytest.raises(openai.BadRequestError, match="allowed: a list of 2 to 255") as caught:
            ask(asking, PAID | {"choices": [{"value": True}]})
        error = caught.value
        assert (error.param, error.code) == ("questions.0.choices", "invalid_request")
        assert error.type == "invalid_request_error" and error.request_id
        with pytest.raises(openai.BadRequestError, match="levels"):
            ask(asking, ANGER | {"levels": [{"label": f"level {n}"} for n in range(11)]})
        with pytest.raises(openai.BadRequestError, match="tokens") as caught:
            ask(asking, input="long " * 20_000)
        assert caught.value.code == "max_tokens_exceeded"
        with pytest.raises(openai.NotFoundError, match="nobody"):
            ask(asking, model="nobody")


def test_keys_and_their_limits_are_told_in_the_classes_of_the_package(
    two_with_keys: Served, hurried_key: str
) -> None:
    with (
        client(two_with_keys.url, "sk-unknown-0123456789") as asking,
        pytest.raises(openai.AuthenticationError),
    ):
        ask(asking)
    with (
        client(two_with_keys.url, hurried_key) as asking,
        pytest.raises(openai.RateLimitError) as caught,
    ):
        [ask(asking) for _ in range(2)]
    assert 0 < float(caught.value.response.headers["retry-after"]) <= 60
