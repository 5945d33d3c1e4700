"""TAT-QA: questions on a table of a financial report and its text (Zhu et al. 2021).

Wrong options come from the same document and are of the answer's type and unit: other cells, other
years, other row names, or, for computed answers, the same computation on other cells.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data.ask import Origin, Wordings, choice, pick
from steelyard.data.claim import Claim, claim
from steelyard.data.files import read_json
from steelyard.data.normal import decoded, number, overlap
from steelyard.data.source import Source
from steelyard.data.tables import barred
from steelyard.types.content import Content
from steelyard.types.example import Example

MAX_ANSWER_CHARS = 220
SIZE_FACTOR = 10
"""How many times larger or smaller than the answer a computed wrong option may be."""

SIZES = (2, 3, 4, 4, 5, 6, 8)

ANSWER = (
    "{question}",
    "{question} Choose the right value.",
    "Question from an analyst: {question}",
    "Answer from the table and the text: {question}",
    "Which option answers this? {question}",
    "Q: {question}",
    "Look it up or work it out: {question}",
)
CHECK = (
    "{question} Is it {answer}?",
    "Someone answered {answer} to this: {question} Is that right?",
    'Is "{answer}" the answer to: {question}',
    "{question} -> {answer}. Correct?",
    "Verify against the report. Question: {question} Answer: {answer}",
    "Would an auditor accept {answer} here? {question}",
)
MEMBER: tuple[Claim, ...] = (
    "{question} Is {answer} one of them?",
    "Does {answer} belong in the answer to this: {question}",
    'Should the list of answers include "{answer}"? {question}',
    "{question} Check one entry: {answer}",
    "Is {answer} among the answers to the question: {question}",
    {
        "true": "{answer} is part of the answer to: {question}",
        "false": "{answer} is no part of the answer to: {question}",
    },
)
HOW_MANY = (
    "How many separate answers does this question have? {question}",
    "Count the items that answer: {question}",
    "{question} How many entries does the complete answer list?",
    "Number of items in the full answer to: {question}",
    "How many values must a complete reply give? {question}",
    "items asked for: {question}",
)
COUNT_CHECK = (
    "{question} Are there {answer} of them?",
    "A complete answer has {answer} items. True? {question}",
    "Is {answer} the right number of answers to: {question}",
    "Does this question have exactly {answer} answers? {question}",
    "{answer} items in the full answer? {question}",
    "Would a correct list have {answer} entries? {question}",
)

SCALE = (
    "In which scale is the answer to this question? {question}",
    "What unit of size belongs to the answer? {question}",
    "Choose the scale of the number asked for: {question}",
    "The reply will be a bare number. What must be written after it? {question}",
    "scale of the answer: {question}",
    "By what is the printed figure to be read? {question}",
)
SCALES = {
    "none": "the number stands for itself",
    "thousand": "in thousands",
    "million": "in millions",
    "billion": "in billions",
    "percent": "a percentage",
}
TYPE = (
    "How is this question answered? {question}",
    "What kind of answer does it take? {question}",
    "Choose what a program must do to answer: {question}",
    "Route the question to the right solver: {question}",
    "answer type: {question}",
    "What is needed to reply to this? {question}",
)
TYPES = {
    "span": "one piece of the table or text is copied",
    "multi-span": "several pieces of the table or text are copied",
    "arithmetic": "numbers are computed with",
    "count": "things are counted",
}


def read(folder: Path, rng: Random) -> Iterator[Example]:
    for document in read_json(folder / "tatqa/tatqa_dataset_dev.json.gz"):
        origin = Origin("tatqa", SOURCE.licence, document["table"]["uid"])
        state = _state(document, rng)
        rows = document["table"]["table"]
        spans = [decoded(text) for item in document["questions"] for text in _listed(item)]
        for item in document["questions"]:
            yield from _answered(origin, state, item, rows, spans, rng)
            if _is_amount(item) and rng.random() < 0.3:
                names = item["scale"] or "none"
                yield _named(origin, state, SCALE, SCALES, names, item["question"], rng)
            if rng.random() < 0.3:
                yield _named(origin, state, TYPE, TYPES, item["answer_type"], item["question"], rng)


def _answered(
    origin: Origin,
    state: Content,
    item: Mapping[str, Any],
    rows: Sequence[Sequence[str]],
    spans: Sequence[str],
    rng: Random,
) -> Iterator[Example]:
    question = decoded(item["question"])
    words = _about(question, ANSWER, CHECK)
    match item["answer_type"]:
        case "span":
            answer = decoded(item["answer"][0])
            if not answer or len(answer) > MAX_ANSWER_CHARS:  # one answer was left blank
                return
            gold, pool = _like(answer, rows, spans)
            unit = _unit(item, rng) if _is_amount(item) else ""
            named = [f"{text}{unit}" for text in pool if len(text) <= MAX_ANSWER_CHARS]
            yield from pick(
                origin, state, words, f"{gold}{unit}", named, rng, sizes=SIZES, verify=0.6
            )
        case "arithmetic":
            unit = _unit(item, rng)
            gold = _spelt(float(item["answer"]))
            pool = [f"{text}{unit}" for text in _computed(item, rows)]
            yield from pick(
                origin, state, words, f"{gold}{unit}", pool, rng, sizes=SIZES, verify=0.6
            )
        case "count":
            yield from _counted(origin, state, words, int(item["answer"]), rng)
        case "multi-span":
            yield from _members(origin, state, item, rows, spans, rng)
            words = _about(question, HOW_MANY, COUNT_CHECK)
            if rng.random() < 0.5:
                yield from _counted(origin, state, words, len(item["answer"]), rng)


def _members(
    origin: Origin,
    state: Content,
    item: Mapping[str, Any],
    rows: Sequence[Sequence[str]],
    spans: Sequence[str],
    rng: Random,
) -> Iterator[Example]:
    question = decoded(item["question"])
    answers = [text for text in _listed(item) if len(text) <= MAX_ANSWER_CHARS]
    if not answers:
        return
    gold, pool = _like(rng.choice(answers), rows, spans)
    right = [_bare(text) for text in _listed(item)]
    wrong = [text for text in pool if not any(overlap(text, answer) for answer in right)]
    yield claim(origin, state, MEMBER, True, rng, question=question, answer=gold)
    if wrong:
        other = rng.choice(wrong)
        yield claim(origin, state, MEMBER, False, rng, question=question, answer=other)


def _counted(
    origin: Origin, state: Content, words: Wordings, count: int, rng: Random
) -> Iterator[Example]:
    pool = [str(other) for other in range(max(0, count - 4), count + 5)]
    yield from pick(
        origin, state, words, str(count), pool, rng, sizes=SIZES, verify=0.6, closed=True
    )


def _named(
    origin: Origin,
    state: Content,
    wordings: Sequence[str],
    meaning: Mapping[str, str],
    gold: str,
    question: str,
    rng: Random,
) -> Example:
    labels = list(meaning)
    rng.shuffle(labels)
    described = rng.random() < 0.5
    options = {label: meaning[label] if described else None for label in labels}
    asked = rng.choice(wordings).format(question=decoded(question))
    return choice(origin, state, asked, options, labels.index(gold))


def _about(question: str, asked: Sequence[str], checked: Sequence[str]) -> Wordings:
    """The wordings with the question in its place; `{answer}` stays to be filled."""
    kept = question.replace("{", "{{").replace("}", "}}")
    return Wordings(
        choice=[text.replace("{question}", question) for text in asked],
        noul=[text.replace("{question}", kept) for text in checked],
    )


def _like(
    answer: str, rows: Sequence[Sequence[str]], spans: Sequence[str]
) -> tuple[str, list[str]]:
    """An answer and what else of its type stands in the document, in one spelling."""
    cells = [_bare(cell) for row in rows for cell in row if cell.strip()]
    gold = _bare(answer)
    value = number(gold)
    if _is_year(gold):
        return gold, [cell for cell in cells if _is_year(cell)]
    if value is not None:
        percent = gold.endswith("%")
        return gold, [
            cell
            for cell in cells
            if (other := number(cell)) is not None
            and not _is_year(cell)
            and cell.endswith("%") == percent
            and abs(other) != abs(value)  # a sign is often a matter of the question's wording
        ]
    labels = [decoded(row[0]) for row in rows if row[0].strip()]
    if gold in labels:
        return gold, [label for label in labels if number(label) is None]
    return gold, [text for text in spans if number(_bare(text)) is None and _alike(text, gold)]


def _alike(text: str, other: str) -> bool:
    """Whether two phrases could answer one question: both with or without figures, and of
    comparable length."""
    figures = [re.search(r"\d", phrase) is not None for phrase in (text, other)]
    return figures[0] == figures[1] and max(len(text), len(other)) < 5 * min(len(text), len(other))


def _computed(item: Mapping[str, Any], rows: Sequence[Sequence[str]]) -> list[str]:
    """What the question's computation gives on other pairs of cells, nearest in size first."""
    gold, compute = float(item["answer"]), _computation(item)
    lines = _lines(rows, percent=False)
    if item["scale"] == "percent":
        lines += _lines(rows, percent=True)
    found: dict[float, str] = {}
    for line in lines:
        for a, b in permutations(line, 2):
            result = compute(a, b)
            # Another size would give the answer away; a sign is often a matter of the wording.
            sized = abs(gold) / SIZE_FACTOR < abs(result) < abs(gold) * SIZE_FACTOR
            if sized and abs(abs(result) - abs(gold)) > 0.011:
                found.setdefault(round(result, 2), _spelt(result))
    near = sorted(found, key=lambda value: abs(abs(value) - abs(gold)))
    return [found[value] for value in near[:12]]


