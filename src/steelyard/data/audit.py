"""A built data set looked at again, from its files alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from steelyard.data.build import leak_report, sha256
from steelyard.data.dataset import REPORT, TRAIN, VALID, read_by_source
from steelyard.data.files import read_json
from steelyard.data.leaks import EvalIndex, read_eval_index, remove_leaks
from steelyard.data.source import is_shippable
from steelyard.data.validity import fault, has_entity
from steelyard.data.words import leaves, words
from steelyard.errors import InputFileError
from steelyard.types.codec import dumps
from steelyard.types.content import Content
from steelyard.types.example import Example, encode_example
from steelyard.types.question import Choice, Noul


@dataclass(frozen=True, slots=True)
class Balance:
    """Whether an answer can be guessed without reading; None where a source has no such question.

    Attributes:
        yes: mean P(yes) of the nouls.
        first, longest: mean probability of a choice's first and of its longest option ...
        chance: ... beside the mean of 1 / options.
        levels: mean probability of each level, by number of levels.
    """

    yes: float | None
    first: float | None
    longest: float | None
    chance: float | None
    levels: dict[str, list[float]]


@dataclass(frozen=True, slots=True)
class SourceAudit:
    """What one source of a build holds.

    Attributes:
        faults: examples by what is wrong with them; none in a sound build.
        repeated: examples that ask the same of the same state with the same target.
        shared_groups: groups on both sides of the split.
        shared_states: validation examples whose state, in other words of case and punctuation, is
            trained on under another group.
        unshippable: examples by licence that must not train a shipped model.
        leaks: None without an evaluation folder.
    """

    name: str
    train: int
    valid: int
    faults: dict[str, int]
    repeated: int
    shared_groups: int
    shared_states: int
    unshippable: dict[str, int]
    html_entities: int
    balance: Balance
    leaks: dict[str, Any] | None

    def findings(self, *, shippable: bool) -> list[str]:
        """What is wrong with it, a sentence each.

        Args:
            shippable: whether the build says of itself that it may train a shipped model.
        """
        found = [f"{count:,} examples: {reason}" for reason, count in self.faults.items()]
        if self.repeated:
            found.append(f"{self.repeated:,} examples are repeated")
        if self.shared_groups:
            found.append(f"{self.shared_groups:,} groups on both sides of the split")
        if shippable:
            found += [
                f"{count:,} examples under the licence {licence}"
                for licence, count in self.unshippable.items()
            ]
        leaks = 0 if self.leaks is None else sum(self.leaks["removed"].values())
        if leaks:
            found.append(f"{leaks:,} examples are in the evaluation files")
        return [f"{self.name}: {sentence}" for sentence in found]


def audit(build: Path, evaluation: Path | None = None) -> dict[str, Any]:
    """Check a build folder: `sources`, one object each, and `findings`, empty if all is well.

    Raises:
        InputFileError: a file is missing, or is not what a build writes.
    """
    report = read_json(build / REPORT)
    if not isinstance(report, dict) or not isinstance(report.get("outputs"), dict):
        raise InputFileError(f"{build / REPORT} is not the report of a build")
    findings = [
        f"{name} is not what the build wrote: its sha256 differs"
        for name in (TRAIN, VALID)
        if sha256(build / name) != report["outputs"].get(name)
    ]
    index = None if evaluation is None else read_eval_index(evaluation)
    valid = dict(read_by_source(build / VALID))
    sources = [
        audit_source(name, train, valid.pop(name, []), index)
        for name, train in read_by_source(build / TRAIN)
    ]
    findings += [f"{name}: validated on but not trained on" for name in valid]
    for source in sources:
        findings += source.findings(shippable=report.get("shippable") is True)
    return {
        "build": str(build),
        "shippable": report.get("shippable"),
        "sources": [asdict(source) for source in sources],
        "findings": findings,
    }


def audit_source(
    name: str, train: Sequence[Example], valid: Sequence[Example], index: EvalIndex | None
) -> SourceAudit:
    """Check the examples of one source."""
    both = [*train, *valid]
    faults = Counter(reason for example in both if (reason := fault(example)) is not None)
    licences = Counter(example.licence for example in both if not is_shippable(example.licence))
    groups = {example.group for example in train}
    states = {_key(example.state) for example in train}
    return SourceAudit(
        name,
        len(train),
        len(valid),
        dict(sorted(faults.items())),
        len(both) - len({_asked(example) for example in both}),
        len(groups & {example.group for example in valid}),
        sum(_key(e.state) in states for e in valid if e.group not in groups),
        dict(sorted(licences.items())),
        sum(map(has_entity, both)),
        balance(both),
        None if index is None else leak_report(remove_leaks(both, index)[1]),
    )


def balance(examples: Sequence[Example]) -> Balance:
    """How often the cheap guesses are right."""
    yes, first, longest, chance = [], [], [], []
    levels: dict[int, list[tuple[float, ...]]] = {}
    for example in examples:
        target = example.target
        if isinstance(example.question, Noul):
            yes.append(target[0])
        elif isinstance(example.question, Choice):
            labels = list(example.question.criteria)
            first.append(target[0])
            longest.append(target[max(range(len(labels)), key=lambda i: len(labels[i]))])
            chance.append(1 / len(labels))
        else:
            levels.setdefault(len(target), []).append(target)
    means = {
        str(size): [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        for size, rows in sorted(levels.items())
    }
    return Balance(_mean(yes), _mean(first), _mean(longest), _mean(chance), means)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _key(state: Content) -> str:
    return " ".join(word for text in leaves(state) for word in words(text))


def _asked(example: Example) -> str:
    body = encode_example(example)
    return dumps([body["state"], body["question"], body["target"]])
