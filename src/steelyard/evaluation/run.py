"""Answers to the examples of a suite, kept as they come, so that a killed run can go on.

A file of answers is JSON Lines. The first line says what made them; each other is one answer:

    {"maker": {"weights": ..., "layout": ..., ...}}
    {"suite": ..., "example": ..., "group": ..., "kind": "choice", "probabilities": [...],
     "target": {"17": 1.0}, "exit_layer": 30, "seconds": 0.01, "code": "0123456789ab",
     "source": "bbh/navigate"}

Answers belong to examples by the examples' content, not by their place, so a longer sample of the
same suite asks only what is new.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from steelyard.engine.options import How
from steelyard.errors import OutputError, SteelyardError
from steelyard.evaluation.asking import Asked, Decider, ask, calls
from steelyard.evaluation.kept import Row, append_rows, hold, read_rows
from steelyard.evaluation.kept_fields import Fields
from steelyard.types.answer import Answer, NoulAnswer, Response
from steelyard.types.codec import dumps
from steelyard.types.content import Json
from steelyard.types.example import Example, encode_example
from steelyard.types.question import KINDS, kind_of

BEGIN = b'{"maker":{"weights":"'
"""How every file of answers begins."""

DIGITS = 7

MOST_IN_VAIN = 20
"""A run of which the first so many questions fail, and none is answered, has a fault of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """What all answers of a file have in common.

    Attributes:
        weights, tokenizer, layout: sha256 digests; calibrator: one, or None.
        exit_layers: the exits that were open; the last is the model's depth.
        settings: what the caller chose: how the engine was loaded and asked.
    """

    weights: str
    tokenizer: str
    layout: str
    calibrator: str | None
    runtime: str
    dtype: str
    exit_layers: tuple[int, ...]
    settings: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """The answer to one example.

    Attributes:
        suite: name of the suite.
        example: id of the example, from its content; see `example_id`.
        group: of the example: what a bootstrap draws.
        kind: "noul", "choice" or "score".
        probabilities: in the order of the question's options, a noul's (yes, no); 7 digits.
        target: the distribution that the example asks for.
        exit_layer: the layer that spoke.
        seconds: this answer's equal share of the time that its call took.
        code: what the caller calls the code that ran, such as a commit.
        source: of the example, where the suite has several: a slice, such as "bbh/navigate".
    """

    suite: str
    example: str
    group: str
    kind: str
    probabilities: tuple[float, ...]
    target: tuple[float, ...]
    exit_layer: int
    seconds: float
    code: str
    source: str = ""

    @property
    def confidence(self) -> float:
        """The largest probability."""
        return max(self.probabilities)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An example that got no answer.

    Attributes:
        suite, example, group, kind, source: as of a `Prediction`.
        target: the distribution that the example asks for.
        code, message: of the error.
    """

    suite: str
    example: str
    group: str
    kind: str
    source: str
    target: tuple[float, ...]
    code: str
    message: str


def example_id(example: Example) -> str:
    """The first 16 digits of the sha256 of an example's JSON."""
    return hashlib.sha256(dumps(encode_example(example)).encode("utf-8")).hexdigest()[:16]


def run(
    engine: Decider,
    suite: str,
    examples: Sequence[Example],
    path: Path,
    *,
    how: How | None = None,
    settings: Mapping[str, Json] | None = None,
    code: str = "",
    progress: Callable[[int, int], None] = lambda done, total: None,
    failures: list[Failure] | None = None,
    alone: bool = False,
) -> list[Prediction]:
    """The answers to all examples, in their order, from the file or from the engine.

    Examples with the same state are asked in one request.

    Args:
        how: keyword arguments of the engine's call.
        settings: what else distinguishes this run, such as how the engine was loaded.
        progress: told how many of all examples are done, after each call.
        failures: takes the examples that the engine refuses, which then have no answer; None: the
            first one ends the run. They are asked again when the run is repeated.
        alone: one question a call, so that its time is its own.
    Raises:
        OutputError: the file holds answers of other weights, another layout or other settings, or
            is none of answers; or another process writes to it.
        InputFileError: a line of the file is damaged.
        RequestError: of an example, with `failures=None`; or of the first 20 of them.
        SteelyardError: what else the engine raises; answers so far are kept.
    """
    how = how or How()
    # As it will be read back: a tuple comes back as a list.
    chosen: dict[str, Json] = json.loads(json.dumps({**(settings or {}), "how": how}))
    answers = _Answers(path, suite, chosen, code)
    answers.expect(engine.digest)
    ids = [example_id(example) for example in examples]
    if not answers.known.keys() >= set(ids):
        with hold(path, BEGIN):
            answers = _Answers(path, suite, chosen, code)  # as it is now that nobody else writes
            answers.expect(engine.digest)
            missing = [
                (name, example)
                for name, example in dict(zip(ids, examples, strict=True)).items()
                if name not in answers.known
            ]
            done = len(examples) - len(missing)
            failed: list[Failure] = []
            for asked in calls(missing, alone=alone):
                for part, outcome, seconds in ask(engine, asked, how):
                    if isinstance(outcome, SteelyardError):
                        name, example = part[0][0]
                        if failures is None:
                            raise _located(outcome, suite, name) from outcome
                        failed.append(_failure(suite, name, example, outcome))
                        if len(failed) >= MOST_IN_VAIN and not answers.known:
                            raise outcome
                    else:
                        answers.add(engine.digest, part, outcome, seconds)
                    done += sum(map(len, part))
                progress(done, len(examples))
            if failures is not None:
                failures.extend(failed)
    return [answers.known[name] for name in ids if name in answers.known]


