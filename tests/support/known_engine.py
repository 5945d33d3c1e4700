"""An engine whose scores stand in the state, so that the truth behind its answers is known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from support.fake_engine import FakeEngine, fake_response

from steelyard.calibration.readings import Reading
from steelyard.calibration.slotted import served
from steelyard.calibration.stored import Calibration
from steelyard.engine.conclude import conclude
from steelyard.engine.judge import judged
from steelyard.readout.scores import softmax
from steelyard.types.answer import Answer, Basis, Response
from steelyard.types.question import Question, kind_of
from steelyard.types.request import Request

LAYER = 30
BASIS = Basis(readout="letters", exit_layer=LAYER, calibration=None, margin=0.5, passes=1)


class KnownEngine(FakeEngine):
    """Of a state {"scores": {kind: [...]}} it answers the softmax of the scores.

    Or what a calibration makes of them, as the engine applies it.
    """

    warnings = ()
    layout_digest = "a" * 64

    def __init__(self, fitted: Calibration | None = None) -> None:
        super().__init__()
        self._fitted = fitted

    def decide_many(self, requests: Sequence[Request], **how: object) -> list[Response]:  # type: ignore[override]
        self.calls.append(requests)
        return [known_response(request, self._fitted) for request in requests]


def known_response(request: Request, fitted: Calibration | None = None) -> Response:
    state = request.state if isinstance(request.state, dict) else json.loads(str(request.state))
    answers: dict[str, Answer] = {}
    for name, question in request.questions.items():
        kind = kind_of(question)
        scores = np.array(state["scores"][kind])
        one = Reading(kind=kind, scores=scores, target=scores, group="", exit_layer=LAYER)
        if fitted is None:
            answers[name] = conclude(question, softmax(scores), BASIS)
        else:
            p = served(fitted.calibrator, one)
            covered = fitted.calibrator.covers(kind=kind, exit_layer=LAYER, num_options=len(p))
            basis = replace(BASIS, calibration=fitted.digest if covered else None)
            answers[name] = judged(conclude(question, p, basis), fitted, p)
    plain = fake_response(request)
    return replace(plain, answers=answers, audit=replace(plain.audit, layout="a" * 64), warnings=())


def write_tickets(
    path: Path,
    questions: dict[str, Question],
    sizes: dict[str, int],
    n: int,
    *,
    temperature: float = 3.0,
    spread: float = 3.0,
    seed: int = 0,
) -> None:
    """A CSV whose answers are drawn from the softmax of scores that are told `temperature` hotter.

    Args:
        sizes: question id -> how many options it has.
    """
    random = np.random.default_rng(seed)
    lines = [",".join(["id", "state", *questions])]
    for row in range(n):
        scores, labels = {}, []
        for name, question in questions.items():
            kind = kind_of(question)
            logits = random.normal(scale=spread, size=sizes[name])
            answer = int(random.choice(sizes[name], p=softmax(logits)))
            scores[kind] = [round(float(one), 6) for one in logits * temperature]
            if kind == "noul":
                labels.append("no" if answer else "yes")
            elif kind == "score":
                labels.append(str(answer))
            else:
                labels.append(list(question.criteria)[answer])  # type: ignore[arg-type, union-attr]
        state = json.dumps({"row": row, "scores": scores}).replace('"', '""')
        lines.append(",".join([str(row), f'"{state}"', *labels]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
