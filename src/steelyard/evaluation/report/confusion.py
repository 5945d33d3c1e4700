"""What was said against what is right, as a table whose cells are the darker the more they hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.evaluation.report.markup import Markup, tag
from steelyard.evaluation.run import Prediction

MOST_OPTIONS = 12


def confusion_table(title: str, predictions: Sequence[Prediction]) -> Markup | None:
    """A row for each right answer; None where questions differ in their number of options, or have
    more than 12.

    A choice's options are told by their place: answers are kept without their labels.
    """
    sizes = {len(one.target) for one in predictions}
    if len(sizes) != 1 or (size := sizes.pop()) > MOST_OPTIONS or size < 2:
        return None
    counts = np.zeros((size, size), dtype=int)
    for one in predictions:
        right, said = (
            max(range(size), key=row.__getitem__) for row in (one.target, one.probabilities)
        )
        counts[right, said] += 1
    names = _names(predictions[0].kind, size)
    rows = [
        tag("tr", tag("th", name), *(_cell(int(count), int(row.sum())) for count in row))
        for name, row in zip(names, counts, strict=True)
    ]
    head = tag("tr", tag("th", "right \\ said"), *(tag("th", name) for name in names))
    return tag(
        "figure",
        tag("figcaption", title),
        tag("table", tag("thead", head), tag("tbody", *rows), class_="confusion"),
    )


def _cell(count: int, total: int) -> Markup:
    share = count / total if total else 0.0
    return tag("td", f"{count:,}", style=f"--share: {share:.3f}")


def _names(kind: str, size: int) -> list[str]:
    if kind == "noul":
        return ["yes", "no"]
    return (
        [str(level) for level in range(size)]
        if kind == "score"
        else [f"option {place + 1}" for place in range(size)]
    )
