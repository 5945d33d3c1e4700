"""UniEval's meta-evaluation sets: texts of machines that two or three people rated.

SFRES and SFHOT are sentences made from a meaning (Wen et al. 2015), Topical-Chat dialogue replies
(Mehri and Eskenazi 2020); packaged by Zhong et al. 2022. Only averages are published.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data import ask, soft
from steelyard.data.ask import Origin
from steelyard.data.files import read_json
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example


@dataclass(frozen=True, slots=True)
class Aspect:
    """What was rated: how it is asked for, and its levels from the lowest, in several scales."""

    wordings: Sequence[str]
    scales: Sequence[Sequence[str]]


SENTENCE = {
    "informativeness": Aspect(
        (
            "How much of the meaning does the text convey?",
            "Rate how completely the text states the required information.",
            "informativeness",
            "Does the sentence say everything that the structured input asks for? Grade it.",
            "How well are the given facts expressed?",
            "Grade the coverage of the input's contents.",
        ),
        (
            ("nothing", "very little", "some", "most", "nearly all", "everything"),
            ("useless", "poor", "weak", "fair", "good", "complete"),
            ("1", "2", "3", "4", "5", "6"),
        ),
    ),
    "naturalness": Aspect(
        (
            "How natural is the text?",
            "Could a person have written this sentence? Grade it.",
            "naturalness",
            "Rate the fluency of the text.",
            "How well does it read?",
            "Grade how much it sounds like a native speaker.",
        ),
        (
            ("unreadable", "very odd", "odd", "acceptable", "natural", "perfectly natural"),
            ("very bad", "bad", "rather bad", "rather good", "good", "very good"),
            ("1", "2", "3", "4", "5", "6"),
        ),
    ),
    "overall": Aspect(
        (
            "How good is the text as a whole?",
            "Rate the overall quality of the generated sentence.",
            "overall quality",
            "Grade the system's output.",
            "Would you let the assistant say this? Grade it.",
            "Considering content and wording, how good is it?",
        ),
        (
            ("very bad", "bad", "rather bad", "rather good", "good", "very good"),
            ("unusable", "poor", "weak", "fair", "good", "excellent"),
            ("1", "2", "3", "4", "5", "6"),
        ),
    ),
}

REPLY = {
    "naturalness": Aspect(
        (
            "How natural is the reply?",
            "Could a person have said this?",
            "naturalness of the response",
            "Rate whether the response sounds like something people say.",
            "Does the last turn read naturally? Grade it.",
            "Grade the fluency of the reply.",
        ),
        (("unnatural", "somewhat natural", "natural"), ("bad", "fair", "good"), ("1", "2", "3")),
    ),
    "coherence": Aspect(
        (
            "Does the reply continue the conversation well?",
            "How well does the response follow from what was said?",
            "coherence with the dialogue",
            "Rate whether the reply keeps to the thread of the conversation.",
            "Grade how much sense the answer makes here.",
            "Is it a valid continuation of the dialogue?",
        ),
        (
            ("does not follow", "follows in part", "follows well"),
            ("no", "somewhat", "yes"),
            ("1", "2", "3"),
        ),
    ),
    "engagingness": Aspect(
        (
            "How engaging is the reply?",
            "Rate how interesting the response is.",
            "engagingness",
            "Would the reply keep the other person talking?",
            "Dull or interesting? Grade the response.",
            "Grade the interest that the answer raises.",
        ),
        (("dull", "somewhat interesting", "interesting"), ("low", "medium", "high"), tuple("123")),
    ),
    "overall": Aspect(
        (
            "How good is the reply as a whole?",
            "Rate the overall quality of the response.",
            "overall quality of the turn",
            "What is your impression of this answer?",
            "Grade the chatbot's last turn.",
            "Everything considered, how good is the response?",
        ),
        (
            ("very bad", "bad", "okay", "good", "very good"),
            ("poor", "fair", "average", "good", "excellent"),
            ("1", "2", "3", "4", "5"),
        ),
    ),
}

REPLY_NOUL = {
    "understandability": (
        "Is the reply understandable?",
        "Can one understand the response, given what was said before?",
        "understandable",
        "Does the answer make sense to a reader of the dialogue?",
        "Is it clear what the last turn means?",
        "Could the other person understand this?",
    ),
    "groundedness": (
        "Does the reply use the given facts?",
        "Is the response based on the knowledge that was provided?",
        "grounded in the facts",
        "Does the answer take up the fact?",
        "Did the chatbot work in the background text?",
        "Is the reply built on the facts given?",
    ),
}

BETTER = (
    "Which reply is the best?",
    "Choose the response that people like most.",
    "Which answer should the chatbot give?",
    "best continuation",
    "Rank the candidates: which one comes first?",
    "Pick the reply of the highest quality.",
)

RATERS = 3
MARGIN = 1.5
"""How far apart two overall ratings are where one reply is called better."""


def read_sentences(folder: Path, rng: Random) -> Iterator[Example]:
    for name in ("sfres", "sfhot"):
        groups: dict[str, str] = {}
        for row in read_json(folder / f"unieval/{name}.json.gz"):
            group = groups.setdefault(row["source"], f"{name}-{len(groups)}")
            origin = Origin(SENTENCES.name, SENTENCES.licence, group)
            form = rng.randrange(2)
            text = row["system_output"]
            state: Content = (
                {"meaning": row["source"], "text": text}
                if form
                else f"Input: {row['source']}\nOutput: {text}"
            )
            yield from _graded(origin, state, SENTENCE, row["scores"], rng)


def read_replies(folder: Path, rng: Random) -> Iterator[Example]:
    contexts: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in read_json(folder / "unieval/topical_chat.json.gz"):
        contexts[row["source"], row["context"]].append(row)
    for number, ((dialogue, fact), rows) in enumerate(contexts.items()):
        origin = Origin(REPLIES.name, REPLIES.licence, str(number))
        before = _context(dialogue, fact)
        for row in rows:
            state = {**before, "reply": row["system_output"].strip()}
            yield from _graded(origin, state, REPLY, row["scores"], rng)
            for aspect, wordings in REPLY_NOUL.items():
                if aspect == "groundedness" and "fact" not in before:
                    continue
                yes = round(row["scores"][aspect] * RATERS)
                shares = soft.votes((yes, RATERS - yes))
                yield ask.noul(origin, state, rng.choice(wordings), shares[0])
        yield from _best(origin, before, rows, rng)


def _graded(
    origin: Origin,
    state: Content,
    aspects: Mapping[str, Aspect],
    scores: Mapping[str, float],
    rng: Random,
) -> Iterator[Example]:
    for name, aspect in aspects.items():
        levels = rng.choice(aspect.scales)
        target = soft.around_mean(len(levels), scores[name] - 1)
        yield ask.score(origin, state, rng.choice(aspect.wordings), levels, target)


def _best(
    origin: Origin, before: dict[str, Any], rows: Sequence[dict[str, Any]], rng: Random
) -> Iterator[Example]:
    """Pairs of replies to one dialogue of which one is clearly better."""
    for pair in combinations(rows, 2):
        low, high = sorted(pair, key=lambda row: float(row["scores"]["overall"]))
        texts = [high["system_output"].strip(), low["system_output"].strip()]
        if high["scores"]["overall"] - low["scores"]["overall"] < MARGIN or texts[0] == texts[1]:
            continue
        rng.shuffle(texts)
        right = texts.index(high["system_output"].strip())
        options: Mapping[str, str | None] = (
            dict.fromkeys(texts) if rng.random() < 0.5 else dict(zip("AB", texts, strict=True))
        )
        yield ask.choice(origin, before, rng.choice(BETTER), options, right)


def _context(dialogue: str, fact: str) -> dict[str, Any]:
    turns = [turn.strip() for turn in dialogue.split("\n") if turn.strip()]
    known = {} if fact.strip() in ("", "_nofact") else {"fact": fact.strip()}
    return {**known, "dialogue": turns}


SENTENCES = Source(
    name="unieval_sentences",
    licence="MIT",
    read=read_sentences,
    about="SFRES and SFHOT, Wen et al. 2015, as UniEval (Zhong et al. 2022) packages them",
)
REPLIES = Source(
    name="unieval_replies",
    licence="MIT",
    read=read_replies,
    about="Topical-Chat, Mehri and Eskenazi 2020, as UniEval (Zhong et al. 2022) packages them",
)
