"""Replies read into the library's own types, every number checked on the way.

A reply is not trusted to be one: a proxy, another service or another version may have written it.
What a `Response` asserts is checked here first, so that a bad reply is an error with a path.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

from steelyard.errors import ServiceError
from steelyard.types.answer import (
    Answer,
    Audit,
    Basis,
    ChoiceAnswer,
    NoulAnswer,
    Response,
    ScoreAnswer,
    Timings,
    Usage,
)
from steelyard.types.content import Json, describe
from steelyard.types.question import Choice, Noul, Question, kind_of

SUM_TOLERANCE = 1e-6  # full floats are asked for, so only their addition may err
LONGEST_MS = 1e12  # a bound that keeps infinity out; 30 years


class ReplyError(ServiceError):
    """A server answered 200, but not what was asked for; `field` is the path in its reply."""

    code = "bad_reply"


@dataclass(frozen=True, slots=True)
class At:
    """A value of a reply, and its path."""

    value: Json
    path: str | None = None

    def __getitem__(self, name: str) -> At:
        path = name if self.path is None else f"{self.path}.{name}"
        if not isinstance(self.value, Mapping):
            raise self.wrong("an object")
        if name not in self.value:
            hint = "; only a steelyard server sends it" if name.startswith("x_") else ""
            raise ReplyError(f"missing in the reply{hint}", field=path)
        return At(self.value[name], path)

    def names(self) -> set[str]:
        if not isinstance(self.value, Mapping):
            raise self.wrong("an object")
        return set(self.value)

    def items(self, count: int | None = None) -> list[At]:
        """The items of an array, of which there are `count`."""
        if not isinstance(self.value, list) or count not in (None, len(self.value)):
            raise self.wrong("an array" if count is None else f"an array of {count} items")
        head = "" if self.path is None else f"{self.path}."
        return [At(item, f"{head}{index}") for index, item in enumerate(self.value)]

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.wrong("a string")
        return self.value

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.wrong("true or false")
        return self.value

    def count(self) -> int:
        if not isinstance(self.value, int) or isinstance(self.value, bool) or self.value < 0:
            raise self.wrong("an integer from 0 up")
        return self.value

    def number(self, most: float) -> float:
        """A number from 0 to `most`."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
            raise self.wrong(f"a number from 0 to {most:g}")
        return float(value)

    def wrong(self, expected: str) -> ReplyError:
        got = describe(self.value)
        return ReplyError(f"got {got} in the reply; expected {expected}", field=self.path)


def read_response(body: Json, asked: Mapping[str, Question], path: str | None = None) -> Response:
    """The response that the body of a 200 spells, with all extras.

    Args:
        asked: the questions; the reply must answer these and no others.
        path: of `body` in the reply.
    Raises:
        ReplyError: it does not fit the questions, lacks a field, or has a number out of range.
    """
    reply = At(body, path)
    answers = reply["answers"]
    if answers.names() != set(asked):
        raise answers.wrong(f"answers to {', '.join(map(describe, asked))} and no others")
    audit = _audit(reply["x_audit"])
    return Response(
        model=reply["model"].text(),
        answers={
            name: _answer(answers[name], question, audit.calibrator)
            for name, question in asked.items()
        },
        usage=Usage(
            input_tokens=reply["usage"]["input_tokens"].count(),
            output_tokens=reply["usage"]["output_tokens"].count(),
        ),
        timings=_timings(reply["x_timings"]),
        audit=audit,
        warnings=tuple(one.text() for one in reply["x_warnings"].items()),
    )


def _answer(at: At, question: Question, calibrator: str | None) -> Answer:
    kind = kind_of(question)
    if at["type"].text() != kind:
        raise at["type"].wrong(repr(kind))
    basis = _basis(at, calibrator)
    if isinstance(question, Noul):
        return NoulAnswer(noul=at["noul"].number(1), basis=basis)
    confidence = at["confidence"].number(1)
    if isinstance(question, Choice):
        probabilities = _probabilities(at["probabilities"], list(question.criteria))
        choice = at["choice"].text()
        if probabilities.get(choice) != max(probabilities.values()):
            raise at["choice"].wrong("the most probable option")
        return ChoiceAnswer(
            choice=choice, confidence=confidence, probabilities=probabilities, basis=basis
        )
    levels = [str(level) for level in range(len(question.criteria))]
    return ScoreAnswer(
        score=at["score"].number(len(levels) - 1 + SUM_TOLERANCE),
        confidence=confidence,
        legend=question.criteria,
        probabilities=_probabilities(at["probabilities"], levels),
        basis=basis,
    )


def _probabilities(at: At, names: list[str]) -> dict[str, float]:
    if at.names() != set(names):
        raise at.wrong("a probability for each option asked about")
    shares = {name: at[name].number(1) for name in names}
    if abs(fsum(shares.values()) - 1) > SUM_TOLERANCE:
        raise at.wrong(f"probabilities that add up to 1, not {fsum(shares.values())!r}")
    return shares


def _basis(at: At, calibrator: str | None) -> Basis:
    calibrated = at["x_calibrated"].flag()
    if calibrated and calibrator is None:
        raise at["x_calibrated"].wrong("false where x_audit names no calibrator")
    return Basis(
        readout=at["x_readout"].text(),
        exit_layer=at["x_exit_layer"].count(),
        calibration=calibrator if calibrated else None,
        margin=at["x_margin"].number(1),
        passes=at["x_passes"].count(),
    )


def _timings(at: At) -> Timings:
    stages = ("prepare_ms", "forward_ms", "total_ms")
    prepare, forward, total = (at[stage].number(LONGEST_MS) for stage in stages)
    return Timings(prepare_ms=prepare, forward_ms=forward, total_ms=total)


def _audit(at: At) -> Audit:
    calibrator = at["calibrator"]
    return Audit(
        steelyard=at["steelyard"].text(),
        model=at["model"].text(),
        weights=at["weights"].text(),
        tokenizer=at["tokenizer"].text(),
        layout=at["layout"].text(),
        layout_name=at["layout_name"].text(),
        calibrator=None if calibrator.value is None else calibrator.text(),
        runtime=at["runtime"].text(),
        dtype=at["dtype"].text(),
        computed_tokens=at["computed_tokens"].count(),
        reused_tokens=at["reused_tokens"].count(),
        exit_layers=tuple(one.count() for one in at["exit_layers"].items()),
    )
