"""The tool `decide` as every framework shows it to an agent: its words, its schema, its reply.

An agent asks a question whose answers it names, and gets a probability for each: cheaper than a
turn of its own model, the same every time, and a number that a rule can be put on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from steelyard.types.answer import Response
from steelyard.types.codec import decode_request, encode_response
from steelyard.types.content import Content
from steelyard.types.question import Question

Decide: TypeAlias = Callable[[Content, Mapping[str, Question]], Response]
"""What answers: the `decide` of an engine, or of a client."""

DIGITS = 4  # more would only cost the agent's context

NAME = "decide"
DESCRIPTION = (
    "Judge a text by questions with fixed answers (yes/no, one of several options, ordered "
    "levels) and get a probability for every answer. Use it to classify, route, screen or "
    "grade, in place of reasoning about it. Ask all questions about a text in one call."
)


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NoulInput(_Asked):
    """A yes/no question; the answer is the probability of yes."""

    type: Literal["noul"]
    instructions: str = Field(description="What to judge, as a question.")


class ChoiceInput(_Asked):
    """Which of the options; the answer has a probability for each."""

    type: Literal["choice"]
    instructions: str = Field(description="What to choose by, as a question.")
    criteria: dict[str, str | None] = Field(
        description="Label -> what it means, or null where the label says it; 1 to 255 of them.",
        min_length=1,
    )


class ScoreInput(_Asked):
    """How much, on ordered levels; the answer is the expected level, counted from 0."""

    type: Literal["score"]
    instructions: str = Field(description="What to grade, as a question.")
    criteria: list[str] = Field(
        description="What each level means, low to high; 1 to 10 of them.",
        min_length=1,
        max_length=10,
    )


State: TypeAlias = Annotated[
    str | dict[str, Any] | list[Any],
    Field(description="What is judged: a text, or JSON. The model sees this and nothing else."),
]
Questions: TypeAlias = Annotated[
    dict[str, Annotated[NoulInput | ChoiceInput | ScoreInput, Field(discriminator="type")]],
    Field(
        description="Id -> question. Ids come back unchanged and are not shown to the model; each "
        "question is judged on its own.",
        min_length=1,
    ),
]


def answer(decide: Decide, state: State, questions: Questions) -> dict[str, Any]:
    """The reply to one call of the tool, as JSON.

    Raises:
        RequestError: what the agent can mend.
        SteelyardError: whatever else `decide` raises.
    """
    asked = {name: question.model_dump() for name, question in questions.items()}
    request = decode_request({"state": state, "questions": asked})
    response = decide(request.state, request.questions)
    reply: dict[str, Any] = encode_response(response, digits=DIGITS)
    if response.warnings:
        reply["x_warnings"] = list(response.warnings)
    return reply