def read_predictions(path: Path) -> tuple[Maker, list[Prediction]]:
    """A file of answers; of two answers to one example the later one.

    Raises:
        OutputError: no such file, or no file of answers.
        InputFileError: it cannot be read, or a line of it is damaged.
    """
    rows = read_rows(path)
    if not rows or "maker" not in rows[0]:
        raise OutputError(f"{path}: no answers; allowed: a file that an evaluation wrote")
    lines = [Fields(f"{path}, line {number}", row) for number, row in enumerate(rows, start=1)]
    found = map(_prediction, lines[1:])
    return _maker(lines[0].within("maker")), list({(p.suite, p.example): p for p in found}.values())


class _Answers:
    """The file of answers and what is known from it."""

    def __init__(self, path: Path, suite: str, settings: Mapping[str, Json], code: str) -> None:
        self.path = path
        self.suite = suite
        self.code = code
        self._settings = settings
        self._maker: Maker | None = None
        self.known: dict[str, Prediction] = {}
        if read_rows(path):
            self._maker, kept = read_predictions(path)
            self.known = {prediction.example: prediction for prediction in kept}

    def expect(self, weights: str) -> None:
        """Refuse a file that shows before anything is asked that it is somebody else's."""
        if self._maker is None:
            return
        for name, kept, now in (
            ("weights", self._maker.weights, weights),
            ("settings", self._maker.settings, self._settings),
            ("suite", {prediction.suite for prediction in self.known.values()}, {self.suite}),
        ):
            if kept != now and kept:
                raise self._refused(name, kept, now)

    def add(
        self,
        weights: str,
        asked: Asked,
        responses: Sequence[Response],
        seconds: float,
    ) -> None:
        """Keep the answers of one call."""
        rows: list[Row] = []
        found = []
        for part, response in zip(asked, responses, strict=True):
            rows.extend(self._check(self._made_by(weights, response)))
            for name, example in part:
                answer = response.answers[name]
                found.append(
                    Prediction(
                        suite=self.suite,
                        example=name,
                        group=example.group,
                        kind=kind_of(example.question),
                        probabilities=tuple(map(_rounded, _probabilities(answer))),
                        target=example.target,
                        exit_layer=answer.basis.exit_layer,
                        seconds=_rounded(seconds),
                        code=self.code,
                        source=_source(self.suite, example),
                    )
                )
        append_rows(self.path, [*rows, *map(_row, found)])
        self.known |= {prediction.example: prediction for prediction in found}

    def _made_by(self, weights: str, response: Response) -> Maker:
        audit = response.audit
        return Maker(
            weights=weights,
            tokenizer=audit.tokenizer,
            layout=audit.layout,
            calibrator=audit.calibrator,
            runtime=audit.runtime,
            dtype=audit.dtype,
            exit_layers=audit.exit_layers,
            settings=self._settings,
        )

    def _check(self, maker: Maker) -> Iterator[Row]:
        """The file's first line where it has none yet; refuses another maker's answers."""
        if self._maker is None:
            self._maker = maker
            yield {"maker": asdict(maker)}
        for part in fields(Maker):
            kept, now = getattr(self._maker, part.name), getattr(maker, part.name)
            if kept != now:
                raise self._refused(part.name, kept, now)

    def _refused(self, name: str, kept: object, now: object) -> OutputError:
        return OutputError(
            f"{self.path}: holds answers of {name} {kept!r}, not {now!r}; "
            "choose another file, or remove it"
        )


def _located(error: SteelyardError, suite: str, name: str) -> SteelyardError:
    return type(error)(f"{error.message} (suite {suite!r}, example {name})", field=error.field)


def _failure(suite: str, name: str, example: Example, error: SteelyardError) -> Failure:
    return Failure(
        suite=suite,
        example=name,
        group=example.group,
        kind=kind_of(example.question),
        source=_source(suite, example),
        target=example.target,
        code=error.code,
        message=str(error),
    )


def _source(suite: str, example: Example) -> str:
    return "" if example.source == suite else example.source


def _probabilities(answer: Answer) -> tuple[float, ...]:
    if isinstance(answer, NoulAnswer):
        return answer.noul, 1.0 - answer.noul
    return tuple(answer.probabilities.values())


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _row(prediction: Prediction) -> Row:
    target = {str(place): share for place, share in enumerate(prediction.target) if share}
    row = asdict(prediction) | {"target": target}
    return row if prediction.source else {k: v for k, v in row.items() if k != "source"}


def _prediction(row: Fields) -> Prediction:
    row.only(field.name for field in fields(Prediction))
    probabilities = row.shares("probabilities")
    shares = row.places("target", len(probabilities))
    return Prediction(
        suite=row.text("suite"),
        example=row.text("example"),
        group=row.text("group"),
        kind=row.one_of("kind", KINDS),
        probabilities=probabilities,
        target=tuple(shares.get(place, 0.0) for place in range(len(probabilities))),
        exit_layer=row.whole("exit_layer"),
        seconds=row.number("seconds"),
        code=row.text("code"),
        source=row.text("source") if "source" in row else "",
    )


def _maker(row: Fields) -> Maker:
    row.only(field.name for field in fields(Maker))
    return Maker(
        weights=row.text("weights"),
        tokenizer=row.text("tokenizer"),
        layout=row.text("layout"),
        calibrator=row.text_or_none("calibrator"),
        runtime=row.text("runtime"),
        dtype=row.text("dtype"),
        exit_layers=row.wholes("exit_layers"),
        settings=row.object("settings"),
    )
