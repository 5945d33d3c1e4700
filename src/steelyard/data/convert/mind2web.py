"""Mind2Web: which element of a page comes next in a task, and what to do with it (Deng et al.
2023).

Candidates are described in words, by their tag and what names them; screenshots are not used.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data.answers import closed_pick
from steelyard.data.ask import Origin, choice
from steelyard.data.distractors import nearest
from steelyard.data.files import read_json
from steelyard.data.normal import overlap
from steelyard.data.page_nodes import described, node_texts
from steelyard.data.records import shards
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.types.content import Json
from steelyard.types.example import Example

OPERATIONS = {"CLICK": "click it", "TYPE": "type into it", "SELECT": "select an option of it"}
LONGEST_NAME = 100
"""Characters; an element that holds more text is a region of the page, not a thing to act on."""

SIZES = (3, 4, 5, 5, 8, 12, 20)
ASKS = (
    "Which element should be used next?",
    "Choose the element of the page that the next step acts on.",
    "Which of these elements comes next?",
    "What should be clicked or filled in now?",
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    with counted_skips("mind2web") as skips:
        for path in shards(folder, "mind2web/data/train/train_*.json"):
            for task in read_json(path):
                origin = Origin("mind2web", SOURCE.licence, task["annotation_id"])
                for index, action in enumerate(task["actions"]):
                    state = situation(task, index)
                    found = list(step(origin, state, action, rng))
                    skips["the element or all others have no name"] += not found
                    yield from found


def situation(task: Mapping[str, Any], index: int) -> dict[str, Json]:
    """Task, site and the steps before; the steps from `index` on stay out."""
    state: dict[str, Json] = {"task": task["confirmed_task"], "website": task["website"]}
    if index:
        state["steps so far"] = task["action_reprs"][:index]
    return state


def step(
    origin: Origin, state: Mapping[str, Json], action: Mapping[str, Any], rng: Random
) -> Iterator[Example]:
    """The choice of the element, and sometimes of what to do with it."""
    texts = node_texts(action["cleaned_html"])
    right = [name_of(each, texts) for each in action["pos_candidates"]]
    gold = next((name for name in right if name is not None), None)
    if gold is None:
        return
    named = (name_of(each, texts) for each in action["neg_candidates"])
    others = list(dict.fromkeys(name for name in named if name is not None))
    # What is within the right element or around it bears its name too, and is right as well.
    names = [bare(name) for name in right if name is not None]
    others = [other for other in others if not any(overlap(bare(other), name) for name in names)]
    count = min(rng.choice(SIZES) - 1, len(others))
    if not count:
        return
    near = nearest(gold, others, count // 2, rng)
    rest = [name for name in others if name not in near]
    labels = [gold, *near, *rng.sample(rest, count - len(near))]
    rng.shuffle(labels)
    yield choice(origin, dict(state), rng.choice(ASKS), labels, labels.index(gold))
    operation = action["operation"]["op"]
    if operation in OPERATIONS and rng.random() < 0.35:
        asked = f"The next step uses {gold}. What is to be done?"
        yield from closed_pick(
            origin, dict(state), asked, OPERATIONS[operation], OPERATIONS.values(), rng
        )


def name_of(candidate: Mapping[str, Any], texts: Mapping[str, str]) -> str | None:
    node = str(candidate["backend_node_id"])
    attributes = json.loads(candidate["attributes"])
    return described(candidate["tag"], attributes, texts.get(node, ""), LONGEST_NAME)


def bare(described_element: str) -> str:
    """The name without its tag."""
    return described_element.partition("] ")[2]


SOURCE = Source(
    name="mind2web",
    licence="CC-BY-4.0",
    read=read,
    about="Deng et al. 2023, Mind2Web: Towards a Generalist Agent for the Web",
)
