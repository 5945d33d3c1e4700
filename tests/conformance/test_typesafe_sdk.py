"""TypeSafe's own SDK for Python, unmodified, against a live server."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from typesafe_sdk import (
    AsyncTypeSafeClient,
    Choice,
    ChoiceAnswer,
    Image,
    Noul,
    NoulAnswer,
    RetryPolicy,
    Score,
    ScoreAnswer,
    SystemOneResponse,
    TypeSafeAPIError,
    TypeSafeAuthenticationError,
    TypeSafeClient,
    TypeSafeNotFoundError,
    TypeSafeRateLimitError,
    TypeSafeUnprocessableEntityError,
)

from benchmarks.serving import Served

TICKET = "I was charged twice for March and the refund never came. Fix it today."
LEVELS = ["calm", {"label": "annoyed"}, "furious"]
TEAMS = {"billing": "Payments and refunds", "technical": None, "sales — 営業": ["prices"]}
QUESTIONS = {
    "urgent": Noul(criteria={"true": "They want an answer today"}),
    "team": Choice(instructions={"task": "Whose is it?"}, criteria=TEAMS),
    "anger": Score(instructions="How angry are they?", criteria=LEVELS),
}
PATIENT = {"timeout": 600.0, "retry": RetryPolicy(max_retries=0)}
PIXEL = b"\x89PNG\r\n\x1a\n" + bytes(32)


def client(url: str, key: str = "local", **options: Any) -> TypeSafeClient:
    return TypeSafeClient(base_url=url, api_key=key, **PATIENT, **options)


def test_all_kinds_of_answers_are_understood(url: str) -> None:
    with client(url) as asking:
        answered = asking.system_one(TICKET, QUESTIONS)
    assert len(answered.request_id) == 32 and answered.model != "jev-latest"
    assert answered.usage.input_tokens and answered.usage.output_tokens
    assert list(answered.answers) == list(QUESTIONS)
    assert 0 < answered.nouls["urgent"].noul < 1
    team, anger = answered.choices["team"], answered.scores["anger"]
    assert list(team.probabilities) == list(TEAMS)
    assert team.probabilities[team.choice] == max(team.probabilities.values())
    assert list(anger.legend.values()) == LEVELS
    assert anger.score == pytest.approx(sum(n * p for n, p in anger.probabilities.items()))
    for several in (team, anger):
        assert sum(several.probabilities.values()) == pytest.approx(1, abs=1e-12)
        assert 0 <= several.confidence <= 1


def test_the_asynchronous_client_gets_the_same_answers(url: str) -> None:
    async def asked() -> tuple[SystemOneResponse, list[str]]:
        async with AsyncTypeSafeClient(base_url=url, api_key="local", **PATIENT) as asking:
            answered, listed = await asyncio.gather(
                asking.system_one(TICKET, QUESTIONS), asking.models.list()
            )
            return answered, [one.name for one in listed.models]

    with client(url) as asking:
        alone = asking.system_one(TICKET, QUESTIONS)
        listed = [one.name for one in asking.models.list().models]
    answered, names = asyncio.run(asked())
    assert answered.answers == alone.answers
    assert names == listed and {"jev-latest", answered.model} <= set(names)


def test_a_body_above_a_kibibyte_comes_as_zstd_and_is_read(url: str) -> None:
    state = {"thread": [TICKET] * 20}
    with client(url) as asking, client(url, compression=False) as plain:
        packed, sent = asking.system_one(state, QUESTIONS), plain.system_one(state, QUESTIONS)
    assert packed.raw_http_response.request.headers["content-encoding"] == "zstd"
    assert "content-encoding" not in sent.raw_http_response.request.headers
    assert packed.answers == sent.answers


class Triage(SystemOneResponse):
    urgent: NoulAnswer
    team: ChoiceAnswer
    anger: ScoreAnswer


def test_a_response_of_the_callers_own_class_has_its_answers_as_fields(url: str) -> None:
    with client(url) as asking:
        triage = asking.system_one(
            TICKET, QUESTIONS, response_model=Triage, extra_body={"x_extras": True, "seed": 7}
        )
    assert (triage.urgent, triage.team) == (triage.nouls["urgent"], triage.choices["team"])
    assert triage.anger.legend[2] == "furious"


def refused(url: str, kind: type[TypeSafeAPIError], **asked: Any) -> TypeSafeAPIError:
    """The error of a call that differs from a good one in what is given."""
    with client(url) as asking, pytest.raises(kind) as caught:
        asking.system_one(**{"state": TICKET, "questions": QUESTIONS} | asked)
    assert caught.value.request_id and type(caught.value) is kind
    return caught.value


def test_a_callers_mistakes_are_told_in_the_classes_of_the_sdk(url: str) -> None:
    many = {"q": Choice(criteria={f"option {n}": None for n in range(256)})}
    told = refused(url, TypeSafeUnprocessableEntityError, questions=many)
    assert "questions.q.choice.criteria: Too many choices." in str(told)
    high = {"q": Score(criteria=[f"level {n}" for n in range(11)])}
    told = refused(url, TypeSafeUnprocessableEntityError, questions=high)
    assert "questions.q.score.criteria: Too many levels." in str(told)
    told = refused(url, TypeSafeNotFoundError, model="nobody")
    assert "nobody" in str(told) and "jev-latest" in str(told)
    told = refused(url, TypeSafeUnprocessableEntityError, state=["Look:", Image(PIXEL)])  # a form
    assert "assets: " in str(told)
    told = refused(url, TypeSafeAPIError, state="long " * 20_000)
    assert told.status == 413 and told.body["detail"]["error_type"] == "max_tokens_exceeded"


def test_keys_and_their_limits_are_told_in_the_classes_of_the_sdk(
    two_with_keys: Served, hurried_key: str
) -> None:
    ask = {"state": TICKET, "questions": {"urgent": QUESTIONS["urgent"]}}
    with client(two_with_keys.url, "sk-unknown-0123456789") as asking:
        with pytest.raises(TypeSafeAuthenticationError, match="401 unknown API key"):
            asking.models.list()
        with pytest.raises(TypeSafeAuthenticationError, match="401 unknown API key"):
            asking.system_one(**ask)
    with client(two_with_keys.url, hurried_key) as asking:
        assert asking.models.list().models  # costs nothing
        with pytest.raises(TypeSafeRateLimitError) as caught:
            [asking.system_one(**ask) for _ in range(2)]
    assert caught.value.retry_after_ms is not None
    assert 0 < caught.value.retry_after_ms <= 60_000
