"""LegalBench: short legal classification tasks, each under its own licence (Guha et al. 2023).

Left out are extraction and open generation, the MAUD tasks (their answers are letters whose
meaning the rows do not give), tax amounts, and rows with several answers at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data.ask import Origin, choice
from steelyard.data.claim import Claim, claim
from steelyard.data.files import read_jsonl
from steelyard.data.normal import normal
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

LICENCES = {"cc by 4.0": "CC-BY-4.0", "cc by-sa 4.0": "CC-BY-SA-4.0", "mit": "MIT"}

SKIPPED_TYPES = frozenset({"Extraction", "Open generation"})
SKIPPED_TASKS = frozenset({"sara_numeric", "successor_liability"})

HIDDEN = frozenset(
    {
        "index",
        "answer",
        "document_name",
        "slice",  # the reason of the answer
        "case id",  # ends in _pos or _neg
        "parties_are_diverse",  # with the next one, half of the answer
        "aic_is_met",
        "Docket No.",
        "Citation",
        "year",
    }
)
YES = {"Yes": True, "No": False, "Relevant": True, "Irrelevant": False}
YES |= {"Entailment": True, "Contradiction": False}

TEST: tuple[Claim, ...] = (
    "{task}",
    "Task: {task} Answer yes or no.",
    "{task} Does it hold here?",
    "Would a lawyer answer yes? {task}",
    "For this case, decide yes or no. {task}",
    "legal check: {task}",
    {"true": "{task} The answer is yes.", "false": "{task} The answer is no."},
)
ISSUE: tuple[Claim, ...] = (
    "Is this so: {fact}?",
    "Decide whether {fact}.",
    "Check the text: {fact}?",
    "Reviewer's note: {fact}. Correct?",
    "true or not: {fact}",
    "Would counsel agree that {fact}?",
    {"true": "{fact}", "false": "this is not so: {fact}"},
    {"true": "{fact}", "false": "the text does not show this"},
)
ASKED: tuple[Claim, ...] = (
    "{question}",
    "Question: {question}",
    "{question} Answer yes or no.",
    "Give a legal opinion: {question}",
    "The client asks: {question}",
    "In law, {question}",
    {"true": "yes is the right answer to: {question}", "false": "no is the right answer"},
)

NAME = (
    "{task}",
    "Which label fits? {task}",
    "{task} Choose one.",
    "Task for a paralegal: {task}",
    "Pick the class. {task}",
    "classify: {task}",
)
CLASSES: Mapping[str, Mapping[str, str]] = {
    "function_of_decision_section": {
        "Facts": "what happened between the parties",
        "Procedural History": "how the case came to this court",
        "Issue": "the question to be decided",
        "Rule": "the law that applies",
        "Analysis": "the law applied to the facts",
        "Conclusion": "what the court holds on an issue",
        "Decree": "what the court orders, such as affirmed or remanded",
    },
    "oral_argument_question_purpose": {
        "Background": "seeks facts or law outside the party's argument",
        "Clarification": "asks what the advocate's position is",
        "Implications": "asks what would follow from the argument",
        "Support": "helps the advocate's side",
        "Criticism": "attacks the argument",
        "Communicate": "speaks to the other judges",
        "Humor": "is a joke",
    },
    "unfair_tos": {
        "Arbitration": "disputes go to arbitration",
        "Unilateral change": "the provider may change the terms or the service",
        "Content removal": "the provider may delete the user's content",
        "Jurisdiction": "names the courts where disputes are heard",
        "Choice of law": "names the law that governs",
        "Limitation of liability": "limits what the provider answers for",
        "Unilateral termination": "the provider may end the contract",
        "Contract by using": "use of the service is agreement",
        "Other": "none of these",
    },
    "ucc_v_common_law": {
        "UCC": "mainly a sale of goods",
        "Common Law": "services, land or anything but goods",
    },
    "insurance_policy_interpretation": {
        "covered": "the policy covers the claim",
        "not covered": "the policy does not cover the claim",
        "ambiguous": "the policy can be read either way",
    },
}
SPELT = {"A": "covered", "B": "not covered", "C": "ambiguous"}
"""The answers of insurance_policy_interpretation, from the task's own page."""


def read(folder: Path, rng: Random) -> Iterator[Example]:
    groups: dict[str, str] = {}
    path = folder / "legalbench/legalbench_train_rows.jsonl.gz"
    for index, entry in enumerate(read_jsonl(path)):
        if entry["task_type"] in SKIPPED_TYPES or entry["task"] in SKIPPED_TASKS:
            continue
        if entry["task"].startswith("maud_") or not entry["task_summary"]:
            continue
        row = entry["row"]
        state = _state(row)
        # One contract or statement is asked about by many tasks.
        document = row.get("document_name") or normal(str(state))
        group = groups.setdefault(document, str(index))
        origin = Origin("legalbench", LICENCES[entry["license"].lower()], group)
        for _ in range(2):
            yield _asked(origin, state, entry, rng)


def _asked(origin: Origin, state: Content, entry: Mapping[str, Any], rng: Random) -> Example:
    row, task = entry["row"], re.sub(r" \(variant \d+\)", "", entry["task_summary"])
    if entry["task"] in CLASSES:
        return _class(origin, state, entry, rng)
    yes = YES[row["answer"]]
    if "question" in row and entry["task"] not in ("privacy_policy_qa", "sara_entailment"):
        return claim(origin, state, ASKED, yes, rng, question=row["question"])
    fact = re.match(
        r"(?:Given .*?, )?(?:Classify|Determine|Identify|determine|Predict|classify)"
        r" (?:if|whether)(?: or not)? (.*?)[.?]*$",
        task,
    )
    if fact is None:
        return claim(origin, state, TEST, yes, rng, task=task)
    wordings = TEST if rng.random() < 0.3 else ISSUE
    return claim(origin, state, wordings, yes, rng, task=task, fact=fact[1])


def _class(origin: Origin, state: Content, entry: Mapping[str, Any], rng: Random) -> Example:
    described = list(CLASSES[entry["task"]].items())
    rng.shuffle(described)
    answer = entry["row"]["answer"]
    gold = SPELT[answer] if entry["task"] == "insurance_policy_interpretation" else answer
    shown = rng.random() < 0.5
    options = {label: text if shown else None for label, text in described}
    asked = rng.choice(NAME).format(task=entry["task_summary"])
    return choice(origin, state, asked, options, list(options).index(gold))


def _state(row: Mapping[str, str]) -> Content:
    """The row without its answer and what gives it away; a lone text as a plain string."""
    shown = {name: text for name, text in row.items() if name not in HIDDEN and text.strip()}
    if "statute" in shown:
        del shown["text"]  # statute, description and question once more
    return next(iter(shown.values())) if len(shown) == 1 else shown


SOURCE = Source(
    name="legalbench",
    licence="per row",
    read=read,
    about="Guha et al. 2023, LegalBench; tasks under a licence that allows a model to be shipped",
)
