"""The request that a command line spells: a state from somewhere, questions from flags and file."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from steelyard.cli.questions import read_questions
from steelyard.errors import InputFileError, RequestError
from steelyard.types.codec import loads
from steelyard.types.content import Content, as_content
from steelyard.types.question import Question
from steelyard.types.request import Request


def read_request(
    state: str | None,
    state_file: Path | None,
    json_state: bool,
    question_file: Path | None,
    flags: Mapping[str, Question],
) -> Request:
    """Put a request together; a state on the command line goes before that of a question file.

    Args:
        state: the state, or "-" for standard input.
        json_state: the state is JSON text that spells an object or an array.
    Raises:
        RequestError: no state, two states, no question, an id in file and flags, bad content.
        InputFileError: a file cannot be read or understood.
    """
    text = _read_state(state, state_file)
    content: Content | None = text
    if text is not None and json_state:
        try:
            content = as_content(loads(text), "state")
        except RequestError as error:
            raise RequestError(
                f"{error}; leave it out where the state is text", field="--json-state"
            ) from None
    asked: dict[str, Question] = {}
    if question_file is not None:
        file = read_questions(question_file)
        asked.update(file.questions)
        content = file.state if content is None else content
    for name, question in flags.items():
        if name in asked:
            raise RequestError(f"the id {name!r} is also in {question_file}", field="questions")
        asked[name] = question
    if content is None:
        raise RequestError(
            "missing; give it as an argument, with --state-file FILE, or - for standard input",
            field="state",
        )
    if not asked:
        raise RequestError(
            'none; ask with --noul "Is it urgent?", --choice, --score or --questions FILE',
            field="questions",
        )
    return Request(content, asked)


def _read_state(state: str | None, state_file: Path | None) -> str | None:
    """The text; of a file or a pipe without the newlines at its end, as `$(...)` does it."""
    if state is not None and state_file is not None:
        raise RequestError("given twice, as an argument and with --state-file", field="state")
    if state_file is None and state != "-":
        return state
    name = "standard input" if state_file is None else str(state_file)
    if state_file is None and sys.stdin is None:  # started with it closed
        raise InputFileError(f"{name}: closed")
    try:
        data = sys.stdin.buffer.read() if state_file is None else state_file.read_bytes()
    except OSError as error:
        raise InputFileError(f"{name}: {error.strerror}") from None
    try:
        return data.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise InputFileError(
            f"{name}: byte {data[error.start]:#04x} at offset {error.start} is not UTF-8"
        ) from None
