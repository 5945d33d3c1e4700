"""What a second stage learns from: what the first gets wrong, some that it can do, and a reminder.

The first stage's model reads a pool of labelled examples. Those that it gets wrong or is unsure of
are *hard* and keep their targets, some *easy* ones join them, and as many *replay* ones hold the
model where it was: their target is what the first stage itself said (Plumb-4B, after the Trutina
report, 12.1; replaying distributions instead of rows: decider v2.1).

Why such a target is a divergence from the first stage's distribution q: of

    KL(q || p) = CE(q, p) - H(q)

the entropy H(q) does not depend on the weights, so the loss's cross entropy to q has the gradient
of the divergence. The Brier score and the RPS towards q stay in the loss: they, too, are least at
p = q and have no gradient there. Near q they only add to the pull. Its second derivatives in the
scores are J = diag(q) - q q' for the divergence, 2 a J J for a times Brier, and for b times RPS
2 b J C' C J / (K - 1), where C are the K - 1 rows that make cumulative shares. J has no eigenvalue
above 1/2, nor C J C' a trace above (K - 1) / 4, so with a = 0.5 and b = 1 each adds at most half of
the divergence's pull. How strong the pull is altogether is `replay_weight`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Literal, TypeAlias

import numpy as np

from steelyard.errors import RequestError, ShapeError
from steelyard.metrics.distances import kl_divergences, mode_hits, total_variations
from steelyard.types.codec import dumps
from steelyard.types.example import Example

Standing: TypeAlias = Literal["hard", "easy", "contested"]

DECIDED = 2 / 3
"""Least share at the gold option of a label that says which answer is right. A rule's label keeps
more when it is smoothed (0.95, and 0.7 on a scale; data/soft.py); two votes of three do not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MinePlan:
    """What is kept of a pool.

    Attributes:
        below: an answer is unsure where it gives a certain label less than this.
        easy: easy examples for each hard one.
        replay: replayed examples for each hard or easy one.
        replay_weight: of a replayed example in the loss, beside 1 of the same example as it was.
        most_hard: hard examples kept at most; None keeps all.
    Raises:
        RequestError: a value outside what is allowed.
    """

    below: float = 0.8
    easy: float = 0.25
    replay: float = 1.0
    replay_weight: float = 1.0
    most_hard: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.below < 1:
            raise RequestError(f"{self.below!r}; allowed: between 0 and 1", field="below")
        for name in ("easy", "replay"):
            share = getattr(self, name)
            if not 0 <= share < math.inf:
                raise RequestError(f"{share!r}; allowed: 0 or more", field=name)
        if not 0 < self.replay_weight < math.inf:
            raise RequestError(f"{self.replay_weight!r}; allowed: above 0", field="replay_weight")
        if self.most_hard is not None and self.most_hard < 1:
            raise RequestError(f"{self.most_hard!r}; allowed: 1 or more", field="most_hard")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCounts:
    """Examples of one source.

    Attributes:
        read: in the pool; `found_hard` and `contested` are some of them.
        hard, easy, replay: kept.
    """

    name: str
    read: int
    found_hard: int
    contested: int
    hard: int
    easy: int
    replay: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mined:
    """What was kept, and of how much.

    Attributes:
        examples: source by source, else in the pool's order; replayed ones have new targets.
        sources: in the order of the pool.
        wanted_easy, wanted_replay: by the plan; fewer were kept where the pool had no more.
    """

    examples: tuple[Example, ...]
    sources: tuple[SourceCounts, ...]
    wanted_easy: int
    wanted_replay: int


def mine(
    examples: Sequence[Example],
    forecasts: Sequence[Sequence[float]],
    plan: MinePlan,
    *,
    seed: int,
) -> Mined:
    """Choose from a pool what a second stage learns from.

    All hard examples are kept, or `plan.most_hard` of them with the sources' shares among the hard.
    Easy ones are drawn from the easy, replayed ones from all that is left, both with the sources'
    shares in the pool; a source that has no more leaves its part to the others. Within a source
    whole states are drawn, for the questions of a state cost little more than one of them.

    Args:
        forecasts: for each example the first stage's probabilities, in the order of its options.
            They must be the softmax of the scores that the loss will see: calibrated ones would
            teach their temperature to the weights.
    Raises:
        ShapeError: a forecast is no distribution over its example's options.
    """
    standings = [
        standing(forecast, example, plan.below)
        for forecast, example in zip(forecasts, examples, strict=True)
    ]
    draw = _Draw(examples, Random(seed))
    found = [index for index, one in enumerate(standings) if one == "hard"]
    most = len(found) if plan.most_hard is None else plan.most_hard
    hard = draw.by_source(found, most, draw.counts(found))
    read = draw.counts(range(len(examples)))
    wanted_easy = round(plan.easy * len(hard))
    can = [index for index, one in enumerate(standings) if one == "easy"]
    easy = draw.by_source(can, wanted_easy, read)
    taken = {*hard, *easy}
    wanted_replay = round(plan.replay * len(taken))
    left = [index for index in range(len(examples)) if index not in taken]
    replay = draw.by_source(left, wanted_replay, read)
    kept = {index: examples[index] for index in taken} | {
        index: replayed(examples[index], forecasts[index], plan.replay_weight) for index in replay
    }
    place = {name: number for number, name in enumerate(read)}
    order = sorted(kept, key=lambda index: (place[examples[index].source], index))
    counts = {
        "found_hard": draw.counts(found),
        "contested": draw.counts(i for i, one in enumerate(standings) if one == "contested"),
        "hard": draw.counts(hard),
        "easy": draw.counts(easy),
        "replay": draw.counts(replay),
    }
    return Mined(
        examples=tuple(kept[index] for index in order),
        sources=tuple(
            SourceCounts(name=name, read=number, **{of: counts[of][name] for of in counts})
            for name, number in read.items()
        ),
        wanted_easy=wanted_easy,
        wanted_replay=wanted_replay,
    )


