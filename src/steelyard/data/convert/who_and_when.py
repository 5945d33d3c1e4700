"""Who&When: failed runs of several agents, and which agent and step failed (Zhang et al. 2025)."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data.ask import Origin, choice
from steelyard.data.claim import Claim, claim
from steelyard.data.files import read_jsonl
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

logger = logging.getLogger(__name__)

MAX_CHARS = 24_000
"""Longer runs are left out whole; a cut one may have lost its mistake."""

WHO = (
    "Which agent made the decisive mistake?",
    "The run failed. Who is responsible?",
    "Whose error led to the wrong result?",
    "Name the agent at fault.",
    "agent that caused the failure",
    "Attribute the failure to one of the participants.",
    "If one agent had acted correctly the task would have succeeded. Which one?",
)
WHEN = (
    "At which step did the decisive mistake happen?",
    "Which step broke the run?",
    "Find the first step whose error led to the failure.",
    "When did it go wrong?",
    "step of the decisive error",
    "Choose the message that should have been different.",
    "Correcting one step would have saved the run. Which one?",
)
STEP_WRONG: tuple[Claim, ...] = (
    "Is step {step} where the decisive mistake was made?",
    "Did the run go wrong at step {step}?",
    "Does message {step} hold the error that made the run fail?",
    "decisive error at step {step}?",
    "Would a correct step {step} have saved the run?",
    "A reviewer blames step {step}. Is that right?",
    {
        "true": "step {step} is the one that made the run fail",
        "false": "another step made the run fail",
    },
)
AGENT_WRONG: tuple[Claim, ...] = (
    "Is {agent} responsible for the failure?",
    "Did {agent} make the decisive mistake?",
    "Should the failure be put down to {agent}?",
    "failure caused by {agent}?",
    "A reviewer blames {agent}. Is that right?",
    "Would the task have succeeded if {agent} had done its part right?",
    {"true": "{agent} made the decisive mistake", "false": "another agent did"},
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    skipped = 0
    for row in read_jsonl(folder / "who_and_when/algorithm_generated.jsonl.gz"):
        state = _state(row, rng)
        if len(str(state)) > MAX_CHARS:
            skipped += 1
            continue
        yield from _asked(
            Origin("who_and_when", SOURCE.licence, row["question_ID"]), state, row, rng
        )
    logger.info("source=who_and_when skipped_long=%d", skipped)


def _asked(
    origin: Origin, state: Content, row: Mapping[str, Any], rng: Random
) -> Iterator[Example]:
    names = [turn["name"] for turn in row["history"]]
    culprit, mistake = row["mistake_agent"], int(row["mistake_step"])
    agents = sorted(set(names))
    if culprit in agents and len(agents) > 1:
        rng.shuffle(agents)
        roles = row["system_prompt"]
        yield choice(origin, state, rng.choice(WHO), agents, agents.index(culprit))
        others = [agent for agent in agents if agent != culprit]
        if roles and rng.random() < 0.5:
            options = {agent: _role(roles.get(agent), agent) for agent in agents}
            yield choice(origin, state, rng.choice(WHO), options, agents.index(culprit))
        yield claim(origin, state, AGENT_WRONG, True, rng, agent=culprit)
        yield claim(origin, state, AGENT_WRONG, False, rng, agent=rng.choice(others))
    # In a few rows the step is not one of the agent that is blamed: then only the agent is asked.
    if mistake < len(names) and names[mistake] == culprit:
        steps = {f"step {step}": name for step, name in enumerate(names)}
        bare = rng.random() < 0.5
        options = dict.fromkeys(steps) if bare else dict(steps)
        yield choice(origin, state, rng.choice(WHEN), options, mistake)
        right = [step for step in range(len(names)) if step != mistake]
        yield claim(origin, state, STEP_WRONG, True, rng, step=str(mistake))
        for step in rng.sample(right, min(2, len(right))):
            yield claim(origin, state, STEP_WRONG, False, rng, step=str(step))


def _role(prompt: str | None, agent: str) -> str | None:
    """The first sentence of an agent's own system prompt, without its heading."""
    if prompt is None:
        return None
    lines = [line.strip() for line in prompt.splitlines() if line.strip() and line[0] != "#"]
    return lines[0].split(". ")[0].removeprefix(f"{agent}: ") if lines else None


def _state(row: Mapping[str, Any], rng: Random) -> Content:
    turns: Sequence[Mapping[str, str]] = row["history"]
    expected = f"\nExpected answer: {row['ground_truth']}" if rng.random() < 0.5 else ""
    if rng.random() < 0.7:
        log = "\n\n".join(
            f"[step {step}] {turn['name']}:\n{turn['content']}" for step, turn in enumerate(turns)
        )
        return f"Task: {row['question']}{expected}\n\n{log}"
    return {
        "task": f"{row['question']}{expected}",
        "run": [
            {"step": step, "agent": turn["name"], "message": turn["content"]}
            for step, turn in enumerate(turns)
        ],
    }


SOURCE = Source(
    name="who_and_when",
    licence="MIT",
    read=read,
    about="Zhang et al. 2025, Which Agent Causes Task Failures and When?; generated runs",
)
