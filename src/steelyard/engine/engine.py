"""The engine: a loaded model that answers requests."""

from __future__ import annotations

import asyncio
import functools
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self, Unpack, overload

from steelyard.__about__ import __version__
from steelyard.backbone.store import PrefixStore, Scope
from steelyard.calibration.calibrator import Uncalibrated
from steelyard.engine.conclude import conclude
from steelyard.engine.job import Inquiry, Job
from steelyard.engine.judge import judged
from steelyard.engine.model import LoadedModel
from steelyard.engine.options import How, ReadOptions
from steelyard.engine.pipeline import Pipeline
from steelyard.errors import RequestError, SteelyardError
from steelyard.prompt.branch import Piece
from steelyard.prompt.layout import LAYOUTS, frame, layout_digest
from steelyard.prompt.options import option_set
from steelyard.readout.registry import readout
from steelyard.readout.scores import margin
from steelyard.tokens.limits import Limits
from steelyard.types.answer import Answer, Audit, Basis, Response, Timings, Usage
from steelyard.types.codec import dumps, encode_response
from steelyard.types.content import Content
from steelyard.types.question import Question
from steelyard.types.request import Request


class Engine:
    """Answers requests with one model. Safe to use from several threads; one computes at a time.

    Made by `steelyard.load`.
    """

    def __init__(self, model: LoadedModel, store: PrefixStore) -> None:
        self._model = model
        self._lock = threading.Lock()
        self._pipeline = Pipeline(
            runtime=model.runtime,
            tokenizer=model.tokenizer,
            store=store,
            limits=Limits.of(model.runtime.context_tokens),
        )
        self.store = store
        # of a layout's name, which means the same for as long as the engine lives
        self._layout_digest = functools.cache(lambda name: layout_digest(LAYOUTS[name], model.chat))

    @property
    def name(self) -> str:
        """Concrete name of the model, returned with every answer."""
        return self._model.name

    @property
    def digest(self) -> str:
        """sha256 over the weights, hexadecimal."""
        return self._model.runtime.digest

    @property
    def readout(self) -> str:
        """How questions are read where a call does not choose."""
        return self._model.readout

    @property
    def layout(self) -> str:
        """The prompt's layout where a call does not choose."""
        return self._model.layout

    @property
    def layout_digest(self) -> str:
        """Of that layout in the model's chat template, as an answer's audit and a card tell it."""
        return self._layout_digest(self._model.layout)

    @property
    def calibration(self) -> str | None:
        """sha256 of what was fitted on the model's answers, or None."""
        return None if self._model.fit is None else self._model.fit.digest

    @property
    def warnings(self) -> tuple[str, ...]:
        """What every user of this model should be told, such as that it is untrained."""
        return self._model.warnings

    def decide(
        self,
        state: Content,
        questions: Mapping[str, Question],
        *,
        partition: str = "",
        **how: Unpack[How],
    ) -> Response:
        """Answer questions about one state.

        Args:
            state: a string, or JSON that stands for text.
            questions: id -> question; ids are opaque and returned unchanged.
            partition: calls share stored prefixes only with calls of the same partition, so that
                one tenant cannot tell from times or counts what another has asked.
            how: layout, readout, rotations, reread_below, depth; see `How`.
        Raises:
            RequestError: the state, a question or an option is not what is allowed.
            TooLongError: more tokens than the limits or the model's context allow.
            CapabilityError: the model or its runtime lacks what the readout or depth needs.
        """
        request = Request(state, questions)
        return self._answer([request], self._options(**how), partition)[0].result()

    @overload
    def decide_many(
        self,
        requests: Sequence[Request],
        *,
        return_errors: Literal[False] = False,
        partition: str = "",
        **how: Unpack[How],
    ) -> list[Response]: ...

    @overload
    def decide_many(
        self,
        requests: Sequence[Request],
        *,
        return_errors: bool,
        partition: str = "",
        **how: Unpack[How],
    ) -> list[Response | SteelyardError]: ...

    def decide_many(
        self,
        requests: Sequence[Request],
        *,
        return_errors: bool = False,
        partition: str = "",
        **how: Unpack[How],
    ) -> list[Response] | list[Response | SteelyardError]:
        """Answer many requests, computing them together.

        Args:
            return_errors: put the error in the place of a request that failed, instead of raising
                the first one. The other arguments are those of `decide`.
        Raises:
            RequestError: something in `requests` is no Request; else as `decide`.
        """
        if isinstance(requests, Request) or not isinstance(requests, Sequence):
            raise RequestError(
                f"got {type(requests).__name__}; allowed: a list of Request", field="requests"
            )
        for index, request in enumerate(requests):
            if not isinstance(request, Request):
                raise RequestError(
                    f"got {type(request).__name__}; allowed: Request", field=f"requests.{index}"
                )
        outcomes = self._answer(requests, self._options(**how), partition)
        if return_errors:
            return [outcome.error or outcome.result() for outcome in outcomes]
        return [outcome.result() for outcome in outcomes]

    async def adecide(
        self,
        state: Content,
        questions: Mapping[str, Question],
        *,
        partition: str = "",
        **how: Unpack[How],
    ) -> Response:
        """`decide` without blocking the event loop."""
        return await asyncio.to_thread(self.decide, state, questions, partition=partition, **how)

    def close(self) -> None:
        """Let go of the stored prefixes. The model itself goes with the engine."""
        self.store.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _options(
        self,
        *,
        layout: str | None = None,
        readout: str | None = None,
        rotations: int = 1,
        reread_below: float = 0.0,
        depth: str | int | None = None,
    ) -> ReadOptions:
        return ReadOptions(
            layout=self._model.layout if layout is None else layout,
            readout=self._model.readout if readout is None else readout,
            rotations=rotations,
            reread_below=reread_below,
            depth=self._model.depth if depth is None else depth,
        )

    def _answer(
        self, requests: Sequence[Request], options: ReadOptions, partition: str
    ) -> list[_Outcome]:
        begin = time.perf_counter()
        exits, calibrator = self._model.exits(options), self._model.fitted(options).calibrator
        jobs = [self._job(request, options) for request in requests]
        framed = time.perf_counter()
        with self._lock:
            elapsed = self._pipeline.run(jobs, exits, calibrator, Scope(partition=partition))
        timings = Timings(
            prepare_ms=1e3 * (framed - begin + elapsed.prepare_s),
            forward_ms=1e3 * elapsed.forward_s,
            total_ms=1e3 * (time.perf_counter() - begin),
        )
        return [
            _Outcome(job, None if job.error else self._response(job, options, timings))
            for job in jobs
        ]

    def _job(self, request: Request, options: ReadOptions) -> Job:
        asked = {name: option_set(question) for name, question in request.questions.items()}
        filled = frame(
            LAYOUTS[options.layout], self._model.chat, request.state, list(asked.values())
        )
        read = readout(options.readout, self._model.head)
        return Job(
            request,
            {
                name: Inquiry(
                    one.kind,
                    read(
                        one,
                        filled,
                        rotations=options.rotations,
                        reread_below=options.reread_below,
                    ),
                )
                for name, one in asked.items()
            },
        )

    def _response(self, job: Job, options: ReadOptions, timings: Timings) -> Response:
        answers = {
            name: self._conclude(question, job.inquiries[name], options)
            for name, question in job.request.questions.items()
        }
        response = Response(
            model=self._model.name,
            answers=answers,
            usage=Usage(input_tokens=job.computed_tokens + job.reused_tokens, output_tokens=0),
            timings=timings,
            audit=self._audit(job, options),
            warnings=self._model.warnings,
        )
        # Counted as the live service does: on the serialised answers, with two decimals.
        text = dumps(encode_response(response, digits=2)["answers"])
        tokens = self._model.tokenizer.encode([Piece(text)])
        usage = replace(response.usage, output_tokens=len(tokens))
        return replace(response, usage=usage)

    def _conclude(self, question: Question, inquiry: Inquiry, options: ReadOptions) -> Answer:
        scores, kind, layer = inquiry.scores, inquiry.kind, inquiry.exit_layer
        assert scores is not None, "the pipeline left a question unanswered"
        fit = self._model.fitted(options)
        covered = fit.calibrator.covers(kind=kind, exit_layer=layer, num_options=len(scores))
        calibrator = fit.calibrator if covered else Uncalibrated()
        probabilities = calibrator.apply(scores, kind=kind, exit_layer=layer)
        basis = Basis(
            readout=options.readout,
            exit_layer=layer,
            calibration=fit.digest if covered else None,
            margin=margin(probabilities),
            passes=inquiry.passes,
        )
        answer = conclude(question, probabilities, basis)
        if fit.calibration is None:
            return answer
        return judged(answer, fit.calibration, probabilities)

    def _audit(self, job: Job, options: ReadOptions) -> Audit:
        runtime = self._model.runtime
        return Audit(
            steelyard=__version__,
            model=self._model.name,
            weights=runtime.digest,
            tokenizer=self._model.tokenizer.digest,
            layout=self._layout_digest(options.layout),
            layout_name=options.layout,
            calibrator=self._model.fitted(options).digest,
            runtime=runtime.name,
            dtype=runtime.dtype,
            computed_tokens=job.computed_tokens,
            reused_tokens=job.reused_tokens,
            exit_layers=self._model.exits(options).open_exits(runtime.num_layers),
        )


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A job that is done: its response, or the error within the job."""

    job: Job
    response: Response | None

    @property
    def error(self) -> SteelyardError | None:
        return self.job.error

    def result(self) -> Response:
        """The response; raises the error if there is one."""
        if self.job.error is not None:
            raise self.job.error
        assert self.response is not None
        return self.response
