"""Wrong options that are hard to tell from the right one, and are not secretly right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from random import Random

from steelyard.data.normal import normal, overlap, same

GRAM = 3


def distractors(
    gold: str,
    pool: Sequence[str],
    count: int,
    rng: Random,
    *,
    aliases: Iterable[str] = (),
    hard_share: float = 0.5,
    closed: bool = False,
) -> list[str]:
    """Wrong options from a pool, a share of them the most similar to `gold` in spelling.

    Nothing that is the same answer as `gold` or an alias is taken, and no two that are the same
    answer; nor, in an open pool, what contains a right answer or is contained in it. Fewer than
    `count` come back if the pool has no more.

    Args:
        pool: candidates of the answer's type and unit; may contain `gold` itself.
        hard_share: share taken by similarity; the others are drawn at random.
        closed: the pool is a fixed set of labels, so `transfer` is wrong where `failed transfer`
            is right.
    """
    right = [gold, *aliases]
    clash = same if closed else overlap
    wrong: dict[str, str] = {}
    for text in pool:
        if not any(clash(text, answer) for answer in right):
            wrong.setdefault(normal(text), text)
    candidates = list(wrong.values())
    near = nearest(gold, candidates, round(count * hard_share), rng)
    rest = [text for text in candidates if text not in set(near)]
    chosen = near + rng.sample(rest, min(count - len(near), len(rest)))
    rng.shuffle(chosen)
    return chosen


def nearest(text: str, candidates: Sequence[str], count: int, rng: Random) -> list[str]:
    """The candidates that share most letter trigrams with the text; ties fall by chance."""
    ranked = sorted(candidates, key=lambda other: (-similarity(text, other), rng.random()))
    return ranked[:count]


@lru_cache(maxsize=200_000)  # a pool of 200 labels has 40,000 pairs, and rows ask for all of them
def similarity(first: str, second: str) -> float:
    """Shared letter trigrams over all letter trigrams (Jaccard), in [0, 1]."""
    a, b = _grams(first), _grams(second)
    return len(a & b) / len(a | b)


@lru_cache(maxsize=50_000)
def _grams(text: str) -> frozenset[str]:
    padded = f"  {normal(text)}  "
    return frozenset(padded[i : i + GRAM] for i in range(len(padded) - GRAM + 1))
