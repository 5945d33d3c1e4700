"""FOLIO: conclusions from premises in plain English, checked in first-order logic (Han et al.)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data.ask import Origin
from steelyard.data.deduction import Verdict, judged, which_follows
from steelyard.data.files import read_jsonl
from steelyard.data.normal import decoded
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

VERDICTS: dict[str, Verdict] = {
    "True": "true",
    "False": "false",
    "Unknown": "unknown",
    "Uncertain": "unknown",
}


def read(folder: Path, rng: Random) -> Iterator[Example]:
    stories: dict[tuple[int, tuple[str, ...]], list[tuple[str, Verdict]]] = {}
    for row in read_jsonl(folder / "folio/folio-train.jsonl.gz"):
        # A few rows of one story word its premises differently.
        story = row["story_id"], tuple(decoded(line) for line in row["premises"])
        stories.setdefault(story, []).append(_statement(row))
    for (number, premises), statements in stories.items():
        origin = Origin("folio", SOURCE.licence, str(number))
        state = _shown(premises, rng)
        for text, verdict in statements:
            yield from judged(origin, state, text, verdict, rng)
        yield from which_follows(origin, state, statements, rng)


def _statement(row: dict[str, Any]) -> tuple[str, Verdict]:
    text = decoded(row["conclusion"])
    return text if text.endswith(".") else f"{text}.", VERDICTS[row["label"]]


def _shown(premises: Sequence[str], rng: Random) -> Content:
    return rng.choice(
        (
            " ".join(premises),
            "\n".join(premises),
            "\n".join(f"{n}. {line}" for n, line in enumerate(premises, start=1)),
            {"premises": list(premises)},
        )
    )


SOURCE = Source(
    name="folio",
    licence="CC-BY-SA-4.0",
    read=read,
    about="Han et al. 2024, FOLIO: Natural Language Reasoning with First-Order Logic",
)
