"""CUAD: is a kind of clause in this part of a contract (Hendrycks et al. 2021)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data.ask import Origin, noul
from steelyard.data.files import read_json
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.data.windows import windows
from steelyard.types.example import Example

WINDOW = 12_000
"""Characters."""
NEGATIVES_PER_POSITIVE = 79 / 21
"""As in the Trutina report, 6.3: 21 % of the questions are answered yes."""

ASKS = (
    'Does this part of the contract contain a clause on "{category}"? {details}',
    "{category}: {details} Is there such a passage in this excerpt?",
    "Is there anything on {category} in this excerpt of a contract? {details}",
    'A lawyer looks for "{category}" ({details}) Would they find it here?',
    "Does the text contain: {category}?",
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A category, what it means, and where in the contract it stands: (start, end) of each."""

    category: str
    details: str
    places: tuple[tuple[int, int], ...]


def read(folder: Path, rng: Random) -> Iterator[Example]:
    with counted_skips("cuad") as skips:
        for contract in read_json(folder / "cuad/CUADv1.json")["data"]:
            origin = Origin("cuad", SOURCE.licence, contract["title"])
            for paragraph in contract["paragraphs"]:
                text = paragraph["context"]
                found: list[tuple[str, Clause]] = []
                missing: list[tuple[str, Clause]] = []
                clauses = [clause(row) for row in paragraph["qas"]]
                for start, end in windows(text, WINDOW):
                    if not text[start:end].strip():
                        continue
                    for each in clauses:
                        match held(each.places, start, end):
                            case True:
                                found.append((text[start:end], each))
                            case False:
                                missing.append((text[start:end], each))
                            case None:
                                skips["the clause crosses a window's end"] += 1
                count = round(len(found) * NEGATIVES_PER_POSITIVE)
                missing = rng.sample(missing, min(count, len(missing)))
                yield from (asked(origin, *each, True, rng) for each in found)
                yield from (asked(origin, *each, False, rng) for each in missing)


def asked(origin: Origin, excerpt: str, clause: Clause, present: bool, rng: Random) -> Example:
    question = rng.choice(ASKS).format(category=clause.category, details=clause.details)
    return noul(origin, excerpt, question.strip(), present)


def clause(row: Mapping[str, Any]) -> Clause:
    """The category stands in the id ("TITLE__Governing Law"), its meaning in the question."""
    places = tuple(
        (answer["answer_start"], answer["answer_start"] + len(answer["text"]))
        for answer in row["answers"]
    )
    return Clause(row["id"].rpartition("__")[2], row["question"].partition("Details: ")[2], places)


def held(places: Sequence[tuple[int, int]], start: int, end: int) -> bool | None:
    """Whether a place lies within the window; None where none does but one crosses its border."""
    touching = [place for place in places if place[0] < end and place[1] > start]
    if any(start <= first and last <= end for first, last in touching):
        return True
    return None if touching else False


SOURCE = Source(
    name="cuad",
    licence="CC-BY-4.0",
    read=read,
    about="Hendrycks et al. 2021, CUAD: An Expert-Annotated NLP Dataset for Legal Contract Review",
)
