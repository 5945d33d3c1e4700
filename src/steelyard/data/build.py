"""Sources become a data set: checked, capped, scanned for leaks, split, written with a report.

The same data, seed and version give the same bytes. The out folder appears when it is complete.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, BinaryIO

from steelyard.__about__ import __version__
from steelyard.data.dataset import REPORT, TRAIN, VALID, encode_line
from steelyard.data.files import packed
from steelyard.data.leaks import EvalIndex, LeakCounts, read_eval_index, remove_leaks
from steelyard.data.source import Source, is_shippable
from steelyard.data.split import held_out
from steelyard.data.validity import fault, has_entity
from steelyard.errors import InputFileError, OutputError, RequestError
from steelyard.types.codec import dumps
from steelyard.types.example import Example, encode_example, num_options
from steelyard.types.question import kind_of

PER_ROW = "per row"
REPEATED, UNSHIPPABLE, ABOVE_CAP, LEAK = "repeated", "licence", "above the cap", "leak"


@dataclass(frozen=True, slots=True)
class SourceReport:
    """What became of a source; `read` = `train` + `valid` + everything that was dropped.

    Attributes:
        dropped: examples by reason.
        options: examples by number of options; a noul has two.
        html_entities: kept examples in which an HTML entity was left.
        leaks: None where no evaluation folder was given.
    """

    name: str
    kind: str
    licence: str
    about: str
    cap: int
    read: int
    dropped: dict[str, int]
    train: int
    valid: int
    groups: int
    kinds: dict[str, int]
    options: dict[str, int]
    licences: dict[str, int]
    html_entities: int
    leaks: dict[str, Any] | None


def build(
    folder: Path,
    out: Path,
    sources: Sequence[Source],
    *,
    seed: int,
    evaluation: Path | None = None,
    cap: int | None = None,
    include_unshippable: bool = False,
    on_source: Callable[[SourceReport], None] = lambda report: None,
) -> dict[str, Any]:
    """Build a data set in the new folder `out`, and return what its build.json says.

    Args:
        folder: what the sources read from.
        evaluation: folder against which examples are scanned for leaks; None scans nothing.
        cap: most examples of any source, below the source's own cap.
        include_unshippable: take sources and rows, too, that must not train a model we ship.
        on_source: called after each source.
    Raises:
        OutputError: `out` exists, or cannot be written.
        InputFileError: a file is missing or not what it should be.
    """
    if not folder.is_dir():
        raise InputFileError(f"{folder}: no such folder")
    if out.exists():
        raise OutputError(f"{out} exists already; nothing is overwritten")
    index = None if evaluation is None else read_eval_index(evaluation)
    recipe = _Recipe(folder, seed, cap, index, include_unshippable)
    taken = [source for source in sources if include_unshippable or _may_ship(source)]
    report: dict[str, Any] = {
        "steelyard": __version__,
        "seed": seed,
        "cap": cap,
        "shippable": not include_unshippable,
    }
    if include_unshippable:
        report["warning"] = "holds texts that must not train a model that is given away"
    with _new_folder(out) as part:
        reports = []
        with ExitStack() as files:
            train, valid = (files.enter_context(packed(part / name)) for name in (TRAIN, VALID))
            for source in taken:
                examples, whole = _take(source, recipe)
                held = _write(source.name, examples, train, valid)
                done = replace(whole, train=len(examples) - held, valid=held)
                reports.append(asdict(done))
                on_source(done)
        report["sources"] = reports
        report["skipped"] = {s.name: s.licence for s in sources if s not in taken}
        report["evaluation"] = None if index is None else list(index.names)
        report["inputs"] = {
            path.relative_to(folder).as_posix(): sha256(path)
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
        report["outputs"] = {name: sha256(part / name) for name in (TRAIN, VALID)}
        text = json.dumps(report, indent=2, ensure_ascii=False) + "\n"
        (part / REPORT).write_text(text, encoding="utf-8")
    return report


def sha256(path: Path) -> str:
    """The sha256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def leak_report(counts: LeakCounts) -> dict[str, Any]:
    """Leak counts as JSON, the most frequent first."""
    return {
        "removed": dict(sorted(counts.removed.items())),
        "partial": counts.partial,
        "excused": dict(counts.excused.most_common()),
        "files": dict(counts.files.most_common()),
    }


