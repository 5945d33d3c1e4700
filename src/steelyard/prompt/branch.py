"""A prompt as text: a shared root and the branches that continue it.

Text is either *trusted* (the chat template and our own wording: special tokens in it are special)
or not (state, instructions, options: whatever it spells is encoded as plain text).

A readout describes what it wants to know as a tree of branches. Each branch continues its parent
(or the root); it sees the root and its ancestors, and no sibling. `read` says what is measured:

    Labels      the logits of single-token labels right after the branch's last token
    Likelihood  the log-probability of each of the branch's own tokens, given all before it
    Marks       hidden states, after the final norm, at the last token of each marked piece (for
                trained heads)
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text; `mark` makes its last token a read position of `Marks`."""

    text: str
    trusted: bool = False
    mark: bool = False


@dataclass(frozen=True, slots=True)
class Labels:
    """Read the next-token logits of `labels`, each of which must be one token here.

    Measures float64 (len(labels),).
    """

    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Likelihood:
    """Read log p(token | everything before) of every token of the branch.

    Measures float64 (tokens of the branch,).
    """


@dataclass(frozen=True, slots=True)
class Marks:
    """Read the hidden states, after the final norm, at the last token of every marked piece.

    Measures float32 (marked pieces, width).
    """


Read = Labels | Likelihood | Marks


@dataclass(frozen=True, slots=True)
class Branch:
    """Text that continues its parent.

    Attributes:
        pieces: the text, in order.
        read: what to measure, or None for a branch that only carries children.
        children: branches that continue this one; they do not see each other.
        join: True for a branch that also sees the siblings listed before it (the cue after
            options that are parallel branches); it starts where the longest of them ends.
    """

    pieces: tuple[Piece, ...]
    read: Read | None = None
    children: tuple[Branch, ...] = ()
    join: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """A root shared by all `branches`. Prompts with equal roots are computed together."""

    root: tuple[Piece, ...]
    branches: tuple[Branch, ...]
