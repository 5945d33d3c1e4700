"""A labelled table as examples for training. Usage: prepare.py FOLDER

Three questions on each message of desk.csv. The answers are distributions: one person named the
queue and graded the anger, so a little is left for the others to be right; three people voted on
what is urgent, so the target is what they said.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from steelyard import Choice, Noul, Score
from steelyard.data import soft
from steelyard.types import Example, encode_example

VOTERS = 3
QUEUE = Choice(
    "Which team should handle this?",
    {
        "billing": "Charges, refunds and invoices",
        "technical": "Errors, outages and bugs",
        "sales": "Prices, offers and upgrades",
        "account": "Access, personal data and everything else",
    },
)
URGENT = Noul("Does it need an answer within the hour?")
ANGER = Score("How angry is the customer?", ["calm", "annoyed", "angry", "furious"])


def examples(row: Mapping[str, str]) -> Iterator[Example]:
    yes = int(row["urgent_votes"])
    asked = (
        (QUEUE, soft.hard(len(QUEUE.criteria), list(QUEUE.criteria).index(row["queue"]))),
        (URGENT, soft.votes([yes, VOTERS - yes])),
        (ANGER, soft.ordinal(len(ANGER.criteria), int(row["anger"]))),
    )
    for question, target in asked:
        yield Example(
            row["text"], question, target, source="desk", group=row["id"], licence="CC0-1.0"
        )


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with Path(__file__).with_name("desk.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    # Every fourth message is kept for validation, with all of its questions.
    for name, part in (
        ("train", [row for number, row in enumerate(rows) if number % 4]),
        ("valid", rows[::4]),
    ):
        lines = [json.dumps(encode_example(one)) + "\n" for row in part for one in examples(row)]
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
