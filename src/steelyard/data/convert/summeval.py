"""SummEval: experts' mean grades of summaries (Fabbri et al. 2021)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

from steelyard.data import soft
from steelyard.data.ask import Origin, score
from steelyard.data.files import read_jsonl
from steelyard.data.normal import decoded
from steelyard.data.source import Source
from steelyard.types.example import Example

NUM_LEVELS = 5
QUALITIES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "consistency": (
        (
            "Is everything in the summary supported by the article?",
            "Grade the factual consistency of the summary.",
        ),
        ("made up", "mostly unsupported", "partly supported", "mostly supported", "supported"),
    ),
    "relevance": (
        (
            "Does the summary hold what matters in the article?",
            "Grade how well the summary selects the important content.",
        ),
        (
            "misses the point",
            "mostly beside the point",
            "half of what matters",
            "most of what matters",
            "just what matters",
        ),
    ),
}


def read(folder: Path, rng: Random) -> Iterator[Example]:
    for row in read_jsonl(folder / "summeval/model_annotations.aligned.paired.jsonl"):
        origin = Origin("summeval", SOURCE.licence, row["id"])
        state = {"article": decoded(row["text"]), "summary": decoded(row["decoded"])}
        experts = row["expert_annotations"]
        for name, (asks, levels) in QUALITIES.items():
            mean = sum(grades[name] for grades in experts) / len(experts)  # 1 to 5
            shares = soft.around_mean(NUM_LEVELS, mean - 1)
            yield score(origin, state, rng.choice(asks), levels, shares)


SOURCE = Source(
    name="summeval",
    licence="MIT",
    read=read,
    about="Fabbri et al. 2021, SummEval: Re-evaluating Summarization Evaluation; articles of "
    "CNN/DailyMail joined by its own script",
)
