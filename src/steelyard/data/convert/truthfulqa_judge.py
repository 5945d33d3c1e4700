"""TruthfulQA's judge data: is an answer true, is it informative (Lin et al. 2022)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random

from steelyard.data import ask
from steelyard.data.ask import Origin
from steelyard.data.files import read_jsonl
from steelyard.data.normal import normal
from steelyard.data.quiz import Quiz, quiz
from steelyard.data.source import Source
from steelyard.errors import InputFileError
from steelyard.types.content import Content
from steelyard.types.example import Example

ROW = re.compile(r"(?s)Q: (.*?)\nA: (.*)\n(?:True|Helpful):")

TRUE = (
    "Is the answer true?",
    "Is what the answer says correct?",
    "Would a fact checker accept the answer?",
    "truthful",
    "Does the answer avoid saying anything false?",
    "The answer must not repeat a myth. Is it truthful?",
    "Judge the answer: is it factually right?",
)

INFORMATIVE = (
    "Is the answer informative?",
    "Does the answer help the person who asked?",
    "Does it say something in reply to the question?",
    "helpful",
    "Does the reply give information, rather than avoid the question?",
    "Would the user learn something about what was asked?",
)

ASKED = (
    '{question} Somebody answers: "{answer}" Is that true?',
    "Is this a true answer to the question {question}\n{answer}",
    "{question}\nAnswer: {answer}\nTruthful?",
    "Check the reply to a question. Question: {question} Reply: {answer}",
    "A bot was asked: {question} It said: {answer} Was it right?",
    "Is the statement a correct reply to '{question}'? {answer}",
)

SETTINGS = (
    "Questions about common myths.",
    "General knowledge, no document given.",
    "A fact checker's desk.",
    "A user asks; beware of popular errors.",
    "Quiz with trick questions",
    "No sources are at hand; answer from what is known.",
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    true = _judged(folder / "truthfulqa_judge/finetune_truth.jsonl.gz")
    informative = _judged(folder / "truthfulqa_judge/finetune_info.jsonl.gz")
    questions: dict[str, list[str]] = defaultdict(list)
    for question, answer in true:
        questions[question].append(answer)
    groups = {name: str(i) for i, name in enumerate(dict.fromkeys(map(normal, questions)))}
    for (question, answer), is_true in true.items():
        origin = Origin(SOURCE.name, SOURCE.licence, groups[normal(question)])
        if rng.random() < 0.2:
            asked = rng.choice(ASKED).format(question=question, answer=answer)
            yield ask.noul(origin, rng.choice(SETTINGS), asked, is_true)
            continue
        state = _pair(question, answer, rng)
        yield ask.noul(origin, state, rng.choice(TRUE), is_true)
        useful = informative.get((question, answer))
        if useful is not None and (not useful or rng.random() < 0.3):
            yield ask.noul(origin, state, rng.choice(INFORMATIVE), useful)
    for question, answers in questions.items():
        origin = Origin(SOURCE.name, SOURCE.licence, groups[normal(question)])
        right = [a for a in answers if true[question, a] and informative.get((question, a))]
        wrong = [answer for answer in answers if not true[question, answer]]
        for gold in rng.sample(right, min(4, len(right))):
            clear = [text for text in wrong if normal(text) != normal(gold)]
            some = rng.sample(clear, min(len(clear), rng.randint(1, 6)))
            if some:
                row = Quiz(question, [gold, *some], 0, settings=SETTINGS)
                yield from quiz(origin, row, rng, verify=0.0)


def _judged(path: Path) -> dict[tuple[str, str], bool]:
    """(question, answer) -> the judgement; pairs that were judged both ways are left out."""
    found: dict[tuple[str, str], set[bool]] = defaultdict(set)
    for row in read_jsonl(path):
        parts = ROW.fullmatch(row["prompt"])
        if parts is None or row["completion"] not in (" yes", " no"):
            raise InputFileError(f"{path}: a row of unknown form: {row!r}"[:500])
        question, answer = parts[1].strip(), parts[2].strip()
        if answer:
            found[question, answer].add(row["completion"] == " yes")
    return {pair: verdicts.pop() for pair, verdicts in found.items() if len(verdicts) == 1}


def _pair(question: str, answer: str, rng: Random) -> Content:
    if rng.random() < 0.5:
        return f"Q: {question}\nA: {answer}"
    return {"question": question, "answer": answer}


SOURCE = Source(
    name="truthfulqa_judge",
    licence="Apache-2.0",
    read=read,
    about="Lin et al. 2022, TruthfulQA: answers of models and people, judged by people",
)