def read_source(source: Source, folder: Path, seed: int, limit: int) -> Iterator[Example]:
    """The examples of a source; a generator's stop at `limit`.

    Raises:
        InputFileError: a file is missing, or a row makes no example.
    """
    stream = source.read(folder, Random(f"{seed}:{source.name}"))
    if source.kind == "generator":
        stream = islice(stream, limit)
    try:
        for example in stream:
            assert example.source == source.name, f"{source.name} made one of {example.source}"
            yield example
    except RequestError as error:
        raise InputFileError(f"{source.name}: a row that makes no example: {error}") from error


@dataclass(frozen=True, slots=True)
class _Recipe:
    folder: Path
    seed: int
    cap: int | None
    index: EvalIndex | None
    include_unshippable: bool


def _may_ship(source: Source) -> bool:
    return source.licence == PER_ROW or is_shippable(source.licence)


def _take(source: Source, recipe: _Recipe) -> tuple[list[Example], SourceReport]:
    """What a build takes of a source, and the report of it, still without the split."""
    limit = source.cap if recipe.cap is None else min(recipe.cap, source.cap)
    dropped: Counter[str] = Counter()
    rows = read_source(source, recipe.folder, recipe.seed, limit)
    sound = list(_sound(rows, dropped, recipe.include_unshippable))
    read = len(sound) + dropped.total()
    kept = _capped(sound, limit, Random(f"{recipe.seed}:{source.name}:cap"))
    dropped[ABOVE_CAP] = len(sound) - len(kept)
    leaks = None
    if recipe.index is not None:
        below_cap = len(kept)
        kept, leaks = remove_leaks(kept, recipe.index)
        dropped[LEAK] = below_cap - len(kept)
    return kept, SourceReport(
        name=source.name,
        kind=source.kind,
        licence=source.licence,
        about=source.about,
        cap=limit,
        read=read,
        dropped={reason: count for reason, count in sorted(dropped.items()) if count},
        train=len(kept),
        valid=0,
        groups=len({example.group for example in kept}),
        kinds=_counted(kind_of(example.question) for example in kept),
        options=_counted(num_options(example.question) for example in kept),
        licences=_counted(example.licence for example in kept),
        html_entities=sum(map(has_entity, kept)),
        leaks=None if leaks is None else leak_report(leaks),
    )


def _write(source: str, examples: Sequence[Example], train: BinaryIO, valid: BinaryIO) -> int:
    """Write the examples of a source to their side of the split; returns how many validate."""
    apart = held_out(source, Counter(example.group for example in examples))
    num_valid = 0
    for example in examples:
        line = encode_line(example)
        if example.group in apart:
            valid.write(line)
            num_valid += 1
        else:
            train.write(line)
    return num_valid


def _sound(
    examples: Iterable[Example], dropped: Counter[str], include_unshippable: bool
) -> Iterator[Example]:
    seen: set[bytes] = set()
    for example in examples:
        reason = fault(example)
        if reason is None and not (include_unshippable or is_shippable(example.licence)):
            reason = UNSHIPPABLE
        body = encode_example(example)
        asked = dumps([body["state"], body["question"], body["target"]]).encode()
        digest = hashlib.blake2b(asked, digest_size=16).digest()
        if reason is None and digest in seen:
            reason = REPEATED
        if reason is not None:
            dropped[reason] += 1
            continue
        seen.add(digest)
        yield example


def _capped(examples: list[Example], limit: int, rng: Random) -> list[Example]:
    """At most `limit` examples: whole groups drawn at random, in their old order."""
    if len(examples) <= limit:
        return examples
    sizes = Counter(example.group for example in examples)
    groups = list(sizes)
    rng.shuffle(groups)
    taken, left = set(), limit
    for group in groups:
        if sizes[group] <= left:
            taken.add(group)
            left -= sizes[group]
    return [example for example in examples if example.group in taken]


def _counted(values: Iterable[str | int]) -> dict[str, int]:
    counts = Counter(values)
    return {str(value): counts[value] for value in sorted(counts)}


@contextmanager
def _new_folder(out: Path) -> Iterator[Path]:
    """A folder to fill, which gets its name when the block ends well and goes when it does not."""
    part = out.with_name(f"{out.name}.part-{os.getpid()}")
    try:
        part.mkdir(parents=True)
    except OSError as error:
        raise OutputError(f"{part} cannot be made: {error.strerror}") from error
    try:
        yield part
        try:
            part.rename(out)
        except OSError as error:
            raise OutputError(f"{out} cannot be made: {error.strerror}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
