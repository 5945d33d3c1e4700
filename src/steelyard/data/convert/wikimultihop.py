"""2WikiMultihopQA: two to four hops, with the triples that link them (Ho et al. 2020)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from steelyard.data.answer_kinds import spans
from steelyard.data.answers import ShortAnswer, ask
from steelyard.data.ask import Origin
from steelyard.data.documents import passages
from steelyard.data.figures import numbers_in
from steelyard.data.files import read_json, read_jsonl
from steelyard.data.normal import decoded
from steelyard.data.source import Source
from steelyard.types.example import Example


def read(folder: Path, rng: Random) -> Iterator[Example]:
    rows = read_json(folder / "2wikimultihopqa/train.json")
    aliases = {
        row["Q_id"]: [decoded(text) for text in (*row["aliases"], *row["demonyms"])]
        for row in read_jsonl(folder / "2wikimultihopqa/id_aliases.json")
    }
    far = [decoded(row["answer"]) for row in rows]
    for row in rows:
        titled = [
            (decoded(title), decoded(" ".join(sentences))) for title, sentences in row["context"]
        ]
        text = "\n".join(body for _, body in titled)
        hops = [
            decoded(name) for subject, _, other in row["evidences"] for name in (subject, other)
        ]
        answer = ShortAnswer(
            decoded(row["question"]),
            decoded(row["answer"]),
            aliases=aliases.get(row["answer_id"], ()),
            near=[*hops, *(title for title, _ in titled), *spans(text)],
            far=far,
            nearby=numbers_in(text),
        )
        origin = Origin("2wikimultihopqa", SOURCE.licence, row["_id"])
        yield from ask(origin, passages(titled, rng), answer, rng)


SOURCE = Source(
    name="2wikimultihopqa",
    licence="Apache-2.0",
    read=read,
    about="Ho et al. 2020, Constructing A Multi-hop QA Dataset for Comprehensive Evaluation of "
    "Reasoning Steps",
)
