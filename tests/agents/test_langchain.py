"""The runnable in LangChain's own chains."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from support.fake_engine import FakeEngine, fake_response

from steelyard.errors import RequestError
from steelyard.types.question import Choice, Noul
from steelyard.types.request import Request

pytest.importorskip("langchain_core")

from langchain_core.prompts import PromptTemplate
from langchain_core.runnables import RunnableBranch

from steelyard.agents.langchain_runnable import decisions

QUESTIONS = {"urgent": Noul("Is it urgent?"), "queue": Choice("Which team?", ["billing", "sales"])}
STATES: list[Any] = ["charged twice", "no answer", {"text": "twice"}, ["a", {"b": 1}]]


def expected(state: Any) -> Any:
    return fake_response(Request(state, QUESTIONS), "fake")


def test_a_state_gets_the_engine_s_answers():
    runnable = decisions(FakeEngine().decide, QUESTIONS)
    assert [runnable.invoke(state) for state in STATES] == [expected(state) for state in STATES]


def test_a_batch_keeps_its_order():
    runnable = decisions(FakeEngine().decide, QUESTIONS)
    answered = runnable.batch(STATES, config={"max_concurrency": 3})
    assert answered == [expected(state) for state in STATES]


def test_it_can_be_awaited_with_and_without_something_to_await():
    async def adecide(state: Any, questions: Any) -> Any:
        awaited.append(state)
        return fake_response(Request(state, questions), "fake")

    awaited: list[Any] = []
    engine = FakeEngine()
    for runnable in (
        decisions(engine.decide, QUESTIONS),
        decisions(engine.decide, QUESTIONS, adecide=adecide),
    ):
        assert asyncio.run(runnable.ainvoke("charged twice")) == expected("charged twice")
    assert (len(engine.calls), awaited) == (1, ["charged twice"])


def test_it_stands_in_a_chain_and_its_answer_chooses_the_way():
    chain = (
        PromptTemplate.from_template("Subject: {subject}")
        | (lambda prompt: prompt.to_string())
        | decisions(FakeEngine().decide, QUESTIONS)
        | RunnableBranch(
            (
                lambda response: response.answers["queue"].choice == "billing",
                lambda _: "to billing",
            ),
            lambda _: "to sales",
        )
    )
    queue = expected("Subject: twice").answers["queue"].choice
    assert chain.invoke({"subject": "twice"}) == f"to {queue}"


def test_what_cannot_be_asked_is_the_library_s_error():
    runnable = decisions(FakeEngine().decide, QUESTIONS)
    with pytest.raises(RequestError, match="state: empty"):
        runnable.invoke("")


def test_the_step_has_a_name_in_traces():
    assert decisions(FakeEngine().decide, QUESTIONS).get_name() == "decide"
