"""Social Bias Inference Corpus: is a post offensive, meant so, sexual (Sap et al. 2020)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

from steelyard.data import soft
from steelyard.data.ask import Origin, noul
from steelyard.data.files import read_csv
from steelyard.data.groups import group_of
from steelyard.data.normal import decoded
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.types.example import Example

ASKS: Mapping[str, tuple[str, ...]] = {
    "offensiveYN": (
        "Could this post be offensive, disrespectful or toxic to anyone?",
        "Is the post offensive?",
        "Would some readers be offended by this?",
    ),
    "intentYN": (
        "Was the post meant to offend?",
        "Did the author intend to be offensive?",
        "Is the offence, if any, on purpose?",
    ),
    "sexYN": (
        "Does the post refer to sex?",
        "Is the post sexual or lewd?",
        "Is there sexual content in this post?",
    ),
}


def read(folder: Path, rng: Random) -> Iterator[Example]:
    posts: dict[str, dict[tuple[str, str], Mapping[str, str]]] = defaultdict(dict)
    for row in read_csv(folder / "sbic/SBIC.v2.trn.csv"):
        # A rater who names several groups or stereotypes has a row for each; it is one vote.
        posts[row["post"]].setdefault((row["HITId"], row["WorkerId"]), row)
    with counted_skips("sbic") as skips:
        for post, raters in posts.items():
            text = decoded(post)
            if not text:
                skips["no text"] += 1
                continue
            origin = Origin("sbic", SOURCE.licence, group_of(text))
            for column, wordings in ASKS.items():
                given = [float(row[column]) for row in raters.values() if row[column]]
                if not given:
                    skips[f"no votes in {column}"] += 1
                    continue
                # Each vote is the share of yes that it means: 1, 0.66, 0.5, 0.33 or 0.
                yes, _ = soft.votes([sum(given), len(given) - sum(given)])
                yield noul(origin, text, rng.choice(wordings), yes)


SOURCE = Source(
    name="sbic",
    licence="CC-BY-4.0",
    read=read,
    about="Sap et al. 2020, Social Bias Frames: Reasoning about Social and Power Implications of "
    "Language",
)
