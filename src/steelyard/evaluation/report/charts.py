"""The charts of a report; each takes numbers by run and gives a drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

import numpy as np

from steelyard.evaluation.report.frame import (
    BOTTOM,
    COLOURS,
    HEIGHT,
    Frame,
    axes,
    bar,
    dot,
    drawing,
    line,
    path,
    shares,
)
from steelyard.evaluation.report.markup import Markup
from steelyard.metrics.intervals import wilson_interval
from steelyard.metrics.reliability import ReliabilityBins
from steelyard.metrics.selective import RiskCoverage

LARGEST_DOT = 7.0
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)
"""Of an axis of error rates: the first with which six reach the top."""


def reliability_chart(title: str, bins: Sequence[tuple[str, ReliabilityBins]]) -> Markup:
    """How often answers of a confidence come true; on the diagonal they do as often as they say.

    A dot's area grows with its number of answers; its line is the 95 % interval (Wilson).
    """
    frame = Frame()
    shapes = axes(frame, "stated probability", "came true", shares(), shares())
    shapes.append(line(frame.px(0), frame.py(0), frame.px(1), frame.py(1), "diagonal"))
    for colour, (name, one) in zip(COLOURS, bins, strict=False):
        filled = one.counts > 0
        most = one.counts.max()
        for count, said, found in zip(
            one.counts[filled], one.confidences[filled], one.outcomes[filled], strict=True
        ):
            low, high = wilson_interval(round(float(found * count)), int(count))
            x, y = frame.px(float(said)), frame.py(float(found))
            told = f"{name}: {count} answers say {said:.2f}, {found:.2f} come true"
            shapes.append(line(x, frame.py(low), x, frame.py(high), f"whisker {colour}"))
            radius = max(1.5, LARGEST_DOT * float(np.sqrt(count / most)))
            shapes.append(dot(x, y, radius, f"dot {colour}", told))
    return drawing(title, *shapes)


def risk_chart(title: str, curves: Sequence[tuple[str, RiskCoverage]]) -> Markup:
    """The error rate of the surest answers, by the share of them that is taken."""
    highest = max(float(curve.risk.max()) for _, curve in curves)
    step = next(size for size in STEPS if highest <= 6 * size)
    count = max(1, ceil(highest / step - 1e-9))
    frame = Frame(y=(0.0, count * step))
    ticks = [(number * step, f"{number * step:g}") for number in range(count + 1)]
    shapes = axes(frame, "share answered", "wrong among them", shares(), ticks)
    for colour, (_, curve) in zip(COLOURS, curves, strict=False):
        points = zip(curve.coverage.tolist(), curve.risk.tolist(), strict=True)
        shapes.append(path([(frame.px(x), frame.py(y)) for x, y in points], f"curve {colour}"))
    return drawing(title, *shapes)


def accuracy_bars(
    title: str, x_name: str, runs: Sequence[tuple[str, Mapping[str, tuple[int, int]]]]
) -> Markup:
    """Share of right answers in parts of a suite, with 95 % intervals.

    Args:
        runs: of each run its name, and part -> (right, answers).
    """
    parts = list(dict.fromkeys(part for _, counts in runs for part in counts))
    frame = Frame(x=(0.0, float(len(parts))))
    labels = [(place + 0.5, part) for place, part in enumerate(parts)]
    shapes = axes(frame, x_name, "right", labels, shares())
    width = (frame.px(1) - frame.px(0)) * 0.8 / len(runs)
    for number, (colour, (name, counts)) in enumerate(zip(COLOURS, runs, strict=False)):
        for place, part in enumerate(parts):
            if part not in counts:
                continue
            right, n = counts[part]
            left = frame.px(place + 0.1) + number * width
            top = frame.py(right / n)
            told = f"{name}, {part}: {right} of {n} right"
            shapes.append(bar(left, top, width, HEIGHT - BOTTOM - top, f"bar {colour}", told))
            low, high = wilson_interval(right, n)
            middle = left + width / 2
            shapes.append(line(middle, frame.py(low), middle, frame.py(high), "whisker ink"))
    return drawing(title, *shapes)


def latency_chart(
    title: str, runs: Sequence[tuple[str, Sequence[tuple[str, float, float]]]]
) -> Markup:
    """Accuracy against the time of an answer.

    Args:
        runs: of each run its name, and (what, seconds above 0, accuracy) of each suite and kind.
    """
    times = [1000 * seconds for _, points in runs for _, seconds, _ in points]
    low = 10.0 ** floor(log10(min(times)))
    high = 10.0 ** ceil(log10(max(times)) + 1e-9)
    frame = Frame(x=(low, max(high, 10 * low)), log_x=True)
    decades = range(round(log10(frame.x[0])), round(log10(frame.x[1])) + 1)
    ticks = [(10.0**decade, f"{10.0**decade:g}") for decade in decades]
    shapes = axes(frame, "milliseconds an answer", "right", ticks, shares())
    for colour, (name, points) in zip(COLOURS, runs, strict=False):
        for what, seconds, accuracy in points:
            told = f"{name}, {what}: {1000 * seconds:.0f} ms, {accuracy:.2f} right"
            place = frame.px(1000 * seconds), frame.py(accuracy)
            shapes.append(dot(*place, 4.0, f"dot {colour}", told))
    return drawing(title, *shapes)
