"""OpenAI Decisions: `POST /v1/decisions`.

A predicate becomes a noul, choices become labels, levels become the levels of a score; the answers
come back as a list in the order asked. `input` becomes the state (see `openai_input.py`). Caching
and safety fields are ignored with every other unknown field at the top. The published client does
not say how confidence is computed, so it is System One's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from steelyard.errors import RequestError
from steelyard.server.wire.call import Call, Reply
from steelyard.server.wire.openai_input import decode_input, decode_text
from steelyard.types.answer import Answer, ChoiceAnswer, NoulAnswer, Response
from steelyard.types.content import Content, Json, as_text, describe
from steelyard.types.question import Choice, Noul, Question, Score
from steelyard.types.request import Request

MAX_QUESTIONS = 400
MIN_CHOICES, MAX_CHOICES = 2, 255
MIN_LEVELS, MAX_LEVELS = 2, 10

Value: TypeAlias = str | bool


@dataclass(frozen=True, slots=True)
class Asked:
    """One question and what its answer repeats.

    Attributes:
        values: of a choice, by the label that stands for each: true and "true" are two values.
        labels: of a score, low to high.
    """

    question: Question
    name: str | None
    values: Mapping[str, Value]
    labels: tuple[str, ...]


def decode(body: Json) -> Call:
    """The call that a parsed body spells.

    Raises:
        RequestError: `input` or a question is not what the format allows.
    """
    if not isinstance(body, Mapping):
        raise RequestError(
            f"the request is {describe(body)}; allowed: an object with input and questions"
        )
    for name in ("input", "questions"):
        if name not in body:
            raise RequestError("missing; a decision needs input and questions", field=name)
    model = body.get("model")
    if model is not None and not isinstance(model, str):
        raise RequestError(f"got {describe(model)}; allowed: a string", field="model")
    questions = body["questions"]
    if not isinstance(questions, list) or not 1 <= len(questions) <= MAX_QUESTIONS:
        got = f"{len(questions)} questions" if isinstance(questions, list) else describe(questions)
        raise RequestError(
            f"got {got}; allowed: a list of 1 to {MAX_QUESTIONS} questions", field="questions"
        )
    asked = tuple(_at(f"questions.{index}", one) for index, one in enumerate(questions))
    state = decode_input(body["input"])
    request = Request(state, {str(index): one.question for index, one in enumerate(asked)}, model)

    def reply(responses: Sequence[Response]) -> Reply:
        [response] = responses
        return encode(response, asked)

    return Call((request,), model, reply)


def encode(response: Response, asked: Sequence[Asked]) -> Reply:
    """The reply to `asked`, whose answers have the ids "0", "1", ..."""
    usage = response.usage
    return {
        "model": response.model,
        "answers": [_answer(response.answers[str(index)], one) for index, one in enumerate(asked)],
        "usage": {
            "input_tokens": usage.input_tokens,
            "input_tokens_details": {
                "cached_tokens": response.audit.reused_tokens,
                "cache_write_tokens": 0,
            },
            "output_tokens": usage.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.input_tokens + usage.output_tokens,
        },
    }


def _answer(answer: Answer, asked: Asked) -> Reply:
    if isinstance(answer, NoulAnswer):
        return {"type": "predicate", "name": asked.name, "probability": answer.noul}
    if isinstance(answer, ChoiceAnswer):
        return {
            "type": "choice",
            "name": asked.name,
            "choice": asked.values[answer.choice],
            "confidence": answer.confidence,
            "probabilities": [
                {"value": asked.values[label], "probability": p}
                for label, p in answer.probabilities.items()
            ],
        }
    return {
        "type": "score",
        "name": asked.name,
        "score": answer.score,
        "confidence": answer.confidence,
        "probabilities": [
            {"value": level, "label": label, "probability": p}
            for level, (label, p) in enumerate(
                zip(asked.labels, answer.probabilities.values(), strict=True)
            )
        ],
    }


_FIELDS = {
    "predicate": {"type", "name", "instructions"},
    "choice": {"type", "name", "instructions", "choices"},
    "score": {"type", "name", "instructions", "levels"},
}


def _at(field: str, value: Json) -> Asked:
    try:
        return _question(value)
    except RequestError as error:
        raise error.within(field) from None


def _question(value: Json) -> Asked:
    allowed = f"allowed: {', '.join(_FIELDS)}"
    if not isinstance(value, Mapping):
        raise RequestError(f"got {describe(value)}; allowed: an object with a type")
    if "type" not in value:
        raise RequestError(f"missing; {allowed}", field="type")
    kind = value["type"]
    if not isinstance(kind, str) or kind not in _FIELDS:
        raise RequestError(f"got {describe(kind)}; {allowed}", field="type")
    for field in value:
        if field not in _FIELDS[kind]:
            raise RequestError(
                f"unknown field {describe(field)}; allowed: {', '.join(sorted(_FIELDS[kind]))}"
            )
    name = value.get("name")
    if name is not None:
        if not isinstance(name, str):
            raise RequestError(f"got {describe(name)}; allowed: a string or null", field="name")
        name = as_text(name, "name")  # the reply repeats it
    if "instructions" not in value:
        raise RequestError("missing; every question needs instructions", field="instructions")
    instructions = decode_text(value["instructions"], "instructions")
    if kind == "predicate":
        return Asked(Noul(instructions), name, {}, ())
    if kind == "choice":
        values, criteria = _choices(value)
        return Asked(Choice(instructions, criteria), name, values, ())
    labels, levels = _levels(value)
    return Asked(Score(instructions, levels), name, {}, labels)


def _choices(question: Mapping[str, Json]) -> tuple[dict[str, Value], dict[str, Content | None]]:
    values: dict[str, Value] = {}
    criteria: dict[str, Content | None] = {}
    given = _entries(question, "choices", MIN_CHOICES, MAX_CHOICES)
    strings = {entry.get("value") for entry in given if isinstance(entry.get("value"), str)}
    for index, entry in enumerate(given):
        field = f"choices.{index}.value"
        value = entry.get("value")
        if not isinstance(value, str | bool) or (isinstance(value, str) and not value.strip()):
            raise RequestError(
                f"got {describe(value)}; allowed: a string that is not blank, or a boolean",
                field=field,
            )
        label = value if isinstance(value, str) else _boolean_label(value, strings)
        if label in values:
            raise RequestError(f"{describe(value)} is given twice; allowed: once", field=field)
        values[label] = value
        criteria[label] = _description(entry, f"choices.{index}")
    return values, criteria


def _boolean_label(value: bool, strings: set[Json]) -> str:
    label = "true" if value else "false"
    while label in strings:  # such as beside the string "true", which is another value
        label += " (boolean)"
    return label


def _levels(question: Mapping[str, Json]) -> tuple[tuple[str, ...], list[str]]:
    labels: list[str] = []
    levels: list[str] = []
    for index, entry in enumerate(_entries(question, "levels", MIN_LEVELS, MAX_LEVELS)):
        label = entry.get("label")
        if not isinstance(label, str) or not label.strip():
            raise RequestError(
                f"got {describe(label)}; allowed: a string that is not blank",
                field=f"levels.{index}.label",
            )
        description = _description(entry, f"levels.{index}")
        labels.append(label)
        levels.append(label if description is None else f"{label}: {description}")
    return tuple(labels), levels


def _entries(
    question: Mapping[str, Json], field: str, least: int, most: int
) -> list[Mapping[str, Json]]:
    value = question.get(field)
    if not isinstance(value, list) or not least <= len(value) <= most:
        got = f"{len(value)} entries" if isinstance(value, list) else describe(value)
        raise RequestError(f"got {got}; allowed: a list of {least} to {most}", field=field)
    entries: list[Mapping[str, Json]] = []
    for index, entry in enumerate(value):
        if not isinstance(entry, Mapping):
            raise RequestError(
                f"got {describe(entry)}; allowed: an object", field=f"{field}.{index}"
            )
        entries.append(entry)
    return entries


def _description(entry: Mapping[str, Json], field: str) -> str | None:
    value = entry.get("description")
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise RequestError(
            f"got {describe(value)}; allowed: a string that is not blank, or nothing",
            field=f"{field}.description",
        )
    return value
