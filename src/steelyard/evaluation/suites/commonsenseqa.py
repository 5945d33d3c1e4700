"""CommonsenseQA, dev split: everyday knowledge, five short answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from steelyard.evaluation.rows import Row, examples, json_lines
from steelyard.evaluation.suites.suite import one_hot
from steelyard.types.example import Example
from steelyard.types.question import Choice

LICENCE = "MIT"
INSTRUCTIONS = "Which answer fits the question best?"


def load(folder: Path) -> list[Example]:
    """Every question of `folder/commonsenseqa/dev_rand_split.jsonl.gz`.

    24 of them offer an answer twice; there the two are one option.
    """
    return examples(json_lines(folder / "commonsenseqa" / "dev_rand_split.jsonl.gz"), _examples)


def _examples(row: Row) -> Iterator[Example]:
    asked = row.within("question")
    texts = {choice.text("label"): choice.text("text") for choice in asked.objects("choices")}
    key = row.text("answerKey")
    if key not in texts:
        raise row.wrong("answerKey", f"one of {', '.join(texts)}")
    options = list(dict.fromkeys(texts.values()))
    yield Example(
        asked.text("stem"),
        Choice(INSTRUCTIONS, options),
        one_hot(options.index(texts[key]), len(options)),
        "commonsenseqa",
        row.text("id"),
        LICENCE,
    )
