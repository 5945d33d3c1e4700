"""The worst errors of a run, with their texts, to be read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.evaluation.report.markup import Markup, joined, table, tag

SHOWN_OPTIONS = 8


def worst_errors(name: str, rows: Sequence[Mapping[str, Any]]) -> Markup:
    """Each error: what was asked of what, what was said, and what is right."""
    if not rows:
        return Markup()
    return tag("section", tag("h3", f"{name}: the worst errors"), *map(_error, rows))


def _error(row: Mapping[str, Any]) -> Markup:
    question = row["question"]
    asked = question.get("instructions")
    shown = _options(row)
    left_out = len(row["options"]) - len(shown)
    parts = [
        tag("p", tag("strong", _text(asked)) if asked else tag("em", "no instructions")),
        table(("option", "said", "right"), shown),
    ]
    if left_out:
        parts.append(tag("p", f"and {left_out} less likely options", class_="note"))
    about = f"{row['source'] or row['suite']} · {row['kind']} · surprise {row['surprise']:.2f} nats"
    state = tag("details", tag("summary", "state"), tag("pre", _text(row["state"])), open="")
    return tag(
        "div", tag("p", f"{about} · {row['example']}", class_="note"), joined(parts), state,
        class_="error",
    )  # fmt: skip


def _options(row: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The likeliest options, and those that are right."""
    triples = list(zip(row["options"], row["probabilities"], row["target"], strict=True))
    ranked = sorted(range(len(triples)), key=lambda place: -triples[place][1])
    kept = [place for rank, place in enumerate(ranked) if rank < SHOWN_OPTIONS or triples[place][2]]
    return [
        (_text(name), f"{said:.3f}", f"{right:.2f}" if right else "")
        for name, said, right in (triples[place] for place in kept)
    ]


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
