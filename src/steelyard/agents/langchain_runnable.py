"""Decisions as a step of LangChain's chains."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from langchain_core.runnables import Runnable, RunnableLambda

from steelyard.agents.tool import Decide
from steelyard.types.answer import Response
from steelyard.types.question import Question

ADecide: TypeAlias = Callable[[Any, Mapping[str, Question]], Awaitable[Response]]
"""The same, awaited: `Engine.adecide`, or the `decide` of an `AsyncClient`."""


def decisions(
    decide: Decide, questions: Mapping[str, Question], *, adecide: ADecide | None = None
) -> Runnable[Any, Response]:
    """A runnable that takes a state, a text or JSON, and gives the answers to `questions` about it.

    Batches go through threads, as many as `max_concurrency` says; an engine takes them one by one,
    a server computes together what arrives together.

    Args:
        adecide: for `ainvoke` and its like; without it they run `decide` in a thread.
    Raises:
        SteelyardError: on invocation, what `decide` raises.
    """

    def ask(state: Any) -> Response:
        return decide(state, questions)

    async def aask(state: Any) -> Response:
        assert adecide is not None
        return await adecide(state, questions)

    return RunnableLambda(ask, aask if adecide else None, name="decide")
