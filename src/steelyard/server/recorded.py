"""Recorded responses, read back: files are damaged, and edited by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from steelyard.errors import InputFileError, RequestError
from steelyard.server.audit import Decision
from steelyard.types.codec import loads
from steelyard.types.content import Json


@dataclass(frozen=True, slots=True)
class Recorded:
    """A response as it was recorded, with extras.

    Attributes:
        answers: by the id of the question; each has its type, and under that name its value.
        basis: what the answers rest on (`x_audit`).
    """

    model: str
    answers: Mapping[str, Mapping[str, Json]]
    basis: Mapping[str, Json]


def recorded(decision: Decision) -> Recorded:
    """The response of a decision.

    Raises:
        InputFileError: it is no response; the message has the id.
    """
    try:
        found = loads(decision.response)
    except RequestError as error:
        raise InputFileError(f"{decision.id}: the response is damaged: {error}") from error
    match found:
        case {"model": str(model), "answers": dict(answers), "x_audit": dict(basis)}:
            whole = {name: one for name, one in answers.items() if _is_answer(one)}
            if len(whole) == len(answers):
                return Recorded(model, whole, basis)
    raise InputFileError(f"{decision.id}: the response is damaged: it is no response with extras")


def _is_answer(answer: Json) -> bool:
    match answer:
        case {"type": "choice", "choice": str(), "probabilities": dict(shares)}:
            return all(isinstance(share, int | float) for share in shares.values())
        case {"type": "noul", "noul": int() | float()} | {
            "type": "score",
            "score": int() | float(),
        }:
            return True
    return False
