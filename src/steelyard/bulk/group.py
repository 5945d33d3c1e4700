"""Order of work: rows with the same state go together, answers come out in input order."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from steelyard.bulk.row import Row
from steelyard.errors import RequestError, SteelyardError
from steelyard.types.answer import Response
from steelyard.types.request import Request

WINDOW_BATCHES = 8
"""Rows are regrouped within this many batches: what is held in memory, and what a kill can lose."""

Outcome: TypeAlias = Response | SteelyardError
Decide: TypeAlias = Callable[[Sequence[Request]], Sequence[Outcome]]
"""Answers requests in order; an error takes the place of an answer that could not be given."""


def answer(rows: Iterable[Row], decide: Decide, batch: int) -> Iterator[list[tuple[Row, Outcome]]]:
    """Answer rows, `batch` of them per call of `decide`, and give them back in input order.

    A list is given whenever rows are finished and every row before them is, too; the lists laid
    end to end are the rows.

    Raises:
        SteelyardError: `decide` returned an error that is not about a request.
    """
    remaining = iter(rows)
    while window := tuple(itertools.islice(remaining, batch * WINDOW_BATCHES)):
        yield from _answer_window(window, decide, batch)


def batches(
    requests: Sequence[tuple[int, Request]], size: int
) -> Iterator[list[tuple[int, Request]]]:
    """Cut numbered requests into calls of at most `size`, equal states next to each other.

    States come in the order of their first row. A state whose rows fit one call is not split
    between two, so that it is computed once.
    """
    groups: dict[str, list[tuple[int, Request]]] = {}
    for numbered in requests:
        groups.setdefault(_key(numbered[1]), []).append(numbered)
    call: list[tuple[int, Request]] = []
    for group in groups.values():
        if call and len(call) + min(len(group), size) > size:
            yield call
            call = []
        for numbered in group:
            call.append(numbered)
            if len(call) == size:
                yield call
                call = []
    if call:
        yield call


def _answer_window(
    window: Sequence[Row], decide: Decide, batch: int
) -> Iterator[list[tuple[Row, Outcome]]]:
    outcomes: dict[int, Outcome] = {}
    requests: list[tuple[int, Request]] = []
    for index, row in enumerate(window):
        if isinstance(row.asked, Request):
            requests.append((index, row.asked))
        else:
            outcomes[index] = row.asked
    sent = 0
    for call in itertools.chain(batches(requests, batch), [[]]):
        if call:
            answers = decide([request for _, request in call])
            for (index, _), outcome in zip(call, answers, strict=True):
                if isinstance(outcome, SteelyardError) and not isinstance(outcome, RequestError):
                    raise outcome
                outcomes[index] = outcome
        ready = []
        while sent in outcomes:
            ready.append((window[sent], outcomes.pop(sent)))
            sent += 1
        if ready:
            yield ready


def _key(request: Request) -> str:
    return json.dumps(request.state, ensure_ascii=False)
