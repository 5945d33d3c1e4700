"""From 2 to 255 options, the right one first, in the middle and last.

The state names a code, the options are codes, and the right one is that of the state: nothing is
hard about it but their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from steelyard.probe.compare import first_refusal
from steelyard.probe.experiment import Experiment, Judgement, Setting
from steelyard.probe.finding import Finding, Sample, judge_mean, plain_fact
from steelyard.probe.place import SHIFT, hits_table, is_right, judge_places, right_probability
from steelyard.probe.trial import ASKED, Outcome, Trial
from steelyard.types.question import Choice
from steelyard.types.request import Request

STATE = "The parcel carries the code {code}. It was handed in at counter {counter}."
WHICH = "Which code does the parcel carry?"
FIRST, MIDDLE, LAST = "first", "in the middle", "last"
QUICK_MOST = 100
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"


def plan(setting: Setting) -> list[Trial]:
    random = setting.random("option count")
    trials = []
    for count in setting.size((2, 8, 32, 255), (2, 4, 8, 16, 26, 50, 100, 200, 255)):
        # In a quick run the longest list is tried with one text, to see that it is taken.
        num_texts = setting.size(1 if count > QUICK_MOST else 2, 6)
        for number in range(1, num_texts + 1):
            right, *others = _codes(random, count)
            state = STATE.format(code=right, counter=random.randrange(1, 30))
            for place, at in ((FIRST, 0), (MIDDLE, count // 2), (LAST, count - 1)):
                if place == MIDDLE and count == 2:
                    continue  # it has none
                options = [*others[:at], right, *others[at:]]
                trials.append(
                    Trial(
                        block=f"{count} options, text {number}",
                        condition=place,
                        group=f"text {number}",
                        request=Request(state, {ASKED: Choice(WHICH, options)}),
                        right=right,
                        size=count,
                    )
                )
    return trials


def _codes(random: Random, count: int) -> list[str]:
    codes: dict[str, None] = {}  # in the order drawn, which a set would not keep
    while len(codes) < count:
        codes[f"{random.choice(LETTERS)}-{random.randrange(100, 1000)}"] = None
    return list(codes)


def judge(outcomes: Sequence[Outcome], setting: Setting) -> Judgement:
    answered = [one for one in outcomes if one.reply is not None]
    nulls = {
        "the right option is found in the middle as well as in first place": (FIRST, MIDDLE),
        "the right option is found in last place as well as in first place": (FIRST, LAST),
    }
    # Blocks of one text number share nothing but the number: each is a text of its own here.
    alone = [
        replace(one, trial=replace(one.trial, group=one.trial.block)) for one in outcomes
    ]  # fmt: skip
    places = judge_places(
        nulls,
        alone,
        setting,
        chance=sum(1 / one.trial.size for one in answered) / max(1, len(answered)),
        task="find the code",
        title="By the place of the right option",
    )
    by_count = hits_table(
        "By the number of options", outcomes, lambda one: f"{one.trial.size} options"
    )
    return Judgement(
        (_accepted(outcomes), *places.findings, _many(outcomes, setting)),
        (by_count, *places.tables),
    )


def _accepted(outcomes: Sequence[Outcome]) -> Finding:
    refused = sorted({one.trial.size for one in outcomes if one.reply is None})
    taken = sorted({one.trial.size for one in outcomes if one.reply is not None})
    null, measure = "as many as 255 options are answered", "largest number of options answered"
    if not refused:
        return plain_fact(null, measure, max(taken), "holds", "no number of options was refused")
    because = f"refused: {', '.join(map(str, refused))} options ({first_refusal(outcomes)})"
    most = max(taken, default=0)
    return plain_fact(null, measure, most, "not supported by this server", because)


def _many(outcomes: Sequence[Outcome], setting: Setting) -> Finding:
    """The most options against the fewest, by text number and place."""
    answered = [one for one in outcomes if one.reply is not None]
    found = {
        (one.trial.group, one.trial.condition, one.trial.size): right_probability(one)
        for one in answered
    }
    texts = {one.trial.size: set[str]() for one in answered}
    for one in answered:
        texts[one.trial.size].add(one.trial.group)
    sizes = [size for size, groups in texts.items() if len(groups) > 1]  # one text shows nothing
    fewest, most = min(sizes, default=0), max(sizes, default=0)
    values, names = [], []
    for (group, place, size), few in found.items():
        many = found.get((group, place, most))
        if size == fewest and many is not None:
            values.append(many - few)
            names.append(group)
    hits = sum(is_right(one) for one in answered if one.trial.size == fewest)
    asked = sum(one.trial.size == fewest for one in answered)
    return judge_mean(
        "among many options the right one is found as well as among few",
        f"probability of the right option: of {most}, less of {fewest} (mean)",
        Sample(values, names),
        margin=SHIFT,
        seed=setting.seed,
        blind=None if 2 * hits > asked else f"of {fewest} options the right one is not found",
        why_none=first_refusal(outcomes),
    )


EXPERIMENT = Experiment(
    name="option-count",
    asks="How many options can there be, and does the place of the right one matter?",
    plan=plan,
    judge=judge,
)
