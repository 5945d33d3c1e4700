"""HotpotQA, distractor setting: two paragraphs out of ten answer (Yang et al. 2018)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from steelyard.data.answer_kinds import spans
from steelyard.data.answers import ShortAnswer, ask
from steelyard.data.ask import Origin
from steelyard.data.documents import passages
from steelyard.data.figures import numbers_in
from steelyard.data.files import read_json
from steelyard.data.normal import decoded
from steelyard.data.source import Source
from steelyard.types.example import Example


def read(folder: Path, rng: Random) -> Iterator[Example]:
    rows = read_json(folder / "hotpotqa/hotpot_train_v1.1.json")
    far = [decoded(row["answer"]) for row in rows]
    for row in rows:
        titled = [
            (decoded(title), decoded("".join(sentences))) for title, sentences in row["context"]
        ]
        text = "\n".join(body for _, body in titled)
        answer = ShortAnswer(
            decoded(row["question"]),
            decoded(row["answer"]),
            near=[*(title for title, _ in titled), *spans(text)],
            far=far,
            nearby=numbers_in(text),
        )
        origin = Origin("hotpotqa", SOURCE.licence, row["_id"])
        yield from ask(origin, passages(titled, rng), answer, rng)


SOURCE = Source(
    name="hotpotqa",
    licence="CC-BY-SA-4.0",
    read=read,
    about="Yang et al. 2018, HotpotQA: Diverse, Explainable Multi-hop Question Answering",
)