def _computation(item: Mapping[str, Any]) -> Callable[[float, float], float]:
    """The formula of two cells that the derivation of the answer most resembles."""
    derivation, percent = item["derivation"], 100 if item["scale"] == "percent" else 1
    if "average" in item["question"].lower():
        return lambda a, b: (a + b) / 2
    if "/" in derivation and re.search(r"[\d)]\s*[-–]", derivation):
        return lambda a, b: (a - b) / b * percent
    if "/" in derivation:
        return lambda a, b: a / b * percent
    if "+" in derivation:
        return lambda a, b: a + b
    return lambda a, b: a - b


def _lines(rows: Sequence[Sequence[str]], *, percent: bool) -> list[list[float]]:
    """The amounts, or the percentages, of each row and each column; none of them is zero."""
    columns = zip(*rows, strict=True) if len(set(map(len, rows))) == 1 else ()
    return [
        [
            float(value)
            for bare in map(_bare, line)
            if (value := number(bare)) and not _is_year(bare) and bare.endswith("%") == percent
        ]
        for line in (*rows, *columns)
    ]


def _unit(item: Mapping[str, Any], rng: Random) -> str:
    """A scale as it may be written behind every option, or nothing."""
    if item["scale"] == "percent":
        return rng.choice(("%", "%", " percent"))
    return f" {item['scale']}" if item["scale"] and rng.random() < 0.5 else ""


