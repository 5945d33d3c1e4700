"""Prompts to token plans.

The tokens on the way from the root to any branch are exactly those of the whole text. Where a
tokenizer joins the end of a parent with the beginning of a child, the tokens concerned leave the
parent and stand in all of its children.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from steelyard.errors import UnsupportedModelError
from steelyard.prompt.branch import Branch, Labels, Likelihood, Marks, Prompt, Read
from steelyard.tokens.plan import (
    ROOT,
    HiddenRead,
    LogitRead,
    LogProbRead,
    Node,
    NodeRead,
    TokenPlan,
)
from steelyard.tokens.tokenizer import Encoding, Tokenizer

ReadAt: TypeAlias = tuple[int, NodeRead]
"""A node of the plan and one of its reads."""


@dataclass(frozen=True, slots=True)
class BranchRead:
    """Where one branch is measured."""

    read: Read
    at: tuple[ReadAt, ...]

    def measure(self, values: Mapping[ReadAt, np.ndarray]) -> np.ndarray:
        """The branch's measure, shaped as its read promises."""
        found = [values[at] for at in self.at]
        match self.read:
            case Labels():
                return found[0]
            case Likelihood():
                return np.array(found, dtype=np.float64)
            case Marks():
                return np.stack(found)


@dataclass(frozen=True, slots=True)
class BuiltPrompt:
    """A plan, and where each branch that reads is measured, depth first."""

    plan: TokenPlan
    reads: tuple[BranchRead, ...]

    def measures(self, values: Mapping[ReadAt, np.ndarray]) -> tuple[np.ndarray, ...]:
        """One measure for each branch that reads, from the values of the plan's reads."""
        return tuple(read.measure(values) for read in self.reads)


def build(prompts: Sequence[Prompt], tokenizer: Tokenizer) -> tuple[BuiltPrompt, ...]:
    """Encode prompts. The tokenizer remembers roots, so a state is encoded once for all questions.

    Raises:
        UnsupportedModelError: a label is not one token of its own after the text, or a branch that
            is read does not end where its last token ends.
    """
    built = []
    for prompt in prompts:
        before = tokenizer.begin(prompt.root)
        root = _encode(Branch((), children=prompt.branches), before, tokenizer)
        assert root.end > 0, "the root keeps no token of its own"
        planner = _Planner(tokenizer)
        planner.place(root, ROOT, (), start=0)
        built.append(BuiltPrompt(planner.plan(), tuple(planner.reads)))
    return tuple(built)


@dataclass(frozen=True, slots=True)
class _Encoded:
    """A branch with the tokens from the root to its end.

    `end` is the number of those tokens that stay whatever its children say; the rest is theirs.
    """

    branch: Branch
    encoding: Encoding
    children: tuple[_Encoded, ...]
    end: int


def _encode(branch: Branch, before: Encoding, tokenizer: Tokenizer) -> _Encoded:
    encoding = tokenizer.extend(before, branch.pieces)
    children = tuple(_encode(child, encoding, tokenizer) for child in branch.children)
    end = len(encoding.ids)
    for child in children:
        end = min(end, child.end, _common(encoding, child.encoding))
    if branch.read is not None and end < len(encoding.ids):
        raise UnsupportedModelError(
            f"this tokenizer joins {encoding.tail[-24:]!r}, which is read, with what follows it"
        )
    return _Encoded(branch, encoding, children, end)


def _common(parent: Encoding, child: Encoding) -> int:
    """How many of the parent's tokens its child keeps."""
    for index in range(parent.tail_index, len(parent.ids)):
        if index >= len(child.ids) or parent.ids[index] != child.ids[index]:
            return index
    return len(parent.ids)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Tokens [begin, end) of a path from the root, and the node that holds them."""

    node: int
    begin: int
    end: int


@dataclass(slots=True)
class _Draft:
    """A node in the making; the keys of `reads` are its reads, in order."""

    ids: tuple[int, ...]
    parent: int
    start: int
    sees: tuple[int, ...]
    reads: dict[NodeRead, None] = field(default_factory=dict)

    @property
    def end(self) -> int:
        return self.start + len(self.ids)


class _Planner:
    """Lays encoded branches out as nodes, depth first."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.drafts: list[_Draft] = []
        self.reads: list[BranchRead] = []

    def place(
        self,
        item: _Encoded,
        parent: int,
        path: tuple[_Stretch, ...],
        start: int,
        sees: tuple[int, ...] = (),
    ) -> int:
        """Add the branch and its children; returns its node, or `parent` if it has no tokens."""
        begin = path[-1].end if path else 0
        node = parent
        if item.end > begin:
            node = len(self.drafts)
            self.drafts.append(_Draft(item.encoding.ids[begin : item.end], parent, start, sees))
            path = (*path, _Stretch(node, begin, item.end))
        if item.branch.read is not None:
            reads = self._reads(item.branch.read, item.encoding, begin)
            at = tuple(self._locate(index, read, path) for index, read in reads)
            self.reads.append(BranchRead(item.branch.read, at))
        end = self.drafts[node].end
        siblings: list[int] = []
        for child in item.children:
            joined = tuple(siblings) if child.branch.join else ()
            child_start = max([end, *(self.drafts[sibling].end for sibling in joined)])
            placed = self.place(child, node, path, child_start, joined)
            if placed != node:
                siblings.append(placed)
        return node

    def plan(self) -> TokenPlan:
        return TokenPlan(
            tuple(
                Node(draft.ids, draft.parent, draft.start, draft.sees, tuple(draft.reads))
                for draft in self.drafts
            )
        )

    def _reads(self, read: Read, encoding: Encoding, begin: int) -> list[tuple[int, NodeRead]]:
        """The reads of a branch with the index, from the root, of the token they stand at.

        Their offsets are still to be set.
        """
        ids = encoding.ids
        match read:
            case Labels():
                targets = self.tokenizer.next_tokens(encoding, read.labels)
                return [(len(ids) - 1, LogitRead(0, targets))]
            case Likelihood():
                return [(i - 1, LogProbRead(0, ids[i])) for i in range(begin, len(ids))]
            case Marks():
                return [(index, HiddenRead(0)) for index in encoding.marks]

    def _locate(self, index: int, read: NodeRead, path: tuple[_Stretch, ...]) -> ReadAt:
        """Put a read at the token `index` of the path into the node that holds the token."""
        stretch = next(one for one in reversed(path) if one.begin <= index)
        placed = _at_offset(read, index - stretch.begin)
        self.drafts[stretch.node].reads[placed] = None
        return stretch.node, placed


def _at_offset(read: NodeRead, offset: int) -> NodeRead:
    match read:
        case LogitRead():
            return LogitRead(offset, read.targets)
        case LogProbRead():
            return LogProbRead(offset, read.target)
        case HiddenRead():
            return HiddenRead(offset)
