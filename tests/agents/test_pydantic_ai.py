"""The tool in a run of Pydantic AI's agent, its model played by a function."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from support.fake_engine import UNTRAINED, FakeEngine, fake_response

from steelyard.errors import UnavailableError
from steelyard.types.codec import encode_response
from steelyard.types.question import Choice, Noul
from steelyard.types.request import Request

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent, UnexpectedModelBehavior, models
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from steelyard.agents.pydantic_ai_tool import decide_tool

models.ALLOW_MODEL_REQUESTS = False

GOOD: dict[str, Any] = {
    "state": "I was charged twice.",
    "questions": {
        "urgent": {"type": "noul", "instructions": "Is it urgent?"},
        "queue": {
            "type": "choice",
            "instructions": "Which team?",
            "criteria": {"billing": "charges", "sales": None},
        },
    },
}
ASKED = {
    "urgent": Noul("Is it urgent?"),
    "queue": Choice("Which team?", {"billing": "charges", "sales": None}),
}


def run(*calls: dict[str, Any], decide: Any = None) -> tuple[list[ModelMessage], AgentInfo]:
    """The messages of a run whose model calls the tool with each of `calls`, and what it saw."""
    waiting, seen = list(calls), []

    def play(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(info)
        if waiting:
            return ModelResponse([ToolCallPart("decide", waiting.pop(0))])
        return ModelResponse([TextPart("done")])

    agent = Agent(FunctionModel(play), tools=[decide_tool(decide or FakeEngine().decide)])
    return asyncio.run(agent.run("Go.")).all_messages(), seen[0]


def parts(messages: list[ModelMessage], kind: str) -> list[Any]:
    return [part for message in messages for part in message.parts if part.part_kind == kind]


def test_the_answers_are_the_engine_s_with_fewer_digits():
    messages, _ = run(GOOD)
    [told] = parts(messages, "tool-return")
    expected = encode_response(fake_response(Request(GOOD["state"], ASKED), "fake"), digits=4)
    assert told.content == {**expected, "x_warnings": [UNTRAINED]}


def test_the_schema_says_what_may_be_asked():
    _, info = run(GOOD)
    [tool] = info.function_tools
    schema = tool.parameters_json_schema
    assert tool.name == "decide" and "probability" in (tool.description or "")
    assert set(schema["required"]) == {"state", "questions"}
    kinds = schema["properties"]["questions"]["additionalProperties"]
    assert set(kinds["discriminator"]["mapping"]) == {"noul", "choice", "score"}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"state": ""}, "state: empty"),
        ({"questions": {"q": {"type": "box"}}}, "box"),
        ({"questions": {"q": {**GOOD["questions"]["queue"], "criteria": {" ": None}}}}, "blank"),
    ],
)
def test_what_the_agent_can_mend_is_told_and_tried_again(change, told):
    messages, _ = run({**GOOD, **change}, GOOD)
    refusal, answered = parts(messages, "tool-return")
    assert told in str(refusal.content)
    assert set(answered.content["answers"]) == {"urgent", "queue"}


def test_an_agent_that_does_not_mend_it_is_stopped():
    with pytest.raises(UnexpectedModelBehavior, match="decide"):
        run(*[{**GOOD, "state": ""}] * 5)


def test_what_it_cannot_mend_ends_the_run():
    def refuse(state: Any, questions: Any) -> Any:
        raise UnavailableError("the server is starting")

    with pytest.raises(UnavailableError, match="starting"):
        run(GOOD, decide=refuse)
