"""Letters that go on after Z: options as (A) to (Z), (AA), (AB) and so on, all in one list.

The other way to show more than 26 options (the Trutina report, 4.3, found it far behind the
tournament). It exists to be compared with; nothing outside the benchmarks uses it.
"""

from __future__ import annotations

from itertools import product

from steelyard.errors import UnsupportedModelError
from steelyard.prompt.branch import Labels, Piece, Prompt
from steelyard.prompt.labels import LETTER_CUE, LETTERS, lettered
from steelyard.prompt.layout import Frame
from steelyard.prompt.options import OptionSet
from steelyard.tokens.tokenizer import Tokenizer
from steelyard.training.readouts import Lettered


class Coded(Lettered):
    """`letters` with further labels; scores are read as those of letters are."""

    name = "codes"

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.labels = (*LETTERS, *codes(tokenizer))
        self.most_options = len(self.labels)

    def prompts(self, options: OptionSet, frame: Frame) -> tuple[Prompt, ...]:
        everyone, labels = range(len(options)), self.labels[: len(options)]
        block = lettered(options, everyone, labels=labels)
        return (frame.prompt(block, frame.ending(LETTER_CUE, Labels(labels))),)

    def detached(self) -> Coded:
        return self


def codes(tokenizer: Tokenizer) -> list[str]:
    """The pairs of capital letters that are one token after the cue, in alphabetical order."""
    after = tokenizer.begin((Piece(LETTER_CUE, trusted=True),))
    found = []
    for pair in map("".join, product(LETTERS, repeat=2)):
        try:
            tokenizer.next_tokens(after, (pair,))
        except UnsupportedModelError:
            continue
        found.append(pair)
    return found
