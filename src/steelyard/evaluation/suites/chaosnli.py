"""ChaosNLI: what 100 people each said about the same pair of sentences. For evaluation only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from steelyard.evaluation.rows import Row, examples, json_lines
from steelyard.types.example import Example
from steelyard.types.question import Choice

LICENCE = "CC-BY-NC-4.0"
FOLLOWS = Choice(
    "What does the premise say about the hypothesis?",
    {
        "entailment": "It is true, given the premise",
        "neutral": "It may or may not be true",
        "contradiction": "It is false, given the premise",
    },
)
BETWEEN = Choice(
    "What more likely happened between the beginning and the end?",
    {"first": "What the first account tells", "second": "What the second account tells"},
)


def load(folder: Path) -> list[Example]:
    """Every row of the three files of `folder/chaosnli`, with the share of each vote."""

    def follows(row: Row) -> Iterator[Example]:
        pair = row.within("example")
        state = {"premise": pair.text("premise"), "hypothesis": pair.text("hypothesis")}
        part = "mnli" if pair.text("source").startswith("mnli") else "snli"
        target = _shares(row, ("e", "n", "c"))
        yield Example(state, FOLLOWS, target, f"chaosnli/{part}", row.text("uid"), LICENCE)

    def between(row: Row) -> Iterator[Example]:
        told = row.within("example")
        state = {
            "beginning": told.text("obs1"),
            "first": told.text("hyp1"),
            "second": told.text("hyp2"),
            "end": told.text("obs2"),
        }
        target = _shares(row, ("1", "2"))
        yield Example(state, BETWEEN, target, "chaosnli/alphanli", row.text("uid"), LICENCE)

    return [
        example
        for name, convert in (("snli", follows), ("mnli_m", follows), ("alphanli", between))
        for example in examples(
            json_lines(folder / "chaosnli" / f"chaosNLI_{name}.jsonl.gz"), convert
        )
    ]


def _shares(row: Row, keys: tuple[str, ...]) -> tuple[float, ...]:
    counter = row.within("label_counter")
    if not set(counter.fields) <= set(keys):
        raise row.wrong("label_counter", f"votes for {', '.join(keys)}")
    votes = [counter.number(key) if key in counter.fields else 0.0 for key in keys]
    return tuple(vote / sum(votes) for vote in votes)
