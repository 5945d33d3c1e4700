"""JudgeBench: which of two answers to a hard question is right, each pair in both orders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from steelyard.evaluation.rows import Row, examples, json_lines
from steelyard.evaluation.suites.suite import one_hot
from steelyard.types.example import Example
from steelyard.types.question import Choice

LICENCE = "MIT"
FILES = ("claude-3-5-sonnet-20240620", "gpt-4o-2024-05-13")
QUESTION = Choice(
    "Two answers to the same question: which one is right?",
    {"first": "The first answer", "second": "The second answer"},
)
BETTER = {"A>B": 0, "B>A": 1}


def load(folder: Path) -> list[Example]:
    """Every pair of `folder/judgebench` twice, the second time with the answers exchanged.

    Both readings of a pair are one group, so the share of groups that are right throughout is the
    benchmark's own figure: a judge must be right in both orders.
    """

    def convert(row: Row) -> Iterator[Example]:
        label = row.text("label")
        if label not in BETTER:
            raise row.wrong("label", ", ".join(BETTER))
        answers = row.text("response_A"), row.text("response_B")
        for swapped in (False, True):
            first, second = reversed(answers) if swapped else answers
            yield Example(
                {"question": row.text("question"), "first": first, "second": second},
                QUESTION,
                one_hot(BETTER[label] ^ swapped, 2),
                f"judgebench/{row.text('source')}",
                row.text("pair_id"),
                LICENCE,
            )

    return [
        example
        for name in FILES
        for example in examples(json_lines(folder / "judgebench" / f"{name}.jsonl.gz"), convert)
    ]
