"""An engine without a model: answers that depend on the text alone, the same in any batch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from steelyard.engine.conclude import conclude
from steelyard.errors import RequestError, SteelyardError
from steelyard.types.answer import Audit, Basis, Response, Timings, Usage
from steelyard.types.content import Content
from steelyard.types.question import Noul, Question
from steelyard.types.request import Request

UNTRAINED = "fake is untrained"


class FakeEngine:
    """Answers like `steelyard.Engine`; `calls` and `partitions` record every call."""

    warnings = (UNTRAINED,)
    digest = "f" * 64
    readout = "letters"
    layout = "isolated-v1"
    calibration: str | None = None

    def __init__(
        self,
        before_call: Callable[[Sequence[Request]], None] = lambda requests: None,
        name: str = "fake",
    ):
        self.name = name
        self.calls: list[Sequence[Request]] = []
        self.partitions: list[str] = []
        self.closed = False
        self._before_call = before_call

    def decide(
        self,
        state: Content,
        questions: Mapping[str, Question],
        *,
        partition: str = "",
        layout: str | None = None,
        readout: str | None = None,
        rotations: int = 1,
        reread_below: float | None = None,
        depth: str = "full",
    ) -> Response:
        [response] = self.decide_many([Request(state, questions)], partition=partition)
        assert isinstance(response, Response)
        return response

    def decide_many(
        self,
        requests: Sequence[Request],
        *,
        return_errors: bool = False,
        partition: str = "",
        layout: str | None = None,
        readout: str | None = None,
        rotations: int = 1,
        reread_below: float | None = None,
        depth: str = "full",
    ) -> list[Response | SteelyardError]:
        self._before_call(requests)
        self.calls.append(requests)
        self.partitions.append(partition)
        outcomes: list[Response | SteelyardError] = []
        for request in requests:
            try:
                outcomes.append(fake_response(request, self.name))
            except RequestError as error:
                if not return_errors:
                    raise
                outcomes.append(error)
        return outcomes

    def close(self) -> None:
        self.closed = True

    def __enter__(self) -> FakeEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def fake_response(request: Request, model: str = "fake") -> Response:
    """Probabilities from a hash of the question and the state; a state "refuse me" is refused."""
    if request.state == "refuse me":
        raise RequestError("refused", field="state")
    answers = {}
    for name, question in request.questions.items():
        count = 2 if isinstance(question, Noul) else len(question.criteria)
        seed = hashlib.sha256(repr((request.state, question)).encode()).digest()
        weights = np.frombuffer(seed * (count // 32 + 1), np.uint8)[:count] + 1.0
        basis = Basis(readout="letters", exit_layer=30, calibration=None, margin=0.25, passes=1)
        answers[name] = conclude(question, weights / weights.sum(), basis)
    return Response(
        model=model,
        answers=answers,
        usage=Usage(input_tokens=len(json.dumps(request.state)), output_tokens=len(answers)),
        timings=Timings(prepare_ms=0.5, forward_ms=1.0, total_ms=1.5),
        audit=Audit(
            steelyard="0",
            model=model,
            weights=FakeEngine.digest,
            tokenizer="00",
            layout="00",
            layout_name="isolated-v1",
            calibrator=None,
            runtime="fake",
            dtype="float32",
            computed_tokens=10,
            reused_tokens=0,
            exit_layers=(30,),
        ),
        warnings=(UNTRAINED,),
    )
