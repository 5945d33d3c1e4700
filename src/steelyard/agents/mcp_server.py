"""Decisions as a tool of the Model Context Protocol, for the official package `mcp` from 2.0."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from steelyard.__about__ import __version__
from steelyard.agents.tool import DESCRIPTION, NAME, Decide, Questions, State, answer
from steelyard.errors import SteelyardError

McpState = Annotated[
    State,
    Field(
        description="What is judged: a text, or JSON. The model sees this and nothing else. A text "
        "that spells a JSON object or array is read as one."  # the package does that
    ),
]


def mcp_server(decide: Decide) -> MCPServer[Any]:
    """A server with the one tool `decide`; its `run()` speaks over stdin and stdout.

    What the caller can mend is told as a tool error, in words for the model that called.
    """

    def tool(state: McpState, questions: Questions) -> dict[str, Any]:
        try:
            return answer(decide, state, questions)
        except SteelyardError as error:
            raise ToolError(str(error)) from error

    server: MCPServer[Any] = MCPServer("steelyard", version=__version__)
    server.add_tool(
        tool,
        name=NAME,
        title="Decide",
        description=DESCRIPTION,
        annotations=ToolAnnotations(
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )
    return server
