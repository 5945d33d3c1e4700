"""ROPES: apply a passage on causes to a situation (Lin et al. 2019).

Only questions that name both of their options are kept; the others would need invented ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from steelyard.data.ask import Origin, choice, noul
from steelyard.data.files import read_json
from steelyard.data.groups import group_of
from steelyard.data.normal import decoded, same
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.types.example import Example

CHECKS = (
    '{question} Somebody says "{answer}". Is that right?',
    '{question} Is it "{answer}"?',
    "Is {answer} the right answer? {question}",
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    with counted_skips("ropes") as skips:
        for article in read_json(folder / "ropes/train-v1.0.json")["data"]:
            for paragraph in article["paragraphs"]:
                background = decoded(paragraph["background"])
                situation = decoded(paragraph["situation"])
                state = {"background": background, "situation": situation}
                origin = Origin("ropes", SOURCE.licence, group_of(background))
                for row in paragraph["qas"]:
                    question = decoded(row["question"])
                    gold = decoded(row["answers"][0]["text"])
                    other = other_option(question, gold)
                    if other is None:
                        skips["the question does not name two options"] += 1
                        continue
                    if rng.random() < 0.35:
                        right = rng.random() < 0.5
                        asked = rng.choice(CHECKS).format(
                            question=question, answer=gold if right else other
                        )
                        yield noul(origin, state, asked, right)
                    else:
                        labels = [gold, other]
                        rng.shuffle(labels)
                        yield choice(origin, state, question, labels, labels.index(gold))


def other_option(question: str, gold: str) -> str | None:
    """The option that stands on the other side of "or", or None.

    It has as many words as gold, and begins or ends with the same word where it has several
    ("store A or store B"); otherwise where it ends cannot be told.
    """
    words = re.findall(r"[\w'’-]+", question)
    right = re.findall(r"[\w'’-]+", gold)
    size = len(right)
    if not size:
        return None
    for at, word in enumerate(words):
        if word.casefold() != "or":
            continue
        before, after = words[max(at - size, 0) : at], words[at + 1 : at + 1 + size]
        for mine, other in ((before, after), (after, before)):
            if _same(mine, right) and len(other) == size and not _same(other, right):
                alike = other[0].casefold() == right[0].casefold() or (
                    other[-1].casefold() == right[-1].casefold()
                )
                if size == 1 or alike:
                    return " ".join(other)
    return None


def _same(first: list[str], second: list[str]) -> bool:
    return bool(first) and same(" ".join(first), " ".join(second))


SOURCE = Source(
    name="ropes",
    licence="CC-BY-4.0",
    read=read,
    about="Lin et al. 2019, Reasoning Over Paragraph Effects in Situations",
)
