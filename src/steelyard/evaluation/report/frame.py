"""The frame of a drawing: where numbers lie on it, its axes, and the shapes charts are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

from steelyard.evaluation.report.markup import Markup, tag

WIDTH, HEIGHT = 340.0, 260.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 12.0, 12.0, 40.0
COLOURS = ("a", "b", "c", "d")
"""Classes of the series, in order; the style sheet has their colours for light and dark."""

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Frame:
    """A plot whose x and y span these ranges; `log_x` for an axis in decades."""

    x: Span = (0.0, 1.0)
    y: Span = (0.0, 1.0)
    log_x: bool = False

    def px(self, value: float) -> float:
        """Across, in units of the drawing."""
        low, high = self.x
        if self.log_x:
            value, low, high = log10(value), log10(low), log10(high)
        return LEFT + (WIDTH - LEFT - RIGHT) * (value - low) / ((high - low) or 1)

    def py(self, value: float) -> float:
        """Down, in units of the drawing."""
        low, high = self.y
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / ((high - low) or 1)


def drawing(title: str, *shapes: Markup) -> Markup:
    """An SVG with a title that is read aloud, above it as a caption."""
    picture = tag(
        "svg",
        tag("title", title),
        *shapes,
        viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}",
        role="img",
        class_="chart",
    )
    return tag("figure", tag("figcaption", title), picture)


def axes(
    frame: Frame,
    x_name: str,
    y_name: str,
    x_ticks: Sequence[tuple[float, str]],
    y_ticks: Sequence[tuple[float, str]],
) -> list[Markup]:
    """Lines, ticks and names of both axes."""
    left, bottom = LEFT, HEIGHT - BOTTOM
    shapes = [
        line(left, bottom, WIDTH - RIGHT, bottom, "axis"),
        line(left, TOP, left, bottom, "axis"),
        text((left + WIDTH - RIGHT) / 2, HEIGHT - 6, x_name, "name"),
        tag(
            "text",
            y_name,
            class_="name",
            transform=f"translate(11 {(TOP + bottom) / 2:g}) rotate(-90)",
        ),
    ]
    for value, label in x_ticks:
        shapes.append(line(frame.px(value), bottom, frame.px(value), bottom + 4, "axis"))
        shapes.append(text(frame.px(value), bottom + 15, label, "tick"))
    for value, label in y_ticks:
        shapes.append(line(left, frame.py(value), WIDTH - RIGHT, frame.py(value), "grid"))
        shapes.append(text(left - 6, frame.py(value) + 3.5, label, "tick end"))
    return shapes


def shares(steps: int = 5) -> list[tuple[float, str]]:
    """Ticks from 0 to 1."""
    return [(step / steps, f"{step / steps:g}") for step in range(steps + 1)]


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def path(points: Sequence[tuple[float, float]], class_: str) -> Markup:
    """A line through points of the drawing."""
    return tag("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points), class_=class_)


def dot(x: float, y: float, radius: float, class_: str, told: str) -> Markup:
    """A circle that says what it is when it is pointed at."""
    return tag("circle", tag("title", told), cx=x, cy=y, r=radius, class_=class_)


def bar(x: float, y: float, width: float, height: float, class_: str, told: str) -> Markup:
    return tag(
        "rect", tag("title", told), x=x, y=y, width=width, height=max(0.0, height), class_=class_
    )


def text(x: float, y: float, words: str, class_: str) -> Markup:
    return tag("text", words, x=x, y=y, class_=class_)