def _bare(text: str) -> str:
    """A cell without currency sign; an amount in parentheses is negative."""
    plain = decoded(text)
    amount = re.sub(r"[$€£\s]", "", plain)
    if inner := re.fullmatch(r"\((-?[\d,.]+)\)?(%?)\)?", amount):
        amount = f"-{inner[1]}{inner[2]}"
    return amount if number(amount) is not None else plain


def _spelt(value: float) -> str:
    shown = f"{value:,.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


def _is_year(text: str) -> bool:
    return re.fullmatch(r"(19|20)\d\d", text) is not None


def _is_amount(item: Mapping[str, Any]) -> bool:
    if item["answer_type"] == "arithmetic":
        return True
    if item["answer_type"] != "span":
        return False
    bare = _bare(item["answer"][0])
    return number(bare) is not None and not _is_year(bare) and not bare.endswith("%")


def _listed(item: Mapping[str, Any]) -> list[str]:
    is_text = item["answer_type"] in ("span", "multi-span")
    return [decoded(text) for text in item["answer"] if text.strip()] if is_text else []


def _state(document: Mapping[str, Any], rng: Random) -> Content:
    rows = [[decoded(cell) for cell in row] for row in document["table"]["table"]]
    texts = [decoded(part["text"]) for part in document["paragraphs"]]
    if rng.random() < 0.6:
        return "\n\n".join([*texts, barred(rows)])
    shown: list[Content] = [
        {"text": texts, "table": barred(rows)},
        {"table": [list(row) for row in rows], "text": texts},
    ]
    return rng.choice(shown)


SOURCE = Source(
    name="tatqa",
    licence="CC-BY-4.0",
    read=read,
    about="Zhu et al. 2021, TAT-QA: tabular and textual content in finance; development part",
)
