"""MetaTool: which of 199 tools a user's query needs (Huang et al. 2023)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from steelyard.data import ask
from steelyard.data.ask import Origin, Wordings, pick
from steelyard.data.distractors import distractors, nearest
from steelyard.data.files import read_csv, read_json
from steelyard.data.normal import normal
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

NEAR = 30
"""How many tools count as similar to one."""

WORDINGS = Wordings(
    choice=(
        "Which tool should be called?",
        "Choose the tool that can answer the user's request.",
        "You are an agent with these tools. Which one do you call for this query?",
        "Select the best tool for the task.",
        "tool",
        "Route the query to a plugin.",
        "Which plugin was made for this?",
        "Pick the tool whose description matches what the user needs.",
    ),
)

ABOUT_TOOL = (
    "Should the tool {name} be called? It does this: {description}",
    'Tool: {name}. Description: "{description}" Is it the right tool for the query?',
    "A tool does the following: {description} Would it serve this request?",
    "The agent called {name} ({description}). Was that the right choice?",
    "call {name}? {description}",
    "Is the query one for the plugin {name}, described as: {description}",
    "Could {name} answer this? Its description reads: {description}",
)

ABOUT_PAIR = (
    "Does this tool fit the query?",
    "Should the tool be called?",
    "Is it the right tool?",
    "call the tool for this query",
    "Would calling the tool give the user what was asked for?",
    "The agent is about to call this tool. Is that right?",
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    tools = read_json(folder / "metatool/plugin_des.json")
    rows = list(read_csv(folder / "metatool/all_clean_data.csv.gz"))
    wanted: dict[str, list[str]] = {}
    for row in rows:
        wanted.setdefault(normal(row["Query"]), []).append(row["Tool"])
    groups = {query: str(index) for index, query in enumerate(wanted)}
    alike = _alike(tools, rng)
    rng.shuffle(rows)
    for row in rows:
        query, gold = row["Query"].strip(), row["Tool"]
        origin = Origin(SOURCE.name, SOURCE.licence, groups[normal(query)])
        right_too = [name for name in wanted[normal(query)] if name != gold]
        near = rng.random() < 0.25
        yield from pick(
            origin,
            query,
            WORDINGS,
            gold,
            alike[gold] if near else list(tools),
            rng,
            describe=tools,
            described=0.8,
            aliases=right_too,
            wide=0.0 if near else 0.08,
            verify=0.0,
            closed=True,
        )
        if rng.random() < 0.4:
            right = rng.random() < 0.5
            pool = alike[gold] if near else list(tools)
            wrong = distractors(gold, pool, 1, rng, aliases=right_too, closed=True)
            yield _check(origin, query, gold if right else wrong[0], tools, right, rng)


def _alike(tools: dict[str, str], rng: Random) -> dict[str, list[str]]:
    """For each tool those with the most similar descriptions."""
    named = {description: name for name, description in tools.items()}
    return {
        name: [named[text] for text in nearest(description, list(named), NEAR, rng)]
        for name, description in tools.items()
    }


def _check(
    origin: Origin, query: str, name: str, tools: dict[str, str], right: bool, rng: Random
) -> Example:
    if rng.random() < 0.7:
        asked = rng.choice(ABOUT_TOOL).format(name=name, description=tools[name])
        return ask.noul(origin, query, asked, right)
    state: Content = {"query": query, "tool": {"name": name, "description": tools[name]}}
    return ask.noul(origin, state, rng.choice(ABOUT_PAIR), right)


SOURCE = Source(
    name="metatool",
    licence="MIT",
    read=read,
    about="Huang et al. 2023, MetaTool Benchmark: Deciding Whether to Use Tools and Which to Use",
)
