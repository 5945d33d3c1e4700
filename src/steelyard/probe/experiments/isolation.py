"""A secret in a sibling question: can another question of the request read it?

The article's experiment "visibility": the same sentence in a sibling, in no sibling and in the
state. Only the last may matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.probe.compare import AGAIN, BASE, changes, first_refusal, paired
from steelyard.probe.experiment import Experiment, Judgement, Setting
from steelyard.probe.finding import Sample, judge_mean
from steelyard.probe.sameness import MOVED, judge_moved, table_of
from steelyard.probe.trial import ASKED, Outcome, Trial
from steelyard.types.question import Choice, Noul, Question
from steelyard.types.request import Request

STATE = "The weather is nice today and {place} is full of people."
PLACES = ("the park", "the market", "the beach", "the square", "the station", "the stadium")
ANIMALS = ("ZEBRA", "OTTER", "HERON", "TIGER", "MOOSE", "RAVEN", "CAMEL", "LLAMA")
SECRET = "The secret code for this request is {code}."
BESIDE = "Is the weather described as nice?"
WHICH = "Which secret code was mentioned?"
SIBLING, STATED, ALONE = "secret in a sibling", "secret in the state", "no sibling"
READS = 0.1
"""A model that gives a code this much more for being told it uses what it may read."""


def plan(setting: Setting) -> list[Trial]:
    random = setting.random("isolation")
    trials = []
    for place in PLACES[: setting.size(4, len(PLACES))]:
        animals = random.sample(ANIMALS, 3)
        codes = [f"{animal}-{random.randrange(1000, 10000)}" for animal in animals]
        state, secret = STATE.format(place=place), SECRET.format(code=codes[0])
        random.shuffle(shown := list(codes))
        which: dict[str, Question] = {ASKED: Choice(WHICH, [*shown, "none"])}
        plain = {"beside": Noul(BESIDE), **which}
        requests = {
            BASE: Request(state, plain),
            AGAIN: Request(state, plain),
            SIBLING: Request(state, {"beside": Noul(f"{secret}\n{BESIDE}"), **which}),
            ALONE: Request(state, which),
            STATED: Request(f"{state} {secret}", plain),
        }
        trials += [
            Trial(block=place, condition=condition, group=place, request=request, right=codes[0])
            for condition, request in requests.items()
        ]
    return trials


def judge(outcomes: Sequence[Outcome], setting: Setting) -> Judgement:
    refusal, seed = first_refusal(outcomes), setting.seed
    found = changes(outcomes)
    told = _rise(outcomes, STATED)
    used = judge_mean(
        "a code told in the state is given no weight",
        "rise of the code's probability for being told in the state",
        told,
        margin=READS,
        seed=seed,
        one_sided=True,
        why_none=refusal,
    )
    blind = (
        None
        if used.verdict == "does not hold"
        else "this model gives the code no weight even where it may read it, in the state"
    )
    leak = judge_mean(
        "a question cannot read what is said in a sibling",
        "rise of the secret's probability for being told in a sibling",
        _rise(outcomes, SIBLING),
        margin=MOVED,
        seed=seed,
        one_sided=True,
        blind=blind,
        why_none=refusal,
    )
    named = {
        "what a sibling says moves no probability": SIBLING,
        "a question asked alone is answered as beside others": ALONE,
    }
    moved = [
        judge_moved(
            null, [one for one in found if one.condition == condition], setting, MOVED, refusal
        )
        for null, condition in named.items()
    ]
    power = f"{used.measure}: {used.estimate:.3f}" if used.estimate is not None else refusal
    notes = (f"For comparison, {power}.",) if power else ()
    return Judgement((leak, *moved), (table_of(found),) if found else (), notes)


def _rise(outcomes: Sequence[Outcome], condition: str) -> Sample:
    def rise(base: Outcome, changed: Outcome) -> float:
        secret = base.trial.right
        assert secret is not None, "a block without a secret"
        return changed.answer[secret] - base.answer[secret]

    return paired(outcomes, (BASE, condition), rise)


EXPERIMENT = Experiment(
    name="isolation",
    asks="Can a question read its siblings, or is it judged on the state alone?",
    plan=plan,
    judge=judge,
)
