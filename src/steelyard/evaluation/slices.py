"""Parts of a suite worth looking at on their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steelyard.evaluation.run import Prediction

BUCKETS = ((2, 2), (3, 5), (6, 10), (11, 26), (27, 255))


def slices_of(one: Prediction) -> Iterator[tuple[str, str]]:
    """(what is looked at, the part this answer is in): kind, source, options, place, layer."""
    yield "kind", one.kind
    if one.source:
        yield "source", one.source
    yield "options", options_bucket(len(one.target))
    if one.kind != "noul" and max(one.target) > 0:
        yield "right answer at", place_of_right(one)
    yield "layer", str(one.exit_layer)


def options_bucket(count: int) -> str:
    """The range of option counts that a count is in."""
    for low, high in BUCKETS:
        if low <= count <= high:
            return str(low) if low == high else f"{low}-{high}"
    return "1" if count < BUCKETS[0][0] else f"{BUCKETS[-1][1] + 1}-"


def place_of_right(one: Prediction) -> str:
    """Where the right option stands in the list: its first, its last, or a third between."""
    place, count = max(range(len(one.target)), key=one.target.__getitem__), len(one.target)
    if place in (0, count - 1):
        return "first" if place == 0 else "last"
    return ("early", "middle", "late")[min(2, 3 * (place - 1) // (count - 2))]


def sliced(
    predictions: Sequence[Prediction],
) -> dict[str, dict[str, list[Prediction]]]:
    """What is looked at -> part -> its answers; only what has two parts or more."""
    found: dict[str, dict[str, list[Prediction]]] = {}
    for one in predictions:
        for name, part in slices_of(one):
            found.setdefault(name, {}).setdefault(part, []).append(one)
    return {name: parts for name, parts in found.items() if len(parts) > 1}
