"""Blocks: how a question and its options are worded, and the cues that ask for the answer.

A block begins with `Question:` at column 0 and ends without a line break. `order` names the options
that are shown, by index, as they are shown; `mark` makes each option's last token a read position.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from steelyard.prompt.branch import Piece
from steelyard.prompt.options import OptionSet
from steelyard.prompt.quote import ours, quoted

Block: TypeAlias = tuple[Piece, ...]

LETTERS = tuple(string.ascii_uppercase)

LETTER_CUE = "Best answer: ("
"""No letter alone would do: after the bracket every tokenizer has A to Z as single tokens."""

ANSWER_CUE = "Answer:"
"""The answer follows with a space in front: " Yes"."""

YES_NO = (" Yes", " No")


def asked(options: OptionSet) -> Block:
    """The question without its options."""
    return (ours("Question: "), quoted(options.instructions))


def opened(options: OptionSet) -> Block:
    """The question and a line break, for options that are parallel branches (`alone`).

    The line break belongs to the part that is shared: many tokenizers join it to a question mark,
    and a token that moves into the branches would be seen once for each of them by the cue.
    """
    return (*asked(options), ours("\n"))


def lettered(
    options: OptionSet,
    order: Sequence[int],
    *,
    labels: Sequence[str] = LETTERS,
    mark: bool = False,
) -> Block:
    """The question with the options `(A) text`, at most as many as there are labels."""
    assert len(order) <= len(labels), "more options than labels"
    shown = (options.texts[index] for index in order)
    return (*asked(options), *_lines((f"({x}) " for x in labels), shown, mark))


def listed(options: OptionSet, order: Sequence[int] | None = None, *, mark: bool = False) -> Block:
    """The question with the options as an unlettered list; all of them without an `order`."""
    shown = options.texts if order is None else [options.texts[index] for index in order]
    return (*asked(options), *_lines(("- " for _ in shown), shown, mark))


def candidate(options: OptionSet, index: int) -> Block:
    """What follows `asked` when one option is judged alone with yes or no."""
    return (
        ours("\nProposed answer: "),
        quoted(options.texts[index]),
        ours("\nIs the proposed answer right?"),
    )


def alone(options: OptionSet, index: int, *, mark: bool = True) -> Block:
    """What follows `opened` when options are parallel branches: one line of the list."""
    return (ours("- "), replace(quoted(options.texts[index]), mark=mark))


def spoken(options: OptionSet, index: int) -> Block:
    """An option as the text that continues ANSWER_CUE."""
    return (ours(" "), quoted(options.texts[index]))


def unmarked(block: Block) -> Block:
    """The block without read positions."""
    return tuple(replace(piece, mark=False) if piece.mark else piece for piece in block)


def _lines(heads: Iterable[str], texts: Iterable[str], mark: bool) -> Iterable[Piece]:
    for head, text in zip(heads, texts, strict=False):
        yield ours(f"\n{head}")
        yield replace(quoted(text), mark=mark)
