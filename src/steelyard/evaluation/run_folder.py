"""What `steelyard evaluate` writes, and what `compare` and `report` read.

RUN/answers/SUITE.jsonl   every answer, kept as it comes
RUN/failures.jsonl        the examples that have none, and why
RUN/result.json           the figures
RUN/worst.jsonl           the worst errors with their texts, to be read
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from steelyard.errors import InputFileError, OutputError
from steelyard.evaluation.kept import read_rows
from steelyard.evaluation.run import Maker, Prediction, read_predictions
from steelyard.files import write_whole

ANSWERS, FAILURES, RESULT, WORST = "answers", "failures.jsonl", "result.json", "worst.jsonl"

Result: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """A run that was read.

    Attributes:
        name: of its folder or file.
        suites: name -> answers; makers: name -> what made them.
        result: what was written of it; None where only answers are there.
        worst: the worst errors with their texts.
    """

    name: str
    suites: Mapping[str, Sequence[Prediction]]
    makers: Mapping[str, Maker]
    result: Result | None
    worst: Sequence[Mapping[str, Any]]

    @property
    def predictions(self) -> list[Prediction]:
        """All answers."""
        return [one for part in self.suites.values() for one in part]


def answers_path(folder: Path, suite: str) -> Path:
    """Where the answers to a suite are kept."""
    return folder / ANSWERS / f"{suite}.jsonl"


def read_run(path: Path) -> Run:
    """A run's folder, a folder of answers, or one file of them; one answer of each example.

    Raises:
        OutputError: no such thing, or a file in it that holds no answers.
        InputFileError: a file of it that cannot be read, or a damaged line.
    """
    if path.is_file():
        files = [path]
    else:
        inner = path / ANSWERS
        files = sorted((inner if inner.is_dir() else path).glob("*.jsonl"))
    if not files:
        raise OutputError(f"{path}: no answers; allowed: what `steelyard evaluate` wrote")
    suites: dict[str, dict[str, Prediction]] = {}
    makers = {}
    for file in files:
        maker, found = read_predictions(file)
        for one in found:
            suites.setdefault(one.suite, {})[one.example] = one
            makers[one.suite] = maker
    return Run(
        name=path.name or str(path),
        suites={name: list(answers.values()) for name, answers in suites.items()},
        makers=makers,
        result=read_result(path / RESULT) if (path / RESULT).is_file() else None,
        worst=read_rows(path / WORST) if path.is_dir() else [],
    )


def read_result(path: Path) -> Result:
    """The figures of a run.

    Raises:
        InputFileError: it cannot be read, or is none.
    """
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputFileError(f"{path}: {error}") from error
    if not isinstance(result, dict) or "suites" not in result:
        raise InputFileError(f"{path}: no result; allowed: what `steelyard evaluate` wrote")
    return result


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """JSON Lines in place of what was there.

    Raises:
        OutputError: they cannot be written; what was there is left.
    """
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)
