"""A suite put to a decider: its answers, and what they are worth."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steelyard.engine.options import How
from steelyard.evaluation.asking import Decider
from steelyard.evaluation.measures import Measures, measure
from steelyard.evaluation.priors import label_priors
from steelyard.evaluation.run import (
    Failure,
    Maker,
    Prediction,
    example_id,
    read_predictions,
    run,
)
from steelyard.evaluation.sample import sample
from steelyard.evaluation.suites.suite import Suite
from steelyard.types.content import Json
from steelyard.types.example import Example

DIGEST_DIGITS = 12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evaluated:
    """What came of one suite.

    Attributes:
        suite, version: its name, and a digest of all its examples: what two runs have in common.
        questions: how many it has; examples: those that were asked, by id.
        maker: what made the answers; None where there are none.
        priors: example id -> what is known of its answer without its state.
        measures: one of each kind; none where nothing was answered.
    """

    suite: str
    version: str
    questions: int
    examples: Mapping[str, Example]
    maker: Maker | None
    predictions: Sequence[Prediction]
    failures: Sequence[Failure]
    priors: Mapping[str, tuple[float, ...]]
    measures: Sequence[Measures]


def evaluate(
    engine: Decider,
    suite: Suite,
    folder: Path,
    answers: Path,
    *,
    limit: int | None = None,
    seed: int = 1,
    how: How | None = None,
    settings: Mapping[str, Json] | None = None,
    code: str = "",
    progress: Callable[[int, int], None] = lambda done, total: None,
    strict: bool = False,
    alone: bool = False,
) -> Evaluated:
    """Ask a sample of one suite and measure the answers.

    Args:
        folder: of the evaluation sets.
        answers: the file that keeps them; a run that was killed goes on from it.
        limit: stop drawing groups at this many questions; None: all.
        strict: let the first question that is refused end the run.
        how, settings, code, progress, alone: as of `run`.
    Raises:
        InputFileError: the suite cannot be read.
        SteelyardError: as `run`.
    """
    everything = suite.load(folder)
    ids = [example_id(example) for example in everything]
    priors = dict(zip(ids, label_priors(everything), strict=True))
    asked = sample(everything, limit, seed)
    failures: list[Failure] = []
    predictions = run(
        engine,
        suite.name,
        asked,
        answers,
        how=how,
        settings=settings,
        code=code,
        progress=progress,
        failures=None if strict else failures,
        alone=alone,
    )
    return Evaluated(
        suite=suite.name,
        version=suite_version(ids),
        questions=len(everything),
        examples={example_id(example): example for example in asked},
        maker=read_predictions(answers)[0] if predictions else None,
        predictions=predictions,
        failures=failures,
        priors=priors,
        measures=measure(predictions, priors) if predictions else (),
    )


def suite_version(ids: Sequence[str]) -> str:
    """The first 12 digits of the sha256 over the ids of all examples, in any order."""
    text = "\n".join(sorted(ids))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:DIGEST_DIGITS]
