r"""Questions from flags and files.

    --noul   "[id=]question"                        --noul "urgent=Is it urgent?"
    --choice "[id=]question:option|option..."       --choice "queue=Which team?:billing|sales"
    --score  "[id=]question:level|level..."         --score "anger=How angry?:calm|annoyed|furious"

An option may be described: `billing=Charges and refunds|technical=Errors`. Levels go from low to
high. A question without an id is known by its own text. Where one of `= : |` is meant as text, put
a backslash before it (`\:`); `\\` is a backslash. In a noul only the `=` of an id is special, and
an id holds letters, digits, `_`, `-` and `.` only, so "Is 1+1=2?" needs no backslash.

A file, JSON or YAML, maps ids to questions in the form of System One, or is a whole request.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steelyard.cli.yaml_text import loads_yaml
from steelyard.errors import InputFileError, RequestError
from steelyard.types.codec import decode_question, loads
from steelyard.types.content import Content, Json, as_content
from steelyard.types.question import Choice, Noul, Question, Score
from steelyard.types.request import as_questions

_ID = re.compile(r"\s*([\w.-]+)\s*")
_ESCAPED = re.compile(r"\\([\\=:|])")
_SHOWN = 120


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """What a question file holds; `state` is None unless it is a whole request."""

    questions: dict[str, Question]
    state: Content | None = None


def parse_flags(
    nouls: Sequence[str] = (), choices: Sequence[str] = (), scores: Sequence[str] = ()
) -> dict[str, Question]:
    """The questions that flags spell, nouls first, then choices, then scores.

    Raises:
        RequestError: naming the flag, what was given and the expected form; or an id twice.
    """
    questions: dict[str, Question] = {}
    for flag, texts in (("--noul", nouls), ("--choice", choices), ("--score", scores)):
        form, parse = _FLAGS[flag]
        for text in texts:
            try:
                name, question = parse(text)
                if name in questions:
                    raise RequestError(f"the id {name!r} is given twice")
            except RequestError as error:
                shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
                raise type(error)(f"got {shown!r}: {error}; expected {form}", field=flag) from None
            questions[name] = question
    return questions


def read_questions(path: Path) -> QuestionFile:
    """Read a question file: JSON, or YAML where the name ends in .yaml or .yml.

    Raises:
        InputFileError: the file cannot be read, is no JSON or YAML, or holds what is no question.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputFileError(f"{path}: {error.strerror}") from None
    try:
        return _decode_file(_loads(data, path.suffix.lower()))
    except RequestError as error:
        raise InputFileError(f"{path}: {error}") from None


def _loads(data: bytes, suffix: str) -> Json:
    if suffix in (".yaml", ".yml"):
        return loads_yaml(data)
    return loads(data.removeprefix(b"\xef\xbb\xbf"))


def _decode_file(body: Json) -> QuestionFile:
    state, entries = None, body
    if isinstance(body, Mapping) and "questions" in body:
        inner = body["questions"]
        if not (isinstance(inner, Mapping) and isinstance(inner.get("type"), str)):
            entries = inner  # a whole request, and not a question with the id "questions"
            state = as_content(body["state"], "state") if "state" in body else None
    questions = {
        name: decode_question(question, f"questions.{name}", max_options=sys.maxsize)
        for name, question in as_questions(entries).items()
    }
    return QuestionFile(questions, state)


def _noul(text: str) -> tuple[str, Question]:
    name, rest = _split_id(text)
    instructions = _plain(rest)
    return name or instructions, Noul(instructions or None)


def _choice(text: str) -> tuple[str, Question]:
    name, instructions, options = _split_options(text)
    criteria: dict[str, Content | None] = {}
    for option in options:
        label, described, description = _cut(option, "=")
        label = _plain(label)
        if label in criteria:
            raise RequestError(f"the option {label!r} is given twice")
        criteria[label] = _plain(description) if described else None
    return name, Choice(instructions, criteria)


def _score(text: str) -> tuple[str, Question]:
    name, instructions, levels = _split_options(text)
    return name, Score(instructions, [_plain(level) for level in levels])


_FLAGS: dict[str, tuple[str, Callable[[str], tuple[str, Question]]]] = {
    "--noul": ('"[id=]question", such as "urgent=Is it urgent?"', _noul),
    "--choice": (
        '"[id=]question:option|option", such as "queue=Which team?:billing|technical|sales"',
        _choice,
    ),
    "--score": (
        '"[id=]question:level|level", low to high, such as "anger=How angry?:calm|annoyed|furious"',
        _score,
    ),
}


def _split_options(text: str) -> tuple[str, str | None, list[str]]:
    """Id, instructions and the still escaped options of `[id=]question:option|option`."""
    name, rest = _split_id(text)
    before, found, after = _cut(rest, ":")
    if not found:
        raise RequestError("no colon between question and options")
    instructions = _plain(before)
    if not name and not instructions:
        raise RequestError("neither an id nor a question")
    options = []
    while found:
        option, found, after = _cut(after, "|")
        options.append(option)
    return name or instructions, instructions or None, options


def _split_id(text: str) -> tuple[str, str]:
    """The id, or an empty string, and the still escaped rest."""
    before, found, after = _cut(text, "=")
    match = _ID.fullmatch(before) if found else None
    return (match.group(1), after) if match else ("", text)


def _cut(text: str, mark: str) -> tuple[str, str, str]:
    """`str.partition` at the first mark that has no backslash before it."""
    position = 0
    while position < len(text):
        if text[position] == mark:
            return text[:position], mark, text[position + 1 :]
        position += 2 if text[position] == "\\" else 1
    return text, "", ""


def _plain(text: str) -> str:
    return _ESCAPED.sub(r"\1", text).strip()
