"""A-OKVQA: questions that take knowledge, with ten people's answers (Schwenk et al. 2022).

Every row as published belongs to an image. A state is text, so a row is used only where a text
stands in its place: a caption under "caption", as some redistributions add one. The other rows are
skipped and counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from steelyard.data import soft
from steelyard.data.ask import Origin, choice
from steelyard.data.files import read_json
from steelyard.data.normal import decoded, same
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.types.example import Example

GOLD_VOTES = 2


def read(folder: Path, rng: Random) -> Iterator[Example]:
    with counted_skips("aokvqa") as skips:
        for row in read_json(folder / "aokvqa/aokvqa_v1p0_train.json"):
            caption = decoded(row.get("caption", ""))
            if not caption:
                skips["needs its image"] += 1
                continue
            choices = [decoded(text) for text in row["choices"]]
            if len(set(choices)) < len(choices):
                skips["an option is given twice"] += 1
                continue
            shares = shared(choices, row["correct_choice_idx"], row["direct_answers"])
            order = rng.sample(range(len(choices)), len(choices))
            origin = Origin("aokvqa", SOURCE.licence, str(row["image_id"]))
            yield choice(
                origin,
                caption,
                decoded(row["question"]),
                [choices[index] for index in order],
                [shares[index] for index in order],
            )


def shared(choices: Sequence[str], gold: int, answers: Sequence[str]) -> soft.Distribution:
    """Votes of the people whose own answer is an option, and two for the right one (Trutina report,
    6.4)."""
    counts = [sum(same(text, answer) for answer in answers) for text in choices]
    counts[gold] += GOLD_VOTES
    return soft.exact(counts)


SOURCE = Source(
    name="aokvqa",
    licence="Apache-2.0",
    read=read,
    about="Schwenk et al. 2022, A-OKVQA: A Benchmark for Visual Question Answering using World "
    "Knowledge",
)
