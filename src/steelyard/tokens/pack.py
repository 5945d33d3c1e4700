"""Token plans to flat batches under a budget of tokens.

Nothing is padded. Plans with equal roots share one root. What is computed together is a group: a
root and its branches. Groups that fit are laid into batches whole, the largest first, each where it
leaves the least room. A group that does not fit is spread over several batches: the first captures
the root, the later ones continue it as a context.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from steelyard.tokens.plan import ROOT, Batch, BatchRead, Node, Segment, TokenPlan


def pack(
    plans: Sequence[TokenPlan],
    *,
    budget_tokens: int,
    stored_tokens: Sequence[int] | None = None,
    capture: bool = False,
    contexts: bool = True,
) -> tuple[Batch, ...]:
    """Lay plans into batches of at most `budget_tokens` rows, to be computed in order.

    A batch exceeds the budget only where one branch, or one root, does so by itself; then it holds
    nothing else. `Batch.context_of` says whose root a batch continues: the stored prefix of
    `stored_tokens` tokens, or the whole root once an earlier batch has captured it.

    Args:
        stored_tokens: for each plan, how many leading tokens of its root are stored already; equal
            roots have equal numbers. None: nothing is stored.
        capture: capture all roots, for the store, and not only those that later batches continue.
        contexts: whether the runtime can capture and continue; if not, every batch has the whole
            root of each of its branches, and nothing may be stored.
    """
    stored = [0] * len(plans) if stored_tokens is None else stored_tokens
    assert contexts or not (capture or any(stored)), "this runtime has no contexts"
    groups = _groups(plans, stored)
    bins: list[_Bin] = []
    for group in sorted(groups, key=lambda group: -group.size):
        if group.size <= budget_tokens:
            target = _best(bins, group.size, budget_tokens) or _opened(bins)
            target.add(group, group.units, root=group.rest > 0)
        elif contexts:
            _spread(group, bins, budget_tokens)
        else:
            _repeat(group, bins, budget_tokens)
    return tuple(_Writer(plans, capture).batch(one) for one in bins)


@dataclass(frozen=True, slots=True)
class _Unit:
    """Nodes of a plan that stay together: a branch of the root, with those that it sees."""

    plan: int
    nodes: tuple[int, ...]
    size: int


@dataclass(slots=True, eq=False)
class _Group:
    """Plans with the same root.

    Attributes:
        owner: the first of the plans.
        stored: leading tokens of the root that are stored; rest: those that are not.
        spread: whether batches after the first continue the root.
    """

    owner: int
    stored: int
    rest: int
    units: list[_Unit]
    spread: bool = False

    @property
    def size(self) -> int:
        return self.rest + sum(unit.size for unit in self.units)


@dataclass(slots=True, eq=False)
class _Bin:
    """A batch in the making: per group its units, and whether the root is computed here."""

    used: int = 0
    parts: list[tuple[_Group, list[_Unit], bool]] = field(default_factory=list)

    def add(self, group: _Group, units: Sequence[_Unit], *, root: bool) -> None:
        self.used += sum(unit.size for unit in units) + (group.rest if root else 0)
        if self.parts and self.parts[-1][0] is group:
            self.parts[-1][1].extend(units)
        else:
            self.parts.append((group, list(units), root))


def _groups(plans: Sequence[TokenPlan], stored: Sequence[int]) -> list[_Group]:
    """Plans by their root; a group that has nothing to compute is left out."""
    groups: dict[tuple[tuple[int, ...], int], _Group] = {}
    for index, (plan, count) in enumerate(zip(plans, stored, strict=True)):
        root = plan.nodes[0]
        assert count <= min((read.offset for read in root.reads), default=len(root.ids)), (
            "what is read must be computed"
        )
        # A root that is measured belongs to its own plan: its values could not be told apart.
        key = (root.ids, index if root.reads else ROOT)
        if key not in groups:
            groups[key] = _Group(index, count, len(root.ids) - count, [])
        assert groups[key].stored == count, "equal roots are stored alike"
        groups[key].units.extend(_units(index, plan.nodes))
    return [group for group in groups.values() if group.size > 0]


def _units(plan: int, nodes: Sequence[Node]) -> list[_Unit]:
    """The branches of the root, in order; a branch that sees others is one unit with them."""
    members: list[list[int]] = []
    for index, node in enumerate(nodes[1:], start=1):
        if node.parent != 0:
            members[-1].append(index)
            continue
        joined = [unit for unit in members if any(seen in unit for seen in node.sees)]
        members = [unit for unit in members if unit not in joined]
        members.append([*(i for unit in joined for i in unit), index])
    return [
        _Unit(plan, tuple(unit), sum(len(nodes[index].ids) for index in unit)) for unit in members
    ]


def _spread(group: _Group, bins: list[_Bin], budget: int) -> None:
    """Over several new batches; the root is computed, and captured, in the first."""
    own: list[_Bin] = []
    if group.rest > 0:
        own.append(_opened(bins))
        own[0].add(group, (), root=True)
    for unit in _largest_first(group.units):
        target = _best(own, unit.size, budget)
        if target is None:
            target = _opened(bins)
            own.append(target)
        target.add(group, [unit], root=False)
    group.spread = len(own) > 1


def _repeat(group: _Group, bins: list[_Bin], budget: int) -> None:
    """Over several new batches that all compute the root."""
    own: list[_Bin] = []
    for unit in _largest_first(group.units):
        target = _best(own, unit.size, budget)
        if target is None:
            target = _opened(bins)
            own.append(target)
            target.add(group, (), root=True)
        target.add(group, [unit], root=False)


def _largest_first(units: Sequence[_Unit]) -> list[_Unit]:
    return sorted(units, key=lambda unit: -unit.size)


def _best(bins: Sequence[_Bin], size: int, budget: int) -> _Bin | None:
    """The bin that has room for `size` and is fullest; the first of equals."""
    fitting = [one for one in bins if one.used + size <= budget]
    return max(fitting, key=lambda one: one.used, default=None)


def _opened(bins: list[_Bin]) -> _Bin:
    bins.append(_Bin())
    return bins[-1]


class _Writer:
    """Lays one bin out as a batch."""

    def __init__(self, plans: Sequence[TokenPlan], capture: bool) -> None:
        self.plans = plans
        self.capture = capture
        self.ids: list[int] = []
        self.positions: list[np.ndarray] = []
        self.segments: list[Segment] = []
        self.reads: list[BatchRead] = []
        self.contexts: list[int] = []
        self.context_of: list[int] = []

    def batch(self, content: _Bin) -> Batch:
        for group, units, root in sorted(content.parts, key=lambda part: part[0].owner):
            parent, context = ROOT, ROOT
            if group.stored > 0 or not root:
                num_root = len(self.plans[group.owner].nodes[0].ids)
                context = len(self.contexts)
                self.contexts.append(group.stored if root else num_root)
                self.context_of.append(group.owner)
            if root:
                capture = self.capture or group.spread
                parent = self._segment(
                    group.owner, 0, ROOT, context, skip=group.stored, capture=capture
                )
                context = ROOT
            for unit in sorted(units, key=lambda unit: (unit.plan, unit.nodes)):
                self._unit(unit, parent, context)
        return Batch(
            ids=np.array(self.ids, dtype=np.int64),
            positions=np.concatenate(self.positions),
            segments=tuple(self.segments),
            reads=tuple(self.reads),
            contexts=tuple(self.contexts),
            context_of=tuple(self.context_of),
        )

    def _unit(self, unit: _Unit, root: int, context: int) -> None:
        nodes = self.plans[unit.plan].nodes
        placed = {0: root}
        for index in unit.nodes:
            node = nodes[index]
            placed[index] = self._segment(
                unit.plan,
                index,
                placed[node.parent],
                context if node.parent == 0 else ROOT,
                sees=tuple(placed[seen] for seen in node.sees),
            )

    def _segment(
        self,
        plan: int,
        index: int,
        parent: int,
        context: int,
        *,
        sees: tuple[int, ...] = (),
        skip: int = 0,
        capture: bool = False,
    ) -> int:
        """Append a node without its first `skip` tokens; returns the segment's index."""
        node = self.plans[plan].nodes[index]
        segment, begin = len(self.segments), len(self.ids)
        self.ids.extend(node.ids[skip:])
        self.positions.append(np.arange(node.start + skip, node.end, dtype=np.int64))
        self.segments.append(
            Segment(plan, index, begin, len(self.ids), parent, context, sees, capture)
        )
        self.reads.extend(
            BatchRead(segment, begin - skip + read.offset, read)
            for read in sorted(node.reads, key=lambda read: read.offset)
        )
        return segment
