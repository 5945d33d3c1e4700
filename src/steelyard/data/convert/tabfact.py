"""TabFact: statements that a Wikipedia table supports or refutes (Chen et al. 2020)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from steelyard.data.ask import Origin, choice
from steelyard.data.claim import Claim, claim
from steelyard.data.files import read_json
from steelyard.data.normal import decoded
from steelyard.data.source import Source
from steelyard.data.tables import barred, records
from steelyard.types.content import Content
from steelyard.types.example import Example

SUPPORTED: tuple[Claim, ...] = (
    "Does the table support this statement: {statement}",
    'Is it true, by the table, that "{statement}"?',
    "Check against the table: {statement}",
    "Statement: {statement}. Is it correct?",
    "supported by the table? {statement}",
    'Somebody read off the table: "{statement}". Did they read it right?',
    "Given these rows, is the following a fact? {statement}",
    "{statement}",
    {
        "true": 'the table shows that "{statement}"',
        "false": 'the table does not show that "{statement}"',
    },
    {"true": "{statement}: correct", "false": "{statement}: wrong"},
)
REFUTED: tuple[Claim, ...] = (
    "Does the table refute this statement: {statement}",
    'Is "{statement}" wrong according to the table?',
    "Do the rows contradict this? {statement}",
    "Is there an error in this sentence about the table: {statement}",
    "refuted? {statement}",
    'Should a fact checker reject "{statement}"?',
    {
        "true": 'by the table, "{statement}" is false',
        "false": 'by the table, "{statement}" is true',
    },
)
WHICH_HOLDS = (
    "Which of these statements does the table support?",
    "Only one of the statements agrees with the table. Which?",
    "Pick the correct statement.",
    "Choose the sentence that the rows confirm.",
    "Which claim is true of this table?",
    "true statement",
    "All but one of these are wrong. Which one is right?",
)
WHICH_FAILS = (
    "Which of these statements does the table refute?",
    "Only one of the statements is wrong. Which?",
    "Pick the false statement.",
    "Choose the sentence that the rows contradict.",
    "Which claim is untrue of this table?",
    "false statement",
    "All but one of these are right. Which one is the mistake?",
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    tables = read_json(folder / "tabfact/val_tables.json.gz")
    documents = read_json(folder / "tabfact/val_examples.json.gz")
    for name, (statements, labels, caption) in documents.items():
        # "2-1859269-1.html.csv" is a table of the page 1859269.
        origin = Origin("tabfact", SOURCE.licence, name.split("-")[1])
        rows = [line.split("#") for line in tables[name].splitlines() if line]
        state = _shown(caption, rows, rng)
        texts = [decoded(text) for text in statements]
        for text, label in zip(texts, labels, strict=True):
            wordings, yes = (SUPPORTED, 1) if rng.random() < 0.8 else (REFUTED, 0)
            yield claim(origin, state, wordings, label == yes, rng, statement=text)
        held = [text for text, label in zip(texts, labels, strict=True) if label == 1]
        failed = [text for text, label in zip(texts, labels, strict=True) if label == 0]
        yield from _which(origin, state, WHICH_HOLDS, held, failed, rng)
        yield from _which(origin, state, WHICH_FAILS, failed, held, rng)


def _which(
    origin: Origin,
    state: Content,
    wordings: Sequence[str],
    right: Sequence[str],
    wrong: Sequence[str],
    rng: Random,
) -> Iterator[Example]:
    pool = sorted(set(wrong) - set(right))
    if not right or not pool:
        return
    gold = rng.choice(right)
    options = [gold, *rng.sample(pool, rng.randint(1, min(5, len(pool))))]
    rng.shuffle(options)
    yield choice(origin, state, rng.choice(wordings), options, options.index(gold))


def _shown(caption: str, rows: Sequence[Sequence[str]], rng: Random) -> Content:
    title = decoded(caption)
    if title == "none":  # as the corpus writes a missing caption
        return rng.choice((barred(rows), {"table": barred(rows)}, {"rows": records(rows)}))
    return rng.choice(
        (
            f"{title}\n{barred(rows)}",
            f"Table: {title}\n\n{barred(rows)}",
            {"title": title, "table": barred(rows)},
            {"caption": title, "rows": records(rows)},
            {"caption": title, "header": list(rows[0]), "rows": [list(row) for row in rows[1:]]},
        )
    )


SOURCE = Source(
    name="tabfact",
    licence="MIT",
    read=read,
    about="Chen et al. 2020, TabFact: A Large-scale Dataset for Table-based Fact Verification; "
    "validation part; its tables are from Wikipedia (CC-BY-SA-3.0)",
)
