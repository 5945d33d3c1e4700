"""Replies of servers that speak System One and nothing more."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from steelyard.client import AsyncClient, Client, PlainResponse, ReplyError
from steelyard.types.question import Choice, Noul, Score

ASKED = {
    "urgent": Noul("Is it urgent?"),
    "queue": Choice("Which team?", ["billing", "sales", "other"]),
    "anger": Score("How angry?", ["calm", "furious"]),
}


def told(**changes: Any) -> dict[str, Any]:
    queue = {"billing": 0.67, "sales": 0.33, "other": 0.01}
    answers = {
        "urgent": {"type": "noul", "noul": 0.25},
        "queue": {"type": "choice", "choice": "billing", "confidence": 0.5, "probabilities": queue},
        "anger": {"type": "score", "score": 0.0, "probabilities": {"0": 1.0, "1": 0.0}},
    }
    usage = {"input_tokens": 268, "output_tokens": 19}
    return {"model": "other-1", "answers": answers, "usage": usage} | changes


def ask(body: Any) -> PlainResponse:
    transport = httpx.MockTransport(lambda request: httpx.Response(200, json=body))
    with Client("http://host", transport=transport) as client:
        return client.decide_plain("late", ASKED)


def test_probabilities_are_read_and_rounded_ones_scaled():
    reply = ask(told())
    assert reply.answers["urgent"] == {"yes": 0.25, "no": 0.75}
    assert reply.answers["queue"]["sales"] == pytest.approx(0.33 / 1.01)
    assert reply.answers["anger"] == {"0": 1.0, "1": 0.0}
    assert (reply.model, reply.input_tokens, reply.output_tokens) == ("other-1", 268, 19)


def test_tokens_may_be_missing():
    assert ask(told(usage=None)).input_tokens is None
    assert ask(told(usage={"input_tokens": 3})).output_tokens is None


@pytest.mark.parametrize("shares", [{"billing": 0.5}, {"billing": 0.5, "sales": 0.1, "other": 0.1}])
def test_what_is_no_distribution_is_an_error_with_a_path(shares):
    answers = told()["answers"]
    answers["queue"]["probabilities"] = shares
    with pytest.raises(ReplyError, match=r"^answers\.queue\.probabilities"):
        ask(told(answers=answers))


def test_an_answer_to_something_else_is_an_error():
    with pytest.raises(ReplyError, match=r"^answers: .*'urgent'"):
        ask(told(answers={}))


def test_nothing_is_sent_that_system_one_does_not_know():
    sent = []

    def handle(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content))
        return httpx.Response(200, json=told())

    async def run() -> PlainResponse:
        async with AsyncClient("http://host", transport=httpx.MockTransport(handle)) as client:
            return await client.decide_plain("late", ASKED, model="m")

    assert asyncio.run(run()) == ask(told())
    assert sent[0].keys() == {"model", "state", "questions"}
