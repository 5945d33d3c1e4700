"""Running experiments against a decider."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from steelyard.errors import SteelyardError
from steelyard.probe.experiment import Experiment, Judgement, Setting
from steelyard.probe.scenes import SCENES
from steelyard.probe.trial import Decider, Outcome, Trial


@dataclass(frozen=True, slots=True)
class Result:
    """One experiment, run.

    Attributes:
        refusals: message -> how many requests were refused with it.
    """

    experiment: Experiment
    num_requests: int
    refusals: dict[str, int]
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class Run:
    """All of it.

    Attributes:
        begun: date and time in UTC, ISO 8601.
        questions: what the user's questions were read from, or None for the built-in scenes.
    """

    decider: str
    begun: str
    setting: Setting
    questions: str | None
    results: tuple[Result, ...]


def probe(
    decider: Decider,
    experiments: Sequence[Experiment],
    setting: Setting,
    *,
    questions: str | None = None,
    on_request: Callable[[str, int, int], None] = lambda name, done, total: None,
) -> Run:
    """Send every experiment's requests, one at a time, and judge what comes back.

    A first request is sent and not counted: it warms up what is slow at first, and shows whether
    anything is answered at all. From then on a refusal is a result.

    Args:
        on_request: called before each request with the experiment's name, and after the last.
    Raises:
        SteelyardError: the first request is refused.
    """
    begun = datetime.now(UTC).isoformat(timespec="seconds")
    decider.decide(SCENES[0].ask(SCENES[0].choice))
    plans = [(experiment, list(experiment.plan(setting))) for experiment in experiments]
    total = sum(len(plan) for _, plan in plans)
    results, done = [], 0
    for experiment, plan in plans:
        outcomes: list[Outcome | None] = [None] * len(plan)
        order = list(range(len(plan)))
        # A drift of the server falls on all conditions alike.
        random.Random(f"{setting.seed} order {experiment.name}").shuffle(order)
        for index in order:
            on_request(experiment.name, done, total)
            outcomes[index] = ask(decider, plan[index])
            done += 1
        results.append(_result(experiment, [one for one in outcomes if one is not None], setting))
    on_request("", done, total)
    return Run(decider.name, begun, setting, questions, tuple(results))


def ask(decider: Decider, trial: Trial) -> Outcome:
    """Send one request; a refusal is an outcome."""
    try:
        return Outcome(trial, decider.decide(trial.request))
    except SteelyardError as error:
        return Outcome(trial, None, f"{error.code}: {error}")


def _result(experiment: Experiment, outcomes: Sequence[Outcome], setting: Setting) -> Result:
    refusals: dict[str, int] = {}
    for outcome in outcomes:
        if outcome.refusal is not None:
            refusals[outcome.refusal] = refusals.get(outcome.refusal, 0) + 1
    return Result(experiment, len(outcomes), refusals, experiment.judge(outcomes, setting))
