"""Tokens as the server counts them: the state once, questions added up, ids not at all.

Counts are exact, so a few texts show the rule; the interval is over texts.
"""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.probe.compare import complete_blocks, first_refusal, paired
from steelyard.probe.experiment import Experiment, Judgement, Setting, Table
from steelyard.probe.experiments.card_in_state import FILLER
from steelyard.probe.finding import judge_mean
from steelyard.probe.scenes import Scene, scenes
from steelyard.probe.trial import Outcome, Trial
from steelyard.types.question import Question
from steelyard.types.request import Request

A, AB, AC, ABC = "one", "one and two", "one and three", "all three"
LONGER, LONGEST = ", longer state", ", longest state"
RENAMED = "one, a longer id"
TOKEN = 1.0
"""Margin in tokens: one may move across the seam between two pieces of text."""

SHARE = 0.02


def plan(setting: Setting) -> list[Trial]:
    more = " " + " ".join(FILLER * setting.size(1, 10))
    trials = []
    for scene in scenes(setting.quick)[: setting.size(3, 6)]:
        one, two, three, _ = scene.questions().values()
        asked: dict[str, dict[str, Question]] = {
            A: {"q1": one},
            AB: {"q1": one, "q2": two},
            AC: {"q1": one, "q3": three},
            ABC: {"q1": one, "q2": two, "q3": three},
        }
        trials += [
            _trial(scene, condition, scene.state, questions)
            for condition, questions in asked.items()
        ]
        trials += [
            _trial(scene, A + LONGER, scene.state + more, asked[A]),
            _trial(scene, ABC + LONGER, scene.state + more, asked[ABC]),
            _trial(scene, A + LONGEST, scene.state + 2 * more, asked[A]),
            _trial(scene, RENAMED, scene.state, {"q1" + " and more of the id" * 5: one}),
        ]
    return trials


def _trial(scene: Scene, condition: str, state: str, questions: dict[str, Question]) -> Trial:
    return Trial(
        block=scene.name,
        condition=condition,
        group=scene.name,
        request=Request(state, questions),
        watched=tuple(questions),
        size=len(state),
    )


def judge(outcomes: Sequence[Outcome], setting: Setting) -> Judgement:
    told = [one for one in outcomes if one.reply is None or one.reply.input_tokens]
    silent = None if told else "it tells no tokens"
    why = first_refusal(told) or silent or "for a longer state it tells no more tokens"
    seed = setting.seed

    def per_question(a: Outcome, long_a: Outcome, abc: Outcome, long_abc: Outcome) -> float | None:
        once = _tokens(long_a) - _tokens(a)
        return None if once == 0 else ((_tokens(long_abc) - _tokens(abc)) / once - 1) / 2

    def second_half(a: Outcome, longer: Outcome, longest: Outcome) -> float | None:
        first = _tokens(longer) - _tokens(a)
        return None if first == 0 else (_tokens(longest) - _tokens(longer)) / first - 1

    findings = (
        judge_mean(
            "the tokens of questions add up",
            "tokens of three questions beyond the sum of their parts (mean)",
            paired(told, (A, AB, AC, ABC), lambda a, ab, ac, abc: (
                _tokens(abc) - _tokens(ab) - _tokens(ac) + _tokens(a)
            )),
            margin=TOKEN, seed=seed, why_none=why,
        ),
        judge_mean(
            "the state is counted once, however many questions there are",
            "times that the state is counted again for one more question (mean; 1: every time)",
            paired(told, (A, A + LONGER, ABC, ABC + LONGER), per_question),
            margin=SHARE, seed=seed, why_none=why,
        ),
        judge_mean(
            "all of a long state is counted",
            "tokens of a text's second appearance, relative to its first, less 1 (mean)",
            paired(told, (A, A + LONGER, A + LONGEST), second_half),
            margin=SHARE, seed=seed, why_none=why,
        ),
        judge_mean(
            "ids are not counted",
            "input tokens for a longer id (mean)",
            paired(told, (A, RENAMED), lambda a, renamed: _tokens(renamed) - _tokens(a)),
            margin=TOKEN, seed=seed, why_none=why,
        ),
    )  # fmt: skip
    return Judgement(findings, (_table(told),))


def _tokens(outcome: Outcome) -> int:
    assert outcome.reply is not None and outcome.reply.input_tokens is not None
    return outcome.reply.input_tokens


def _table(told: Sequence[Outcome]) -> Table:
    conditions = list(dict.fromkeys(one.trial.condition for one in told))
    rows = tuple(
        (
            next(iter(block.values()))[0].trial.group,
            *(_tokens(block[name][0]) if name in block else None for name in conditions),
        )
        for block in complete_blocks(told)
    )
    return Table("Input tokens", ("text", *conditions), rows)


EXPERIMENT = Experiment(
    name="tokens",
    asks="What does the server count as input tokens?",
    plan=plan,
    judge=judge,
)
