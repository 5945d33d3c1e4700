"""ProofWriter, open world, depth 5: facts and rules with statements (Tafjord et al. 2021)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from steelyard.data.ask import Origin
from steelyard.data.deduction import Verdict, judged, which_follows
from steelyard.data.files import read_json
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

VERDICTS: dict[str, Verdict] = {"A": "true", "B": "false", "C": "unknown"}
OPTIONS = ["A) True", "B) False", "C) Unknown"]


def read(folder: Path, rng: Random) -> Iterator[Example]:
    documents: dict[tuple[str, str], list[tuple[str, Verdict]]] = {}
    for row in read_json(folder / "logic_llm/ProofWriter_train.json.gz"):
        assert row["options"] == OPTIONS, f"{row['id']} has other options: {row['options']}"
        # "ProofWriter_RelNeg-OWA-D5-961_Q3" is the third question on document RelNeg-...-961.
        document = row["id"].split("_")[1]
        statement = row["question"].split("unknown?", 1)[1].strip()
        statements = documents.setdefault((document, row["context"]), [])
        statements.append((statement, VERDICTS[row["answer"]]))
    for (document, context), statements in documents.items():
        origin = Origin("proofwriter", SOURCE.licence, document)
        state = _shown(context, rng)
        for text, verdict in statements:
            yield from judged(origin, state, text, verdict, rng)
        yield from which_follows(origin, state, statements, rng)


def _shown(context: str, rng: Random) -> Content:
    sentences = re.split(r"(?<=\.)\s+", context.strip())
    ruled = [
        line for line in sentences if re.match(r"If |All |.*\bpeople are\b|.*things are", line)
    ]
    facts = [line for line in sentences if line not in set(ruled)]
    shown: list[Content] = [context, context, "\n".join(sentences)]
    if facts and ruled:
        shown.append({"facts": facts, "rules": ruled})
    return rng.choice(shown)


SOURCE = Source(
    name="proofwriter",
    licence="CC-BY-4.0",
    read=read,
    about="Tafjord et al. 2021, ProofWriter; the questions that Pan et al. 2023, Logic-LM, took",
)
