"""The whole flow on one page.

    prompts -> token plans -> batches -> layers, exit by exit -> measures -> scores

Every question is a reading (readout/reading.py) that asks for rounds. The rounds of all questions
are computed together: equal roots once, branches side by side. At each open exit the questions that
are decided leave; the others go on from the hidden states they have reached.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from steelyard.backbone.runtime import CONTEXTS, EXITS, Context, Runtime, State
from steelyard.backbone.store import PrefixStore
from steelyard.calibration.calibrator import Calibrator
from steelyard.engine.exits import ExitPolicy, should_exit
from steelyard.engine.job import Inquiry, Job
from steelyard.errors import CapabilityError, SteelyardError
from steelyard.readout.reading import Scores
from steelyard.tokens.build import BuiltPrompt, ReadAt, build
from steelyard.tokens.limits import Limits, check_limits
from steelyard.tokens.pack import pack
from steelyard.tokens.plan import TokenPlan
from steelyard.tokens.tokenizer import Tokenizer

BUDGET_TOKENS = 8192
"""Rows of one batch. Beyond a few hundred, more rows make no layer faster and only need memory."""

UNBOUNDED = 2**62
"""For runtimes without contexts: they walk whole trees, and a root cut in two would cost twice."""

Values: TypeAlias = dict[ReadAt, np.ndarray]
"""What was measured for one plan."""


@dataclass(slots=True)
class Elapsed:
    """Seconds spent on preparing batches and on computing them."""

    prepare_s: float = 0.0
    forward_s: float = 0.0


@dataclass(slots=True, eq=False)
class _Task:
    """One inquiry's round: its prompts, and the plans [first, first + len(prompts)) they became."""

    inquiry: Inquiry
    prompts: tuple[BuiltPrompt, ...]
    first: int

    def scores(self, values: Sequence[Values]) -> Scores:
        assert self.inquiry.round is not None
        return self.inquiry.round.score(
            [prompt.measures(values[self.first + i]) for i, prompt in enumerate(self.prompts)]
        )


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Answers jobs with a runtime. Not thread-safe: the runtime computes one batch at a time."""

    runtime: Runtime
    tokenizer: Tokenizer
    store: PrefixStore
    limits: Limits
    budget_tokens: int = BUDGET_TOKENS

    def run(self, jobs: Sequence[Job], policy: ExitPolicy, calibrator: Calibrator) -> Elapsed:
        """Compute rounds until every inquiry has its scores or its job an error.

        Args:
            policy: which exits are open; `calibrator` gives the probabilities that it looks at.
        Raises:
            CapabilityError: the runtime has no exits, and the policy opens some.
        """
        if policy.layers and EXITS not in self.runtime.capabilities:
            raise CapabilityError(
                f"the {self.runtime.name} runtime reads at full depth only; the torch runtime exits"
            )
        exits = policy.open_exits(self.runtime.num_layers)

        def decided(task: _Task, scores: Scores, layer: int) -> bool:
            kind = task.inquiry.kind
            distributions = [calibrator.apply(one, kind=kind, exit_layer=layer) for one in scores]
            return should_exit(distributions, policy.threshold)

        elapsed = Elapsed()
        held: dict[tuple[int, ...], Context] = {}  # roots that a later round may continue
        while True:
            begin = time.perf_counter()
            tasks, owners = self._prepare(jobs)
            elapsed.prepare_s += time.perf_counter() - begin
            if not tasks:
                return elapsed
            self._compute(tasks, owners, exits, decided, held, elapsed)

    def _prepare(self, jobs: Sequence[Job]) -> tuple[list[_Task], list[Job]]:
        """The tasks of all waiting inquiries, and for each plan the job that it belongs to."""
        tasks: list[_Task] = []
        owners: list[Job] = []
        for job in jobs:
            waiting = dict(job.waiting())
            try:
                built = {name: self._build(inquiry) for name, inquiry in waiting.items()}
                check_limits(
                    [name for name, prompts in built.items() for _ in prompts],
                    [prompt.plan for prompts in built.values() for prompt in prompts],
                    self.limits,
                )
            except SteelyardError as error:
                job.error = error
                continue
            for name, prompts in built.items():
                tasks.append(_Task(waiting[name], prompts, first=len(owners)))
                owners.extend([job] * len(prompts))
        return tasks, owners

    def _build(self, inquiry: Inquiry) -> tuple[BuiltPrompt, ...]:
        assert inquiry.round is not None
        return build(inquiry.round.prompts, self.tokenizer)

    def _compute(
        self,
        tasks: Sequence[_Task],
        owners: Sequence[Job],
        exits: Sequence[int],
        decided: Callable[[_Task, Scores, int], bool],
        held: dict[tuple[int, ...], Context],
        elapsed: Elapsed,
    ) -> None:
        """Compute one round of every task and hand the scores to its inquiry."""
        begin = time.perf_counter()
        plans = [prompt.plan for task in tasks for prompt in task.prompts]
        prefixes = self._stored(plans, held)
        more = any(task.inquiry.round is not None and task.inquiry.round.more for task in tasks)
        contexts = CONTEXTS in self.runtime.capabilities
        stored = [
            prefixes[index].num_tokens if index in prefixes else 0 for index in range(len(plans))
        ]
        batches = pack(
            plans,
            budget_tokens=self.budget_tokens if contexts else UNBOUNDED,
            stored_tokens=stored,
            capture=contexts and (more or self.store.budget_bytes > 0),
            contexts=contexts,
        )
        _count(plans, owners, stored)
        elapsed.prepare_s += time.perf_counter() - begin

        begin = time.perf_counter()
        values: list[Values] = [{} for _ in plans]
        captured: dict[tuple[int, ...], Context] = {}
        open_tasks: Sequence[_Task] = tasks
        # Begun one by one: a batch may continue a root that the one before it captures. All of them
        # stop at an exit before any goes on, so that what a question gets does not depend on which
        # batches its prompts came to lie in.
        states: Iterable[State] = (
            self.runtime.start(batch, [prefixes[plan] for plan in batch.context_of])
            for batch in batches
        )
        for layer in exits:
            last = layer == exits[-1]
            going: list[State] = []
            for state in states:
                state = self.runtime.advance(state, layer)
                _collect(state, self.runtime.measure(state), values)
                for segment, prefix in self.runtime.captured(state).items():
                    plan = state.batch.segments[segment].plan
                    prefixes[plan] = captured[plans[plan].nodes[0].ids] = prefix
                if not last:
                    going.append(state)
            staying: list[_Task] = []
            for task in open_tasks:
                scores = task.scores(values)
                if last or decided(task, scores, layer):
                    task.inquiry.resume(scores, layer)
                else:
                    staying.append(task)
            open_tasks = staying
            states = [
                self.runtime.keep(state, undecided)
                for state in going
                if (undecided := _segments_of(state, open_tasks))
            ]
        for root, prefix in captured.items():
            if more:
                held[root] = prefix
            self.store.put(root, prefix)
        elapsed.forward_s += time.perf_counter() - begin

    def _stored(
        self, plans: Sequence[TokenPlan], held: dict[tuple[int, ...], Context]
    ) -> dict[int, Context]:
        """Plan -> the longest prefix of its root that is there already."""
        found: dict[int, Context] = {}
        if CONTEXTS not in self.runtime.capabilities:
            return found
        known: dict[tuple[int, ...], Context | None] = {}
        for index, plan in enumerate(plans):
            root = plan.nodes[0]
            if root.reads:
                continue  # what is measured must be computed
            if root.ids not in known:
                known[root.ids] = held.get(root.ids) or self.store.find(root.ids)
            prefix = known[root.ids]
            if prefix is not None:
                found[index] = prefix
        return found


def _collect(state: State, measured: Sequence[np.ndarray], values: Sequence[Values]) -> None:
    for read, value in zip(state.batch.reads, measured, strict=True):
        segment = state.batch.segments[read.segment]
        values[segment.plan][segment.node, read.read] = value


def _segments_of(state: State, tasks: Sequence[_Task]) -> list[int]:
    """The segments with reads of these tasks."""
    plans = {task.first + i for task in tasks for i in range(len(task.prompts))}
    segments = {read.segment for read in state.batch.reads}
    return sorted(s for s in segments if state.batch.segments[s].plan in plans)


def _count(plans: Sequence[TokenPlan], owners: Sequence[Job], stored: Sequence[int]) -> None:
    """Add the round's tokens to the jobs; a root counts once for a job, and is computed once."""
    computed: set[tuple[int, ...]] = set()
    for plan, job, num_stored in zip(plans, owners, stored, strict=True):
        root = plan.nodes[0].ids
        job.computed_tokens += plan.num_tokens - len(root)
        if root in job.roots:
            continue
        job.roots.add(root)
        reused = len(root) if root in computed else num_stored
        computed.add(root)
        job.reused_tokens += reused
        job.computed_tokens += len(root) - reused
