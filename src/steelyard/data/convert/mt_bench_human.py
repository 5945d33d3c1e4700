"""MT-Bench human judgments: experts' votes on pairs of answers (Zheng et al. 2023).

The eighty prompts are in several benchmarks of judges too: build with `--eval`, which drops them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from steelyard.data import soft
from steelyard.data.ask import Origin, choice
from steelyard.data.parquet import read_parquet
from steelyard.data.records import shards
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

ASKS = (
    "Which assistant answered better?",
    "Which response is better, or is it a tie?",
    "Compare the two answers. Which one would an expert prefer?",
    "Who serves the user better?",
)
NAMES = (
    ("A is better", "B is better", "tie"),
    ("A", "B", "both are equally good"),
    ("assistant A", "assistant B", "neither is better"),
)
FILES = "mt_bench_human/data/human-*.parquet"

Votes: TypeAlias = Counter[str]


def read(folder: Path, rng: Random) -> Iterator[Example]:
    pairs: dict[tuple[int, int, str, str], Votes] = defaultdict(Counter)
    talks: dict[tuple[int, int, str], Sequence[Mapping[str, str]]] = {}
    with counted_skips("mt-bench-human") as skips:
        rows = chain.from_iterable(map(read_parquet, shards(folder, FILES)))
        for row in rows:
            if row["model_a"] == row["model_b"]:
                skips["a model against itself"] += 1
                continue
            key, winner = vote(row)
            pairs[key][winner] += 1
            for side in ("a", "b"):
                talk = (row["question_id"], row["turn"], row[f"model_{side}"])
                talks[talk] = row[f"conversation_{side}"]
        for (question, turn, first, second), votes in pairs.items():
            origin = Origin("mt-bench-human", SOURCE.licence, str(question))
            sides = rng.sample((first, second), 2)
            state = compared([talks[question, turn, side] for side in sides], turn)
            order = rng.sample(range(3), 3)
            names = rng.choice(NAMES)
            counts = [votes[sides[0]], votes[sides[1]], votes["tie"]]
            shares = soft.votes([counts[index] for index in order])
            yield choice(origin, state, rng.choice(ASKS), [names[i] for i in order], shares)


def vote(row: Mapping[str, Any]) -> tuple[tuple[int, int, str, str], str]:
    """The pair in one order for all raters, and the model that won or "tie"."""
    first, second = sorted((row["model_a"], row["model_b"]))
    winner = "tie" if row["winner"].startswith("tie") else row[row["winner"]]
    return (row["question_id"], row["turn"], first, second), winner


def compared(talks: Sequence[Sequence[Mapping[str, str]]], turn: int) -> Content:
    """Both conversations up to the turn; which models they are stays out."""
    return {
        f"assistant {letter}": [
            {"role": message["role"], "content": message["content"]} for message in talk[: 2 * turn]
        ]
        for letter, talk in zip("AB", talks, strict=True)
    }


SOURCE = Source(
    name="mt-bench-human",
    licence="CC-BY-4.0",
    read=read,
    about="Zheng et al. 2023, Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena; the split "
    "`human` of lmsys/mt_bench_human_judgments",
)
