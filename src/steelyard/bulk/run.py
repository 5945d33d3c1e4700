"""Scoring a file: rows in, answers out in input order, one journal record per row."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from steelyard.bulk.group import Decide, Outcome, answer
from steelyard.bulk.journal import open_journal
from steelyard.bulk.record import Recipe
from steelyard.bulk.row import Row
from steelyard.bulk.source import Source
from steelyard.bulk.write import flatten, format_of, record_of
from steelyard.errors import SteelyardError
from steelyard.types.answer import Response
from steelyard.types.codec import dumps, encode_question


@dataclass(slots=True, kw_only=True)
class Progress:
    """How far a run has come.

    Attributes:
        after: line after which it began: above 0 where it resumed.
        line: line of the last record written.
        position: how much of the source is done, of `Source.size`.
        rows: records written by this run, errors included.
        errors: how many of them are errors.
        tokens: input tokens of the rows answered.
        seconds: since the start.
        refused: line and error of the bad row at which a strict run stopped; it has no record.
        interrupted: stopped by the user.
    """

    after: int = 0
    line: int = 0
    position: int = 0
    rows: int = 0
    errors: int = 0
    tokens: int = 0
    seconds: float = 0.0
    refused: tuple[int, SteelyardError] | None = None
    interrupted: bool = False


def score(
    source: Source,
    out: Path,
    decide: Decide,
    *,
    options: Mapping[str, str],
    batch: int = 32,
    digits: int | None = None,
    strict: bool = False,
    resume: bool = False,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Progress:
    """Answer every row of `source` and write the records to `out`, in the format of its ending.

    A row that is no request, or that `decide` refuses, becomes an error record.

    Args:
        decide: answers requests, with an error in place of an answer that cannot be given.
        options: what else decides the answers (model, readout, ...): a run resumes only as itself.
        batch: most rows per call of `decide`.
        digits: decimals of the numbers written; None writes full floats.
        strict: stop at the first bad row, before its record.
        resume: go on with the unfinished run at `out`, if there is one.
        on_progress: called at the start and after every batch.
    Returns:
        The progress at the end; the output is complete unless `refused` or `interrupted` says no.
    Raises:
        OutputError: the output exists, belongs to another run or cannot be written.
        InputFileError: the source cannot be read.
        SteelyardError: any error of `decide` that is no RequestError, for it is not the row's.
    """
    form = format_of(out)
    run = {**_identity(source, out), "digits": str(digits), **options}
    progress, started = Progress(), time.monotonic()
    journal = open_journal(out, run, resume=resume)
    if journal is None:
        return progress
    with journal:
        progress.after = progress.line = journal.last_line
        try:
            on_progress(progress)
            for ready in answer(source.rows(progress.after), decide, batch):
                good = list(takewhile(_answered, ready)) if strict else ready
                records = (record_of(row, outcome, digits) for row, outcome in good)
                journal.append(map(flatten, records) if form.flat else records)
                _count(progress, good, time.monotonic() - started)
                on_progress(progress)
                if len(good) < len(ready):
                    row, error = ready[len(good)]
                    assert isinstance(error, SteelyardError)
                    progress.refused = row.line, error
                    return progress
            journal.finish(form.convert)
        except KeyboardInterrupt:
            progress.interrupted = True
    return progress


def _answered(pair: tuple[Row, Outcome]) -> bool:
    return isinstance(pair[1], Response)


def _count(progress: Progress, written: Sequence[tuple[Row, Outcome]], seconds: float) -> None:
    progress.seconds = seconds
    for row, outcome in written:
        progress.line, progress.position = row.line, row.end
        progress.rows += 1
        if isinstance(outcome, Response):
            progress.tokens += outcome.usage.input_tokens
        else:
            progress.errors += 1


def _identity(source: Source, out: Path) -> dict[str, str]:
    recipe = source.recipe
    return {
        "input": source.digest,
        "questions": _digest(recipe),
        "state": str(recipe.state),
        "id": recipe.id,
        "output": out.suffix.lower(),
    }


def _digest(recipe: Recipe) -> str:
    questions = recipe.questions or {}
    text = dumps({name: encode_question(question) for name, question in questions.items()})
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
