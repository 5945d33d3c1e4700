"""MuSiQue: questions over two to four paragraphs (Trivedi et al. 2022)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data.answer_kinds import spans
from steelyard.data.answers import ShortAnswer, ask
from steelyard.data.ask import Origin
from steelyard.data.documents import passages
from steelyard.data.figures import numbers_in
from steelyard.data.files import read_jsonl
from steelyard.data.normal import decoded
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.types.example import Example


def read(folder: Path, rng: Random) -> Iterator[Example]:
    rows = list(read_jsonl(folder / "musique/musique_ans_v1.0_train.jsonl"))
    far = [decoded(row["answer"]) for row in rows]
    with counted_skips("musique") as skips:
        for row in rows:
            if not row["answerable"]:
                skips["not answerable"] += 1
                continue
            # The last hop decides the answer, and several questions end in the same one.
            origin = Origin("musique", SOURCE.licence, row["id"].rpartition("_")[2])
            titled = [
                (decoded(p["title"]), decoded(p["paragraph_text"])) for p in row["paragraphs"]
            ]
            yield from ask(origin, passages(titled, rng), short_answer(row, titled, far), rng)


def short_answer(
    row: Mapping[str, Any], titled: list[tuple[str, str]], far: list[str]
) -> ShortAnswer:
    """Its near candidates are the answers of the hops before, then titles and spans."""
    hops = [decoded(hop["answer"]) for hop in row["question_decomposition"]]
    text = "\n".join(body for _, body in titled)
    return ShortAnswer(
        decoded(row["question"]),
        decoded(row["answer"]),
        aliases=[decoded(alias) for alias in row["answer_aliases"]],
        near=[*hops, *(title for title, _ in titled), *spans(text)],
        far=far,
        nearby=numbers_in(text),
    )


SOURCE = Source(
    name="musique",
    licence="CC-BY-4.0",
    read=read,
    about="Trivedi et al. 2022, MuSiQue: Multihop Questions via Single-hop Question Composition",
)
