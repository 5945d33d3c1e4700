"""A decider without a fault, and others with one each, for `steelyard probe`.

The faultless one scores every option by its own text, with a few rules that make it competent: it
finds codes and reference cards, and takes a negation for the opposite.
"""

from __future__ import annotations

import hashlib
import math
import random
import re
from collections.abc import Mapping
from typing import Any

from steelyard.errors import TooManyOptionsError
from steelyard.probe.experiments.forged_options import CLAIM
from steelyard.probe.trial import Reply
from steelyard.types.question import Choice, Noul, Question
from steelyard.types.request import Request

CODE = re.compile(r"[A-Z]+-\d{3,4}")
CARD = re.compile(r"Reference card: (\w+) = (\w+)\.")
CONDITION = re.compile(r"reference card's (\w+) is (\w+)\.")


class Faultless:
    """See above; `spread` is how far the scores of options lie apart."""

    name = "faultless"

    def __init__(self, spread: float = 1.0):
        self.spread = spread
        self.asked: list[Request] = []

    def decide(self, request: Request) -> Reply:
        self.asked.append(request)
        answers = {name: self.answer(request, name) for name in request.questions}
        return Reply(answers=answers, input_tokens=self.tokens(request), ms=self.ms(request))

    def answer(self, request: Request, name: str) -> dict[str, float]:
        question = request.questions[name]
        scores = self.scores(self.seen(request, name), question)
        return softmax(self.adjusted(scores, request, name))

    def seen(self, request: Request, name: str) -> str:
        return str(request.state)

    def scores(self, state: str, question: Question) -> dict[str, float]:
        if isinstance(question, Noul):
            return self.yes_no(str(question.instructions))
        if not isinstance(question, Choice):
            return {str(level): -float(level) for level in range(len(question.criteria))}
        if list(question.criteria) == ["yes", "no"]:
            return self.yes_no(str(question.instructions))
        text = f"{state} {question.criteria}"
        return {
            label: self.score(state, dict(CARD.findall(text)), label, str(described))
            for label, described in question.criteria.items()
        }

    def score(self, state: str, cards: dict[str, str], label: str, described: str) -> float:
        score = self.spread * hashlib.sha256(label.encode()).digest()[0] / 255
        if CODE.fullmatch(label) and label in state:
            score += 12
        if condition := CONDITION.search(described):
            score += 12 * (cards.get(condition[1]) == condition[2])
        return score - 12 * ("Never select" in described)

    def yes_no(self, text: str) -> dict[str, float]:
        return {"yes": -1.4 if " not " in text else 1.4, "no": 0.0}

    def adjusted(self, scores: dict[str, float], request: Request, name: str) -> dict[str, float]:
        return scores

    def tokens(self, request: Request) -> int | None:
        return words(request.state) + sum(words(one) for one in request.questions.values())

    def ms(self, request: Request) -> float:
        return 10.0


class Leaky(Faultless):
    """Reads the siblings."""

    def seen(self, request: Request, name: str) -> str:
        others = [one for other, one in request.questions.items() if other != name]
        return f"{request.state} {others}"


class IdReader(Faultless):
    """Takes an id that names an option for a hint."""

    def adjusted(self, scores: dict[str, float], request: Request, name: str) -> dict[str, float]:
        return {label: score + 2 * (label in name) for label, score in scores.items()}


class SiblingBound(Faultless):
    """The first question of a request leans to its first option."""

    def adjusted(self, scores: dict[str, float], request: Request, name: str) -> dict[str, float]:
        return raised(scores, next(iter(scores)), 1.0 * (name == next(iter(request.questions))))


class CopyBound(Faultless):
    """A later question leans the more to its first option."""

    def adjusted(self, scores: dict[str, float], request: Request, name: str) -> dict[str, float]:
        return raised(scores, next(iter(scores)), 0.3 * list(request.questions).index(name))


class Noisy(Faultless):
    """Never says the same twice."""

    def adjusted(self, scores: dict[str, float], request: Request, name: str) -> dict[str, float]:
        chance = random.Random(len(self.asked))
        return {label: score + chance.gauss(0, 0.1) for label, score in scores.items()}


class OrderBound(Faultless):
    """Leans to whatever option comes first, by `lean` in log-odds."""

    lean = 1.0

    def adjusted(self, scores: dict[str, float], request: Request, name: str) -> dict[str, float]:
        return raised(scores, next(iter(scores)), self.lean)


