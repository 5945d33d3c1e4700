"""The tool as an agent sees it, through the official client."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from support.fake_engine import UNTRAINED, FakeEngine, fake_response

from steelyard.errors import OverloadedError
from steelyard.types.codec import encode_response
from steelyard.types.question import Choice, Noul, Score
from steelyard.types.request import Request

mcp = pytest.importorskip("mcp")

from steelyard.agents.mcp_server import mcp_server  # noqa: E402

BLANK = {"type": "choice", "instructions": "?", "criteria": {" ": None}}
QUESTIONS: dict[str, Any] = {
    "urgent": {"type": "noul", "instructions": "Is it urgent?"},
    "queue": {
        "type": "choice",
        "instructions": "Which team?",
        "criteria": {"billing": "charges", "sales": None},
    },
    "anger": {"type": "score", "instructions": "How angry?", "criteria": ["calm", "furious"]},
}
ASKED = {
    "urgent": Noul("Is it urgent?"),
    "queue": Choice("Which team?", {"billing": "charges", "sales": None}),
    "anger": Score("How angry?", ["calm", "furious"]),
}


def called(arguments: dict[str, Any], decide: Any = None) -> Any:
    async def run() -> Any:
        async with mcp.Client(mcp_server(decide or FakeEngine().decide)) as client:
            return await client.call_tool("decide", arguments)

    return asyncio.run(run())


def test_the_answers_are_the_engine_s_with_fewer_digits():
    for state in ("I was charged twice.", {"text": "twice"}, ["a", {"b": 1}]):
        result = called({"state": state, "questions": QUESTIONS})
        expected = encode_response(fake_response(Request(state, ASKED), "fake"), digits=4)
        assert not result.is_error
        assert result.structured_content == {**expected, "x_warnings": [UNTRAINED]}


def test_the_schema_says_what_may_be_asked():
    async def run() -> Any:
        async with mcp.Client(mcp_server(FakeEngine().decide)) as client:
            return (await client.list_tools()).tools

    [tool] = asyncio.run(run())
    assert tool.name == "decide" and tool.annotations.read_only_hint
    assert set(tool.input_schema["required"]) == {"state", "questions"}
    kinds = tool.input_schema["properties"]["questions"]["additionalProperties"]
    assert set(kinds["discriminator"]["mapping"]) == {"noul", "choice", "score"}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"state": ""}, "state: empty"),
        ({"questions": {"q": BLANK}}, "blank"),
        ({"questions": {"q": {"type": "box"}}}, "box"),
        ({"questions": {}}, "questions"),
        ({"questions": {"q": {"type": "noul", "instructions": "?", "critera": {}}}}, "critera"),
    ],
)
def test_what_the_caller_can_mend_is_told_in_words(change, told):
    result = called({"state": "text", "questions": QUESTIONS, **change})
    assert result.is_error
    assert told in result.content[0].text


def test_a_server_that_refuses_is_told_in_words():
    def refuse(state: Any, questions: Any) -> Any:
        raise OverloadedError("the queue is full", retry_after_s=1)

    result = called({"state": "text", "questions": QUESTIONS}, refuse)
    assert result.is_error and "the queue is full" in result.content[0].text
