"""StrategyQA: yes/no questions that need several facts (Geva et al. 2021)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data import ask
from steelyard.data.ask import Origin, Wordings, pick
from steelyard.data.files import read_json
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

FROM_FACTS = (
    "{question}",
    "{question}",
    "Given the facts: {question}",
    "Answer from the facts above. {question}",
    "Do the facts say yes to this question? {question}",
    "Use what is stated to decide. {question}",
    "{question} Decide by the notes.",
)

ALONE = (
    "Answer the question.",
    "Is the answer yes?",
    "Think about what would have to be true. Is it?",
    "yes or no?",
    "Would an expert say yes?",
    "Decide, from general knowledge, whether the answer is yes.",
    "Is this so?",
)

CHOICE = (
    "Choose the answer to: {question}",
    "{question}",
    "Select the right reply. {question}",
    "Which answer follows? {question}",
    "question: {question}",
    "Reply to the user who asks: {question}",
)

REPLIES = (
    ("yes", "no"),
    ("true", "false"),
    ("Yes", "No"),
    ("affirmative", "negative"),
)

FACT = Wordings(
    choice=(
        "Which of these facts helps to answer the question?",
        "Choose the statement that bears on the question.",
        "Which piece of evidence is relevant?",
        "Retrieve the passage that the answer depends on.",
        "relevant fact",
        "Select the note that one would need to answer this.",
    ),
    noul=(
        "Does this fact help to answer the question? {answer}",
        'Is the statement "{answer}" relevant here?',
        "A search returned: {answer} Is it of use for the question?",
        "relevant? {answer}",
        "Would you cite the following as evidence? {answer}",
        "Keep this passage for answering the question: {answer}",
    ),
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    rows = read_json(folder / "strategyqa/train.json.gz")
    pool = [fact.strip() for row in rows for fact in row["facts"]]
    for row in rows:
        origin = Origin(SOURCE.name, SOURCE.licence, row["qid"])
        yield from _answered(origin, row, pool, rng)
        if rng.random() < 0.5:
            yield ask.noul(origin, row["question"], rng.choice(ALONE), row["answer"])
        facts = [fact.strip() for fact in row["facts"] if fact.strip()]
        if facts and rng.random() < 0.5:
            some = rng.sample(pool, min(60, len(pool)))
            gold = rng.choice(facts)
            sizes = (2, 3, 4, 5, 6, 8, 10)
            yield from pick(
                origin, row["question"], FACT, gold, some, rng, aliases=facts, sizes=sizes
            )


def _answered(
    origin: Origin, row: dict[str, Any], pool: Sequence[str], rng: Random
) -> Iterator[Example]:
    """The question over its facts, sometimes among facts about other things."""
    facts = [fact.strip() for fact in row["facts"] if fact.strip()]
    if rng.random() < 0.35:
        facts += rng.sample(pool, rng.randint(1, 4))
        rng.shuffle(facts)
    state = _state(facts, row, rng)
    question = row["question"]
    asked = rng.choice(FROM_FACTS).format(question=question)
    yield ask.noul(origin, state, asked, row["answer"])
    if rng.random() < 0.3:
        yes, no = rng.choice(REPLIES)
        labels = [yes, no]
        right = labels[0 if row["answer"] else 1]
        rng.shuffle(labels)
        asked = rng.choice(CHOICE).format(question=question)
        yield ask.choice(origin, state, asked, labels, labels.index(right))


def _state(facts: Sequence[str], row: dict[str, Any], rng: Random) -> Content:
    form = rng.randrange(4)
    if form == 0:
        return {"facts": list(facts)}
    if form == 1 and row["description"]:
        return {"subject": row["term"], "about": row["description"], "facts": list(facts)}
    if form == 2:
        return "\n".join(f"- {fact}" for fact in facts)
    return " ".join(facts)


SOURCE = Source(
    name="strategyqa",
    licence="MIT",
    read=read,
    about="Geva et al. 2021, Did Aristotle Use a Laptop?",
)