class WordBound(Faultless):
    """Leans to "yes" or the first option where it is asked politely."""

    def adjusted(self, scores: dict[str, float], request: Request, name: str) -> dict[str, float]:
        polite = "Please" in str(request.questions[name].instructions)
        return raised(scores, next(iter(scores)), 1.0 * polite)


class Crowded(Faultless):
    """Grows less sure with every option: a temperature that depends on their number."""

    def __init__(self) -> None:
        super().__init__(spread=4.0)

    def adjusted(self, scores: dict[str, float], request: Request, name: str) -> dict[str, float]:
        return {label: score / (1 + 0.5 * (len(scores) - 4)) for label, score in scores.items()}


class Truncating(Faultless):
    """Reads the first 300 characters of a state, and counts no more."""

    def seen(self, request: Request, name: str) -> str:
        return str(request.state)[:300]

    def tokens(self, request: Request) -> int | None:
        return words(str(request.state)[:300]) + words(list(request.questions.values()))


class FirstOnly(Faultless):
    """Sees the right option only where it comes first."""

    def scores(self, state: str, question: Question) -> dict[str, float]:
        scores = super().scores(state, question)
        first = next(iter(scores))
        return {
            label: score if label == first else min(score, 1) for label, score in scores.items()
        }


class LastCardOnly(Faultless):
    """Sees what an option says only in the last one."""

    def scores(self, state: str, question: Question) -> dict[str, float]:
        scores = super().scores(state, question)
        if not isinstance(question, Choice) or CARD.search(state):
            return scores
        *_, last = question.criteria.values()
        blind = "Reference card" in str(question.criteria) and "Reference card" not in str(last)
        return {label: min(score, 0) for label, score in scores.items()} if blind else scores


class Gullible(Faultless):
    """Believes what has the form of an option."""

    def adjusted(self, scores: dict[str, float], request: Request, name: str) -> dict[str, float]:
        state = str(request.state)
        if CLAIM not in state:
            return scores
        claimed = max(scores, key=lambda label: state.rfind(label, 0, state.index(CLAIM)))
        return raised(scores, claimed, 5.0)


class Whimsical(Faultless):
    """Says something else for every other text, and understands none."""

    def scores(self, state: str, question: Question) -> dict[str, float]:
        return {
            label: 6 * hashlib.sha256(f"{state} {question} {label}".encode()).digest()[0] / 255
            for label in super().scores(state, question)
        }


class Agreeable(Faultless):
    """Says yes to a statement, and rather yes to its negation."""

    def yes_no(self, text: str) -> dict[str, float]:
        return {"yes": 0.6 if " not " in text else 1.4, "no": 0.0}


class KindBound(Faultless):
    """Says yes more often where yes is an option."""

    def adjusted(self, scores: dict[str, float], request: Request, name: str) -> dict[str, float]:
        as_choice = isinstance(request.questions[name], Choice) and "yes" in scores
        return raised(scores, "yes", 1.0) if as_choice else scores


class CountsTheStateAgain(Faultless):
    """Counts the state for every question, and the ids as well."""

    def tokens(self, request: Request) -> int | None:
        return sum(
            words(request.state) + words(one) + words(name)
            for name, one in request.questions.items()
        )


class TellsNoTokens(Faultless):
    def tokens(self, request: Request) -> int | None:
        return None


class Slow(Faultless):
    """Takes as long for a question as for a request, and for a state the square of its length."""

    def ms(self, request: Request) -> float:
        return len(request.questions) * (len(str(request.state)) / 100) ** 2


class Narrow(Faultless):
    """Takes 26 options."""

    def answer(self, request: Request, name: str) -> dict[str, float]:
        question = request.questions[name]
        if isinstance(question, Choice) and len(question.criteria) > 26:
            raise TooManyOptionsError("at most 26 <options>", field="criteria")
        return super().answer(request, name)


def softmax(scores: Mapping[str, float]) -> dict[str, float]:
    weights = {label: math.exp(score) for label, score in scores.items()}
    total = sum(weights.values())
    return {label: weight / total for label, weight in weights.items()}


def raised(scores: dict[str, float], label: str, by: float) -> dict[str, float]:
    return scores | {label: scores[label] + by}


def words(value: Any) -> int:
    return len(str(value).split())
