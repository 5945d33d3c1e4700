"""Vicuna-bench responses scored three times by GPT-4 along a rubric (Kim et al. 2024).

The scores are a model's output whose terms restrict its use, so the licence is not shippable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from steelyard.data import ask, soft
from steelyard.data.ask import Origin
from steelyard.data.files import read_json
from steelyard.data.source import Source
from steelyard.errors import InputFileError
from steelyard.types.content import Content
from steelyard.types.example import Example

ROW = re.compile(
    r"(?s).*###The instruction to evaluate:\n(?P<prompt>.*?)\n+"
    r"###Response to evaluate:\n(?P<response>.*?)\n+"
    r"###Reference Answer \(Score 5\):\n(?P<reference>.*?)\n+"
    r"###Score Rubrics:\n\[(?P<criterion>.*?)\]\n(?P<levels>Score 1:.*?)\n+###Feedback:.*"
)
LEVEL = re.compile(r"(?m)^Score [1-5]:[ ]*")

WORDINGS = (
    "{criterion}",
    "Score the response by the rubric. {criterion}",
    "Grade the answer. {criterion}",
    "rubric: {criterion}",
    "Which level of the rubric does the response reach? {criterion}",
    "You are the judge. Rate: {criterion}",
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    groups: dict[str, str] = {}
    for row in read_json(folder / "rubric_scores/vicuna_eval.json.gz"):
        parts = ROW.fullmatch(row["instruction"])
        levels = LEVEL.split(parts["levels"])[1:] if parts else []
        if parts is None or len(levels) != 5:
            raise InputFileError(f"vicuna_eval.json.gz, idx {row['idx']}: no rubric found")
        group = groups.setdefault(parts["prompt"], str(len(groups)))
        votes = [float(row["gpt4_score"].count(level)) for level in range(1, 6)]
        state: dict[str, Content] = {"request": parts["prompt"], "response": parts["response"]}
        if rng.random() < 0.3:
            state["reference"] = parts["reference"]
        yield ask.score(
            Origin(SOURCE.name, SOURCE.licence, group),
            state,
            rng.choice(WORDINGS).format(criterion=parts["criterion"]),
            [level.strip() for level in levels],
            soft.votes(votes),
        )


SOURCE = Source(
    name="rubric_scores",
    licence="Apache-2.0, GPT-4 output",
    read=read,
    about="Kim et al. 2024, Prometheus 2: Vicuna-bench with rubrics",
)
