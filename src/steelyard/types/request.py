"""A state with the questions asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from steelyard.errors import RequestError
from steelyard.types.content import Content, check_content
from steelyard.types.question import Choice, Noul, Question, Score


@dataclass(frozen=True, slots=True)
class Request:
    """One state and one or more questions, each judged against the state on its own.

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
        check_content(self.state, "state")
        if not isinstance(self.questions, Mapping) or not self.questions:
            raise RequestError(
                "no questions; allowed: an object with one or more", field="questions"
            )
        for name, question in self.questions.items():
            if not isinstance(name, str) or not name:
                raise RequestError(
                    f"question id {name!r}; allowed: a non-empty string", field="questions"
                )
            if not isinstance(question, Noul | Choice | Score):
                raise RequestError(
                    f"got {type(question).__name__}; allowed: Noul, Choice or Score",
                    field=f"questions.{name}",
                )
        object.__setattr__(self, "questions", dict(self.questions))
