"""System One's JSON: requests in, responses out.

Strictness, and where it bends:

- Unknown fields at the top of a request are ignored, because the SDKs let callers send extra ones.
- Unknown fields inside a question are refused, as the official SDK does: a misspelt `criteria` that
  was dropped in silence would change the answer.
- `model` may be absent or null, and so may `instructions`, a noul's `criteria` and its outcomes;
  `assets` may be absent, null or {}.
- JSON text must be UTF-8 without NaN, Infinity or repeated keys: which of two equal keys counts is
  not for us to guess.

Errors are RequestErrors whose `field` is a path such as `questions.queue.criteria.billing`, or None
when the text is no JSON or the whole body is of the wrong type.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import NoReturn

from steelyard.errors import RequestError, TooManyOptionsError
from steelyard.types.answer import Answer, ChoiceAnswer, NoulAnswer, Response, Verdict
from steelyard.types.content import Json, describe
from steelyard.types.question import KINDS, Choice, Noul, Question, Score, kind_of
from steelyard.types.request import Request, as_questions

MAX_OPTIONS = 255


def loads_request(text: str | bytes, *, max_options: int = MAX_OPTIONS) -> Request:
    """The request that JSON text spells.

    Raises:
        RequestError: not strict JSON (see `loads`), or not a request (see `decode_request`).
    """
    return decode_request(loads(text), max_options=max_options)


def decode_request(body: object, *, max_options: int = MAX_OPTIONS) -> Request:
    """The request that an already parsed JSON value spells.

    Args:
        max_options: most options that a choice may have.
    Raises:
        RequestError: the body is not what the wire contract allows.
        TooManyOptionsError: a choice has more than `max_options` options, a score more than 10.
    """
    if not isinstance(body, Mapping):
        raise RequestError(
            f"the request is {describe(body)}; allowed: an object with state and questions"
        )
    for name in ("state", "questions"):
        if name not in body:
            raise RequestError("missing; a request needs state and questions", field=name)
    if body.get("assets") not in (None, {}):
        raise RequestError(
            "got assets; this engine reads text only, allowed: no assets", field="assets"
        )
    questions = {
        name: decode_question(question, f"questions.{name}", max_options=max_options)
        for name, question in as_questions(body["questions"]).items()
    }
    return Request(body["state"], questions, body.get("model"))


def decode_question(value: object, field: str, *, max_options: int = MAX_OPTIONS) -> Question:
    """The question that a JSON object with a `type` spells.

    Args:
        field: path of `value`, with which the path of every error begins.
    Raises:
        RequestError, TooManyOptionsError: as in `decode_request`.
    """
    try:
        return _question(value, max_options)
    except RequestError as error:
        raise error.within(field) from None


def encode_request(request: Request) -> dict[str, Json]:
    """The JSON object of which `decode_request` makes an equal request.

    Like every encoding here it shares structured content with the value it was made from.
    """
    questions = {name: encode_question(question) for name, question in request.questions.items()}
    body: dict[str, Json] = {"state": request.state, "questions": questions}
    return body if request.model is None else {"model": request.model, **body}


def encode_question(question: Question) -> dict[str, Json]:
    """The JSON object of which `decode_question` makes an equal question."""
    body: dict[str, Json] = {"type": kind_of(question)}
    if question.instructions is not None:
        body["instructions"] = question.instructions
    if isinstance(question, Score):
        body["criteria"] = list(question.criteria)
    elif question.criteria is not None:
        body["criteria"] = dict(question.criteria)
    return body


def encode_response(
    response: Response, *, extras: bool = False, digits: int | None = None
) -> dict[str, Json]:
    """The JSON object that System One's clients read.

    Args:
        extras: add what lies beyond System One, under names that begin with `x_`.
        digits: decimals (0 or more) of probabilities and of what is derived from them, each rounded
            on its own for display; None gives full floats, which sum to 1. `choice` stays a most
            probable option of the rounded probabilities, because rounding keeps order.
    """

    def show(number: float) -> float:
        return number if digits is None else round(number, digits)

    answers = {
        name: _answer(answer, show) | (_basis(answer, show) if extras else {})
        for name, answer in response.answers.items()
    }
    body: dict[str, Json] = {
        "model": response.model,
        "answers": answers,
        "usage": asdict(response.usage),
    }
    if extras:
        body["x_audit"] = asdict(response.audit) | {"exit_layers": list(response.audit.exit_layers)}
        body["x_timings"] = asdict(response.timings)
        body["x_warnings"] = list(response.warnings)
    return body


def loads(text: str | bytes) -> Json:
    """The value that strict JSON text spells.

    Raises:
        RequestError: empty, not UTF-8, not JSON, NaN or Infinity, a key given twice in one object,
            or nested too deeply to be read.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise RequestError(
                f"byte {text[error.start]:#04x} at offset {error.start} is not UTF-8; "
                "allowed: JSON in UTF-8"
            ) from None
    if not text.strip():
        raise RequestError("empty text; allowed: a JSON value")
    try:
        value: Json = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise RequestError(
            f"not JSON: {error.msg} at line {error.lineno} column {error.colno}"
        ) from None
    except RecursionError:
        raise RequestError("nested too deeply to be read") from None
    except ValueError:  # the only other one: Python's bound on the digits of an integer
        raise RequestError("a number with too many digits to be read") from None
    return value


