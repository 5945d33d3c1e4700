"""HelpSteer: five qualities of an assistant's response, graded 0 to 4 (Wang et al. 2023)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

from steelyard.data.ask import Origin, score
from steelyard.data.files import read_jsonl
from steelyard.data.groups import group_of
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.types.example import Example

QUALITIES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "helpfulness": (
        ("How helpful is the response?", "Grade how well the response serves the request."),
        ("not helpful", "hardly helpful", "somewhat helpful", "mostly helpful", "very helpful"),
    ),
    "correctness": (
        ("How correct is the response?", "Are all relevant facts there and free of errors?"),
        ("wrong throughout", "mostly wrong", "partly right", "mostly right", "fully right"),
    ),
    "coherence": (
        ("How consistent and clear is the response?", "Grade the coherence of the response."),
        (
            "incoherent",
            "mostly incoherent",
            "a little unclear",
            "mostly clear",
            "perfectly clear and consistent",
        ),
    ),
    "complexity": (
        ("How much expertise does it take to write this response?", "Grade its complexity."),
        (
            "anybody could write it",
            "simple language",
            "some education needed",
            "advanced knowledge needed",
            "an expert's writing",
        ),
    ),
    "verbosity": (
        ("How much detail is there for what was asked?", "Grade how long-winded it is."),
        ("very short", "rather short", "average", "rather long", "very long"),
    ),
}


def read(folder: Path, rng: Random) -> Iterator[Example]:
    with counted_skips("helpsteer") as skips:
        for row in read_jsonl(folder / "helpsteer/train.jsonl"):
            if not row["prompt"].strip() or not row["response"].strip():
                skips["an empty prompt or response"] += 1
                continue
            origin = Origin("helpsteer", SOURCE.licence, group_of(row["prompt"]))
            state = {"prompt": row["prompt"], "response": row["response"]}
            for name in rng.sample(list(QUALITIES), 2):
                asks, levels = QUALITIES[name]
                yield score(origin, state, rng.choice(asks), levels, int(row[name]))


SOURCE = Source(
    name="helpsteer",
    licence="CC-BY-4.0",
    read=read,
    about="Wang et al. 2023, HelpSteer: Multi-attribute Helpfulness Dataset for SteerLM",
)
