"""The user's questions in other words: the user's own, and frames that change no meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from steelyard.probe.compare import AGAIN, BASE
from steelyard.probe.experiment import Experiment, Judgement, Setting
from steelyard.probe.own import questions_of
from steelyard.probe.sameness import judge_sameness
from steelyard.probe.trial import ASKED, Outcome, Trial
from steelyard.types.question import Choice, Noul, Question, Score
from steelyard.types.request import Request

FRAMES = {
    "named a question": "Question: {text}",
    "asked politely": "Please answer this: {text}",
    "pointed at the text": "Going by the text alone: {text}",
}


def plan(setting: Setting) -> list[Trial]:
    trials = []
    for own in questions_of(setting):
        question = own.request.questions[ASKED]
        text = question.instructions
        if not isinstance(text, str):
            continue
        wordings = {condition: frame.format(text=text) for condition, frame in FRAMES.items()}
        wordings |= {f"own wording {n}": other for n, other in enumerate(own.wordings, start=1)}
        asked = {BASE: text, AGAIN: text} | wordings
        trials += [
            Trial(
                block=own.name,
                condition=condition,
                group=own.state_name,
                request=Request(own.request.state, {ASKED: _reworded(question, wording)}),
            )
            for condition, wording in asked.items()
        ]
    return trials


def _reworded(question: Question, text: str) -> Question:
    if isinstance(question, Choice):
        return Choice(text, question.criteria)
    assert isinstance(question, Noul | Score)
    return replace(question, instructions=text)


def judge(outcomes: Sequence[Outcome], setting: Setting) -> Judgement:
    if not outcomes:
        return Judgement((), notes=("The question file has no question in plain text.",))
    return judge_sameness("another wording of the question", outcomes, setting)


EXPERIMENT = Experiment(
    name="paraphrase",
    asks="Does the answer depend on how the question is worded?",
    plan=plan,
    judge=judge,
)
