"""Decisions as a tool of Pydantic AI's agents."""

from __future__ import annotations

from typing import Any

from pydantic_ai import ModelRetry, Tool

from steelyard.agents.tool import DESCRIPTION, NAME, Decide, Questions, State, answer
from steelyard.errors import RequestError


def decide_tool(decide: Decide) -> Tool[Any]:
    """The tool `decide`, for an agent's `tools`; it runs in a thread, beside the event loop.

    What the agent can mend is told to it, and it may try again as often as its `retries` say. Any
    other error of the library ends the run.
    """

    def tool(state: State, questions: Questions) -> dict[str, Any]:
        try:
            return answer(decide, state, questions)
        except RequestError as error:
            raise ModelRetry(str(error)) from error

    return Tool(tool, name=NAME, description=DESCRIPTION, takes_ctx=False)
