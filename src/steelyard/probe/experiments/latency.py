"""Time against the length of the state, and against the number of questions.

Wall-clock time of whole calls, seen from here, one at a time in shuffled order; every state begins
with words of its own, so that nothing of it can have been computed before. The lines are fitted by
least squares, and the bootstrap draws whole rounds, in each of which every size was sent once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

import numpy as np

from steelyard.metrics.intervals import bootstrap_interval
from steelyard.probe.compare import first_refusal
from steelyard.probe.experiment import Cell, Experiment, Judgement, Setting, Table
from steelyard.probe.experiments.card_in_state import FILLER
from steelyard.probe.finding import Finding, judge_statistic, unsupported
from steelyard.probe.trial import Outcome, Trial
from steelyard.types.question import Noul, Question
from steelyard.types.request import Request

STATE, QUESTIONS = "length of the state", "number of questions"
PROPORTIONAL = 1.0
CHEAPER = 0.5
"""A further question on the same state should cost less than this share of a request of its own."""


def plan(setting: Setting) -> list[Trial]:
    random = setting.random("latency")
    lengths = setting.size((300, 800, 1600), (500, 2000, 4000, 8000, 16000))
    counts = setting.size((1, 3, 6), (1, 4, 16, 64))
    middle = lengths[1]

    def trial(varied: str, number: int, length: int, count: int) -> Trial:
        state = f"Report {random.randbytes(6).hex()}."
        while len(state) < length:
            state += " " + random.choice(FILLER)
        questions: dict[str, Question] = {
            f"q{index}": Noul(f"Is sentence {index + 1} about food?") for index in range(count)
        }
        return Trial(
            block=f"{varied}, round {number}",
            condition=varied,
            group=f"round {number}",
            request=Request(state, questions),
            watched=tuple(questions),
            size=length if varied == STATE else count,
        )

    rounds = range(1, setting.size(3, 8) + 1)
    return [
        *(trial(STATE, number, length, 1) for number in rounds for length in lengths),
        *(trial(QUESTIONS, number, middle, count) for number in rounds for count in counts),
    ]


def judge(outcomes: Sequence[Outcome], setting: Setting) -> Judgement:
    findings = (
        _judge_line(
            outcomes,
            setting,
            STATE,
            "time grows no faster than the state does",
            "exponent of time against length (slope of the line through the logarithms)",
            lambda points: slope_and_intercept(np.log(points))[0],
            (float("-inf"), PROPORTIONAL),
        ),
        _judge_line(
            outcomes,
            setting,
            QUESTIONS,
            "a further question costs less than half of what a request of its own costs",
            "time for one more question, as a share of a request with one (fitted line)",
            _share_per_question,
            (float("-inf"), CHEAPER),
        ),
    )
    tables = [_table(outcomes, varied) for varied in (STATE, QUESTIONS)]
    return Judgement(findings, tuple(tables), tuple(_notes(outcomes, setting.seed)))


def _judge_line(
    outcomes: Sequence[Outcome],
    setting: Setting,
    varied: str,
    null: str,
    measure: str,
    statistic: Callable[[np.ndarray], float],
    margin: tuple[float, float],
) -> Finding:
    points, groups = _points(outcomes, varied)
    if len(np.unique(points[:, 0])) < 2:
        why = first_refusal(outcomes) or "fewer than two sizes were answered"
        return unsupported(null, measure, why, margin=margin)
    return judge_statistic(
        null, measure, points, groups, statistic, margin=margin, seed=setting.seed
    )


def _points(outcomes: Sequence[Outcome], varied: str) -> tuple[np.ndarray, list[str]]:
    """(n, 2) of sizes that every round answered and their times in ms, and each one's round."""
    these = [one for one in outcomes if one.trial.condition == varied]
    refused = {one.trial.size for one in these if one.reply is None}
    kept = [one for one in these if one.trial.size not in refused]
    pairs = [(one.trial.size, one.reply.ms) for one in kept if one.reply is not None]
    return np.asarray(pairs, float).reshape(-1, 2), [one.trial.group for one in kept]


def slope_and_intercept(points: np.ndarray) -> tuple[float, float]:
    """Of the line through (n, 2) points by least squares."""
    x, y = points[:, 0], points[:, 1]
    centred = x - x.mean()
    slope = float(centred @ (y - y.mean()) / (centred @ centred))
    return slope, float(y.mean() - slope * x.mean())


def _share_per_question(points: np.ndarray) -> float:
    slope, intercept = slope_and_intercept(points)
    return slope / max(intercept + slope, 1e-9)  # the line's own time for one question


def _table(outcomes: Sequence[Outcome], varied: str) -> Table:
    these = [one for one in outcomes if one.trial.condition == varied]
    rows: list[tuple[Cell, ...]] = []
    for size in sorted({one.trial.size for one in these}):
        times = [one.reply.ms for one in these if one.trial.size == size and one.reply is not None]
        shown = (median(times), min(times), max(times)) if times else (None, None, None)
        rows.append((size, len(times), *shown))
    columns = (varied, "answered", "median ms", "least", "most")
    return Table(f"Time by {varied}", columns, tuple(rows))


def _notes(outcomes: Sequence[Outcome], seed: int) -> list[str]:
    """The fitted lines in words."""
    notes = []
    for varied, unit in ((STATE, "1,000 characters"), (QUESTIONS, "question")):
        points, groups = _points(outcomes, varied)
        if len(np.unique(points[:, 0])) < 2:
            continue
        points = points / ((1000, 1) if varied == STATE else (1, 1))
        slope, intercept = slope_and_intercept(points)
        spread = ""
        if len(set(groups)) > 1:
            low, high = bootstrap_interval(
                points, np.asarray(groups), lambda some: slope_and_intercept(some)[0], seed=seed
            )
            spread = f" (95 % interval {low:.2f} to {high:.2f})"
        notes.append(
            f"Fitted by {varied}: {intercept:.1f} ms, and {slope:.2f} ms{spread} for each {unit}."
        )
    return notes


EXPERIMENT = Experiment(
    name="latency",
    asks="What does a longer state cost, and what does one more question cost?",
    plan=plan,
    judge=judge,
)