def dumps(value: Json) -> str:
    """Compact JSON text, non-ASCII characters as they are.

    Raises:
        ValueError: a number is NaN or infinite, which JSON cannot express.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


_ALLOWED_TYPES = "allowed: " + ", ".join(KINDS)


def _question(value: object, max_options: int) -> Question:
    if not isinstance(value, Mapping):
        raise RequestError(f"got {describe(value)}; allowed: an object with a type")
    kind = _kind(value)
    for name in value:
        if name not in ("type", "instructions", "criteria"):
            raise RequestError(
                f"unknown field {describe(name)}; allowed: type, instructions, criteria"
            )
    instructions = value.get("instructions")
    if kind == "noul":
        return Noul(instructions, value.get("criteria"))
    if "criteria" not in value:
        raise RequestError(f"missing; a {kind} needs criteria", field="criteria")
    criteria = value["criteria"]
    if kind == "score":
        return Score(instructions, criteria)
    if not isinstance(criteria, Mapping):  # Choice itself would take a list of labels
        raise RequestError(
            f"got {describe(criteria)}; allowed: an object of label -> description or null",
            field="criteria",
        )
    if len(criteria) > max_options:  # word for word the live service's text: clients match on it
        raise TooManyOptionsError(
            f"Too many choices. Must have at most {max_options} choices.", field="criteria"
        )
    return Choice(instructions, criteria)


def _kind(question: Mapping[str, object]) -> str:
    if "type" not in question:
        raise RequestError(f"missing; {_ALLOWED_TYPES}", field="type")
    kind = question["type"]
    if kind == "box":
        raise RequestError(
            f"'box' asks about an image, and this engine reads text only; {_ALLOWED_TYPES}",
            field="type",
        )
    if not isinstance(kind, str) or kind not in KINDS:
        raise RequestError(f"got {describe(kind)}; {_ALLOWED_TYPES}", field="type")
    return kind


def _answer(answer: Answer, show: Callable[[float], float]) -> dict[str, Json]:
    if isinstance(answer, NoulAnswer):
        return {"type": "noul", "noul": show(answer.noul)}
    probabilities = {name: show(p) for name, p in answer.probabilities.items()}
    if isinstance(answer, ChoiceAnswer):
        return {
            "type": "choice",
            "choice": answer.choice,
            "confidence": show(answer.confidence),
            "probabilities": probabilities,
        }
    return {
        "type": "score",
        "score": show(answer.score),
        "confidence": show(answer.confidence),
        "legend": {str(level): text for level, text in enumerate(answer.legend)},
        "probabilities": probabilities,
    }


def _basis(answer: Answer, show: Callable[[float], float]) -> dict[str, Json]:
    basis = answer.basis
    return {
        "x_exit_layer": basis.exit_layer,
        "x_calibrated": basis.calibration is not None,
        "x_margin": show(basis.margin),
        "x_readout": basis.readout,
        "x_passes": basis.passes,
        **_verdict(answer.verdict),
        **_committed(answer, show),
    }


def _verdict(verdict: Verdict | None) -> dict[str, Json]:
    """What there is of it."""
    if verdict is None:
        return {}
    body: dict[str, Json] = {}
    if verdict.options is not None:
        body |= {"x_set": list(verdict.options), "x_coverage": verdict.coverage}
    if verdict.action is not None:
        body["x_action"] = verdict.action
    return body


def _committed(answer: Answer, show: Callable[[float], float]) -> dict[str, Json]:
    if not isinstance(answer, NoulAnswer) or answer.committed is None:
        return {}
    return {"x_committed": show(answer.committed)}


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) < len(pairs):
        key, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise RequestError(f"the key {describe(key)} is given twice in one object")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise RequestError(f"the number {name}; allowed: finite numbers")
