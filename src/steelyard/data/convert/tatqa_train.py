"""TAT-QA, training file: arithmetic and counts over a table and its text (Zhu et al. 2021)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data.answers import ShortAnswer, ask
from steelyard.data.ask import Origin
from steelyard.data.documents import table_text
from steelyard.data.figures import figure, numbers_in
from steelyard.data.files import read_json
from steelyard.data.normal import decoded, number
from steelyard.data.sheet_formula import FormulaError, evaluate, mistakes, tokens
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.types.example import Example

TYPES = ("arithmetic", "count")
SUFFIX = {"": "", "percent": "%", "thousand": " thousand", "million": " million",
          "billion": " billion"}  # fmt: skip
TOLERANCE = Decimal("0.006")
"""Answers are rounded to two decimals."""


def read(folder: Path, rng: Random) -> Iterator[Example]:
    with counted_skips("tatqa-train") as skips:
        for document in read_json(folder / "tatqa/tatqa_dataset_train.json"):
            cells = document["table"]["table"]
            texts = [decoded(each["text"]) for each in document["paragraphs"]]
            origin = Origin("tatqa-train", SOURCE.licence, document["table"]["uid"])
            for row in document["questions"]:
                answer = solved(row, cells, texts)
                if isinstance(answer, str):
                    skips[answer] += 1
                    continue
                state = "\n\n".join([table_text(cells, rng), *texts])
                yield from ask(origin, state, answer, rng)


def solved(
    row: Mapping[str, Any], cells: Sequence[Sequence[str]], texts: Sequence[str]
) -> ShortAnswer | str:
    """The answer, unless its derivation is a formula that gives something else."""
    if row["answer_type"] not in TYPES:
        return "the answer is a span"
    gold = number(str(row["answer"]))
    if gold is None:
        return "the answer is no number"
    text = gold_text(gold, row["scale"])
    percent = 100 if row["scale"] == "percent" else 1
    numbers = [number(cell) for line in cells for cell in line[1:]]
    nearby = [value for value in numbers if value is not None]
    nearby += [value for text in texts for value in numbers_in(text)]
    wrong: list[Decimal] = []
    if row["answer_type"] == "arithmetic":
        try:
            parts = tokens("=" + formula(row["derivation"]))
            result = evaluate(parts, _no_cell)
        except FormulaError:
            return "the derivation is no formula"
        scales = [s for s in (percent, 1) if abs(result * s - gold) <= TOLERANCE]
        if not scales:
            return "the answer is not what the derivation gives"
        for other in mistakes(parts):
            try:
                wrong.append(evaluate(other, _no_cell) * scales[0])
            except FormulaError:
                continue
    question = decoded(row["question"])
    if row["answer_type"] == "count":
        return ShortAnswer(question, text)
    return ShortAnswer(question, text, computed=wrong, nearby=nearby)


def formula(derivation: str) -> str:
    """A derivation as a formula: thousands without commas, brackets and crosses as plain signs."""
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", decoded(derivation))
    plain = re.sub(r"[$€£]", "", plain).replace("[", "(").replace("]", ")")
    return plain.replace("–", "-").replace("×", "*").replace("x", "*").replace("÷", "/")


def gold_text(gold: Decimal, scale: str) -> str:
    digits = format(gold, ",f")
    suffix = SUFFIX[scale]
    assert figure(digits + suffix) is not None, f"{digits}{suffix} is no figure"
    return digits + suffix


def _no_cell(name: str) -> Decimal:
    raise FormulaError(f"{name} in a derivation, which has numbers only")


SOURCE = Source(
    name="tatqa-train",
    licence="CC-BY-4.0",
    read=read,
    about="Zhu et al. 2021, TAT-QA: Hybrid of Tabular and Textual Content in Finance",
)
