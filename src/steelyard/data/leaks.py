"""Training examples that an evaluation file holds too, found by runs of words.

The rule, for a text of an example against all texts of the evaluation folder:

- 13-gram: a run of 13 words that stands in an evaluation file is a leak.
- 8-gram: runs of 8 words that together cover at least half of the text are a leak. Fewer may be a
  common phrase ("in this case, is the answer yes or"): they are counted as `partial` and kept.
- whole: a text of fewer than 8 words is a leak if it is, word for word, an evaluation value, a line
  of one, or what follows the last colon of a line ("Question: ...").

The texts of an example are its state and its question's instructions, and by the 13-gram rule alone
its labels, descriptions and levels: short answers recur by nature. A question's text that more than
SHARED groups of a source have in common is boiler-plate, such as a wording or the description of an
intent, which a test set of the same task has too. It is not scanned, but counted as `excused` where
it would have been a leak.

Case, punctuation, spaces and HTML entities do not matter. Runs may go on from one value of an
evaluation file to the next, so a table that a converter wrote out as text is found in its cells.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from steelyard.data.evaltexts import eval_files, eval_texts
from steelyard.data.grams import Table, gram_hashes, word_hash
from steelyard.data.words import leaves, words
from steelyard.types.content import Content
from steelyard.types.example import Example
from steelyard.types.question import Choice, Noul

LONG, SHORT = 13, 8

COVERED = 0.5
"""Share of a text that 8-grams must cover to be a leak."""

SHARED = 5
"""Groups that may have a question's text in common before it counts as boiler-plate."""

Rule: TypeAlias = Literal["13-gram", "8-gram", "whole", "partial"]


@dataclass(frozen=True, slots=True)
class Match:
    """What a text shares with the evaluation folder.

    Attributes:
        rule: which rule found it; "partial" is no leak.
        files: numbers of the files, in `EvalIndex.names`.
    """

    rule: Rule
    files: frozenset[int]

    @property
    def leak(self) -> bool:
        return self.rule != "partial"


@dataclass(frozen=True, slots=True)
class EvalIndex:
    """What the files of an evaluation folder say, as hashes.

    Attributes:
        names: paths of the files, relative to the folder.
    """

    names: tuple[str, ...]
    long: Table
    short: Table
    whole: Table

    def match(self, text: str) -> Match | None:
        """The first rule by which a text matches, or None."""
        spoken = words(text)
        if len(spoken) < SHORT:
            found, files = self.whole.find(_whole_hashes([spoken]))
            return Match("whole", files) if found.any() else None
        found, files = self.long.find(gram_hashes(spoken, LONG))
        if found.any():
            return Match("13-gram", files)
        found, files = self.short.find(gram_hashes(spoken, SHORT))
        if not found.any():
            return None
        covered = np.zeros(len(spoken), bool)
        for start in np.flatnonzero(found):
            covered[start : start + SHORT] = True
        return Match("8-gram" if covered.mean() >= COVERED else "partial", files)


def read_eval_index(folder: Path) -> EvalIndex:
    """Index every file of an evaluation folder.

    Raises:
        InputFileError: a file that cannot be read.
    """
    paths = eval_files(folder)
    long, short, whole = [], [], []
    for path in paths:
        running: list[str] = []
        brief: list[list[str]] = []
        for text in eval_texts(path):
            spoken = words(text)
            running += spoken
            brief += _brief(text, spoken)
        long.append(gram_hashes(running, LONG))
        short.append(gram_hashes(running, SHORT))
        whole.append(_whole_hashes(brief))
    names = tuple(path.relative_to(folder).as_posix() for path in paths)
    return EvalIndex(names, Table.of(long), Table.of(short), Table.of(whole))


@dataclass(slots=True)
class LeakCounts:
    """What a scan found in one source.

    Attributes:
        removed: examples by rule.
        partial: examples kept although they share some words.
        excused: boiler-plate that matches, with the number of examples that have it.
        files: removed examples by evaluation file; one example may count for several files.
    """

    removed: Counter[str] = field(default_factory=Counter)
    partial: int = 0
    excused: Counter[str] = field(default_factory=Counter)
    files: Counter[str] = field(default_factory=Counter)


def remove_leaks(examples: Sequence[Example], index: EvalIndex) -> tuple[list[Example], LeakCounts]:
    """The examples of one source that are no leaks, and what the others were.

    Taking examples out can leave a text with so few groups that it is boiler-plate no longer, so
    the scan is repeated until it finds nothing: a scan of the result finds nothing either.
    """
    removed, files = Counter[str](), Counter[str]()
    scan = _Scan(index)
    kept = list(examples)
    while True:
        counts = LeakCounts()
        matches = scan.leaks(kept, counts)
        if not any(matches):
            counts.removed, counts.files = removed, files
            return kept, counts
        for match in filter(None, matches):
            removed[match.rule] += 1
            files.update(index.names[file] for file in match.files)
        kept = [example for example, match in zip(kept, matches, strict=True) if match is None]


class _Scan:
    """Remembers what it said of a text, which other examples often have too."""

    def __init__(self, index: EvalIndex) -> None:
        self._index = index
        self._known: dict[str, Match | None] = {}

    def leaks(self, examples: Sequence[Example], counts: LeakCounts) -> list[Match | None]:
        boilerplate = _boilerplate(examples)
        return [self._leak(example, boilerplate, counts) for example in examples]

    def _leak(
        self, example: Example, boilerplate: frozenset[str], counts: LeakCounts
    ) -> Match | None:
        leak, partial = self._match(_text(example.state)), False
        if leak is not None and not leak.leak:
            leak, partial = None, True
        for text, by_long in _question_texts(example):
            match = self._match(text)
            if match is None or (by_long and match.rule != "13-gram"):
                continue
            if not match.leak:
                partial = True
            elif text in boilerplate:
                counts.excused[text] += 1
            else:
                leak = leak or match
        counts.partial += partial and leak is None
        return leak

    def _match(self, text: str) -> Match | None:
        if text not in self._known:
            self._known[text] = self._index.match(text)
        return self._known[text]


def _boilerplate(examples: Iterable[Example]) -> frozenset[str]:
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for example in examples:
        for text, _ in _question_texts(example):
            if len(groups[text]) <= SHARED:
                groups[text].add(example.group)
    return frozenset(text for text, found in groups.items() if len(found) > SHARED)


def _question_texts(example: Example) -> Iterator[tuple[str, bool]]:
    """The texts of a question, and whether only the 13-gram rule holds for them."""
    question = example.question
    if question.instructions is not None:
        yield _text(question.instructions), False
    contents: list[Content | None] = []
    if isinstance(question, Choice):
        contents += question.criteria
    if isinstance(question, Choice | Noul):
        contents += (question.criteria or {}).values()
    else:
        contents += question.criteria
    for content in contents:
        if content is not None and len(text := _text(content)) > 2 * LONG:  # 13 words need more
            yield text, True


def _text(content: Content) -> str:
    return content if isinstance(content, str) else "\n".join(leaves(content))


def _brief(text: str, spoken: list[str]) -> Iterator[list[str]]:
    """The runs of fewer than 8 words that stand for themselves in an evaluation value."""
    if len(spoken) < SHORT:
        yield spoken
    if "\n" in text or ":" in text:
        for line in text.splitlines():
            if len(part := words(line)) < SHORT:
                yield part
            if ":" in line and len(part := words(line.rpartition(":")[2])) < SHORT:
                yield part


def _whole_hashes(texts: Iterable[Sequence[str]]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array([word_hash(" ".join(text)) for text in texts if text], np.uint64)