def thinned(examples: Iterable[Example], mix: Mapping[str, float], seed: int) -> list[Example]:
    """The examples of a draw of groups, as many of each source as a training run's mix takes.

    Args:
        mix: source -> share of its groups; 1 where none is given.
    """
    return [
        one
        for one in examples
        if Random(f"{seed}:{one.source}:{one.group}").random() < mix.get(one.source, 1.0)
    ]


def standing(forecast: Sequence[float], example: Example, below: float) -> Standing:
    """What an answer makes of an example.

    A label that is decided is hard where the likeliest option is not its own, or where more than
    1 - below of the probability stands elsewhere than in the target (total variation). With all of
    the target on one option this is p(gold) < below; what a target leaves to other options by
    smoothing is asked of nobody. Else it is easy.

    A label that is contested, such as five votes against four, is not hard because p(gold) is low:
    so is its target's, and mined items of this sort were noise (Trutina report, 10.1). It is hard
    where its divergence KL(target || forecast) is above -ln below, what a certain label costs at
    p(gold) = below, and above the uniform forecast's: whoever knows nothing would have done better.
    Such labels are never easy.

    Raises:
        ShapeError: the forecast is no distribution over the example's options.
    """
    if len(forecast) != len(example.target):
        raise ShapeError(
            f"{len(forecast)} probabilities; allowed: {len(example.target)}, one for each option",
            field="forecast",
        )
    p, target = np.array([forecast], dtype=np.float64), np.array([example.target])
    if target.max() >= DECIDED:
        far = total_variations(p, target)[0] > 1 - below
        return "hard" if far or not mode_hits(p, target)[0] else "easy"
    uniform = np.full_like(target, 1 / target.size)
    bound = max(-math.log(below), float(kl_divergences(uniform, target)[0]))
    return "hard" if kl_divergences(p, target)[0] > bound else "contested"


def replayed(example: Example, forecast: Sequence[float], weight: float) -> Example:
    """The example with a model's own distribution as its target, and `weight` times its weight.

    The options may come in another order when it is learned from, and without their descriptions:
    the target then asks for the same answer all the same.
    """
    total = math.fsum(forecast)
    target = tuple(min(1.0, share / total) for share in forecast)
    return replace(example, target=target, weight=weight * example.weight)


def apportioned(total: int, shares: Mapping[str, int], room: Mapping[str, int]) -> dict[str, int]:
    """`total` split in proportion to shares, by largest remainders, and no part above its room.

    What a name has no room for goes to the others in proportion; with too little room altogether
    all of it is filled.
    """
    parts = dict.fromkeys(room, 0)
    waiting = {name: shares[name] for name in room if shares[name] > 0 and room[name] > 0}
    left = total
    while True:
        whole = sum(waiting.values())
        full = [name for name in waiting if left * waiting[name] >= room[name] * whole]
        if not full:
            break
        for name in full:
            parts[name] = room[name]
            left -= room[name]
            del waiting[name]
    remainders = {}
    for name, share in waiting.items():
        parts[name], remainders[name] = divmod(left * share, whole)
    missing = left - sum(parts[name] for name in waiting)
    for name in sorted(remainders, key=lambda name: (-remainders[name], name))[:missing]:
        parts[name] += 1
    return parts


class _Draw:
    """Draws indices of a pool; every call goes on with the same random numbers."""

    def __init__(self, examples: Sequence[Example], rng: Random) -> None:
        self._examples = examples
        self._rng = rng

    def counts(self, indices: Iterable[int]) -> Counter[str]:
        """How many of each source."""
        return Counter(self._examples[index].source for index in indices)

    def by_source(self, indices: Sequence[int], total: int, shares: Mapping[str, int]) -> list[int]:
        """At most `total` of the indices, split among the sources as `apportioned` does."""
        by_source: defaultdict[str, list[int]] = defaultdict(list)
        for index in indices:
            by_source[self._examples[index].source].append(index)
        parts = apportioned(total, shares, {name: len(of) for name, of in by_source.items()})
        return [
            index for name, of in by_source.items() for index in self._by_state(of)[: parts[name]]
        ]

    def _by_state(self, indices: Sequence[int]) -> list[int]:
        """The indices with those of a state together, and the states in random order."""
        by_state: defaultdict[str, list[int]] = defaultdict(list)
        for index in indices:
            by_state[dumps(self._examples[index].state)].append(index)
        states = list(by_state.values())
        self._rng.shuffle(states)
        return [index for state in states for index in state]
