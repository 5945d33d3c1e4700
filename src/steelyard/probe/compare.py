"""Outcomes set beside one another: within a block, condition against condition."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from steelyard.probe.finding import Sample
from steelyard.probe.trial import Distribution, Outcome

BASE, AGAIN = "as it is", "again"
"""The request itself, and the same once more: what a change has to exceed."""


@dataclass(frozen=True, slots=True)
class Change:
    """A question asked in another way.

    Attributes:
        condition: which way.
        moved: total variation between the answer as it was and as it is now.
        noise: total variation between two answers to the unchanged request.
        flipped, noise_flipped: the most probable option is another one, likewise.
    """

    group: str
    condition: str
    moved: float
    noise: float
    flipped: bool
    noise_flipped: bool


def total_variation(one: Distribution, other: Distribution) -> float:
    """Mass that would have to move, in [0, 1]; an option that one lacks has no mass there."""
    return sum(abs(one.get(name, 0.0) - other.get(name, 0.0)) for name in {*one, *other}) / 2


def likeliest(answer: Distribution) -> str:
    """The most probable option; of several, the one whose name comes first, in any order sent."""
    return min(answer, key=lambda name: (-answer[name], name))


def complete_blocks(
    outcomes: Sequence[Outcome], needed: Iterable[str] = ()
) -> list[Mapping[str, list[Outcome]]]:
    """Answered outcomes by block and condition, of blocks that answered all `needed` conditions."""
    blocks: dict[str, dict[str, list[Outcome]]] = {}
    for outcome in outcomes:
        if outcome.reply is not None:
            block = blocks.setdefault(outcome.trial.block, {})
            block.setdefault(outcome.trial.condition, []).append(outcome)
    required = set(needed)
    return [block for block in blocks.values() if required <= set(block)]


def paired(
    outcomes: Sequence[Outcome],
    needed: Sequence[str],
    measure: Callable[..., float | None],
) -> Sample:
    """One value for each block that answered: `measure` of its first outcome in each condition.

    Args:
        needed: the conditions, in the order in which `measure` takes their outcomes.
        measure: None leaves the block out.
    """
    values, groups = [], []
    for block in complete_blocks(outcomes, needed):
        first = [block[condition][0] for condition in needed]
        value = measure(*first)
        if value is not None:
            values.append(value)
            groups.append(first[0].trial.group)
    return Sample(values, groups)


def changes(outcomes: Sequence[Outcome]) -> list[Change]:
    """Every condition but the first two, against the request as it is."""
    found = []
    for block in complete_blocks(outcomes, (BASE, AGAIN)):
        [base, *_], [again, *_] = block[BASE], block[AGAIN]
        for condition, others in block.items():
            if condition in (BASE, AGAIN):
                continue
            for other in others:
                trios = zip(base.answers, again.answers, other.answers, strict=True)
                found += [
                    Change(
                        group=base.trial.group,
                        condition=condition,
                        moved=total_variation(before, after),
                        noise=total_variation(before, once_more),
                        flipped=likeliest(before) != likeliest(after),
                        noise_flipped=likeliest(before) != likeliest(once_more),
                    )
                    for before, once_more, after in trios
                ]
    return found


def first_refusal(outcomes: Sequence[Outcome]) -> str | None:
    """What the server said where it first refused, or None where it refused nothing."""
    return next((one.refusal for one in outcomes if one.refusal is not None), None)


def log_odds(answer: Distribution, one: str, other: str) -> float | None:
    """ln p(one) / p(other); None where a rounded 0 leaves it open."""
    if answer[one] <= 0 or answer[other] <= 0:
        return None
    return math.log(answer[one] / answer[other])
