"""A state with the questions asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from steelyard.errors import RequestError
from steelyard.types.content import Content, as_content, as_text, describe
from steelyard.types.question import Choice, Noul, Question, Score


@dataclass(frozen=True, slots=True)
class Request:
    """One state and one or more questions, each judged against the state on its own.

    Construction copies the state and the mapping, so a request never changes afterwards.

    Args:
        state: what is judged: a string, an object or an array.
        questions: id -> question. Ids are opaque: returned unchanged, never shown to the model.
        model: the model or alias asked for; None means the one that is loaded.
    Raises:
        RequestError: an empty state, no question, an empty id, a value that is no question.
    """

    state: Content
    questions: Mapping[str, Question]
    model: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "state", as_content(self.state, "state"))
        object.__setattr__(self, "questions", _questions(self.questions))
        if self.model is not None:
            object.__setattr__(self, "model", _name(self.model, "a model name", "model"))


def as_questions(value: object) -> dict[str, object]:
    """The entries of a non-empty mapping whose ids can be used in paths; its values unchecked.

    Raises:
        RequestError: no mapping, no entry, or an id that is no encodable, non-empty string.
    """
    if not isinstance(value, Mapping):
        raise RequestError(
            f"got {describe(value)}; allowed: an object of id -> question", field="questions"
        )
    if not value:
        raise RequestError("no questions; allowed: one or more", field="questions")
    return {_name(name, "a question id", "questions"): item for name, item in value.items()}


def _questions(value: object) -> dict[str, Question]:
    questions: dict[str, Question] = {}
    for name, question in as_questions(value).items():
        if not isinstance(question, Noul | Choice | Score):
            raise RequestError(
                f"got {describe(question)}; allowed: a Noul, Choice or Score",
                field=f"questions.{name}",
            )
        questions[name] = question
    return questions


def _name(value: object, what: str, field: str) -> str:
    if not isinstance(value, str) or not value:
        raise RequestError(f"{describe(value)} as {what}; allowed: a non-empty string", field=field)
    return as_text(value, field)
