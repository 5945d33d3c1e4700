"""Records on disk, appended durably, from which a killed run goes on.

While a run lasts, its records are in OUT.part, one JSON object per line, and OUT.part.json says
what run they belong to. OUT itself appears when the run is finished, complete; the others go.

Every record carries its row's line number, which grows. So the last whole record of OUT.part says
where to go on, and all that a kill can leave behind it is a torn line, which is cut off.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Self

from steelyard.errors import OutputError, RequestError
from steelyard.files import lock
from steelyard.types.codec import dumps, loads
from steelyard.types.content import Json

SYNC_SECONDS = 1.0
"""How much work a power cut may cost. A kill costs nothing that was appended."""

_BLOCK_BYTES = 1 << 16


class Journal:
    """The records of one run. As a context manager it syncs and closes on leaving.

    Attributes:
        out: where the result will be.
        last_line: line of the last record, 0 before the first.
    """

    def __init__(self, out: Path, file: FileIO, last_line: int) -> None:
        self.out = out
        self.last_line = last_line
        self._file = file
        self._synced = time.monotonic()
        self._finished = False

    def append(self, records: Iterable[Mapping[str, Json]]) -> None:
        """Write records; each has its row's `line`, above those of all records before.

        Raises:
            OutputError: the disk is full or fails; what was appended before is kept.
        """
        data, last = bytearray(), self.last_line
        for record in records:
            line = record["line"]
            assert isinstance(line, int) and line > last, "records come in input order"
            data += dumps(record).encode("utf-8") + b"\n"
            last = line
        with _explained(part_of(self.out)):
            _write(self._file, data)
            self.last_line = last
            if time.monotonic() - self._synced >= SYNC_SECONDS:
                self._sync()

    def finish(self, convert: Callable[[Path, Path], None] | None = None) -> None:
        """Put the records in their final place.

        Args:
            convert: writes the records of the first file into the second, in another format; None
                where the records are the result as they stand.
        Raises:
            OutputError: the result cannot be written, or something has appeared in its place; the
                records are kept.
        """
        part = part_of(self.out)
        with _explained(self.out):
            self._sync()
            result = part
            if convert is not None:
                result = _beside(self.out, ".part.new")
                convert(part, result)
                _sync_path(result)
            if os.path.lexists(self.out):
                raise OutputError(
                    f"{self.out} has appeared during the run; move it away and add --resume"
                )
            result.rename(self.out)
            self._finished = True
            part.unlink(missing_ok=True)
            run_of(self.out).unlink()
            _sync_path(self.out.parent)

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._file, _explained(part_of(self.out)):
            self._sync()
            if self.last_line == 0 and not self._finished:  # nothing to go on from
                part_of(self.out).unlink()
                run_of(self.out).unlink()


def open_journal(out: Path, run: Mapping[str, str], *, resume: bool) -> Journal | None:
    """Start a journal, or go on with the one that is there.

    Args:
        run: what decides the records, such as digests of input and questions; a journal goes on
            only with equal values.
        resume: go on with an unfinished run if there is one.
    Returns:
        The journal, or None where the run to resume had been killed after its last step but one,
        and so is finished.
    Raises:
        OutputError: the output exists, belongs to another run, is being written by another
            process, or cannot be written.
    """
    part, note = part_of(out), run_of(out)
    check_free(out, resume=resume)
    if os.path.lexists(out):
        _check_run(note, run)
        note.unlink()
        return None
    with _explained(part):
        file = FileIO(part, "a+")
        try:
            lock(file.fileno(), f"{part} is being written by another process")
            last_line = _repair(file, part)
            if last_line == 0:
                _write_run(note, run)
            elif note.exists():
                _check_run(note, run)
            else:
                raise OutputError(f"{part} lacks {note.name}, which says what run it belongs to")
            return Journal(out, file, last_line)
        except BaseException:
            file.close()
            raise


def check_free(out: Path, *, resume: bool) -> None:
    """Refuse an output that is there already, or an unfinished run where it is not to go on.

    Raises:
        OutputError: nothing is ever overwritten.
    """
    part, note = part_of(out), run_of(out)
    if os.path.lexists(out):
        if resume and note.exists() and not part.exists():
            return  # finished, but killed before its note was deleted
        raise OutputError(f"{out} exists, and nothing is overwritten; choose another name")
    if not resume and part.exists() and part.stat().st_size > 0:
        raise OutputError(
            f"{out} has an unfinished run ({part.name}); add --resume to go on with it, "
            f"or delete {part.name} and {note.name}"
        )


def part_of(out: Path) -> Path:
    """Where the records of an unfinished run are."""
    return _beside(out, ".part")


def run_of(out: Path) -> Path:
    """The note that says what run the records belong to."""
    return _beside(out, ".part.json")


def _beside(out: Path, suffix: str) -> Path:
    return out.with_name(out.name + suffix)


def _write_run(note: Path, run: Mapping[str, str]) -> None:
    draft = note.with_name(note.name + ".new")
    draft.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    _sync_path(draft)
    draft.rename(note)  # so that a kill leaves a whole note or none
    _sync_path(note.parent)


def _check_run(note: Path, run: Mapping[str, str]) -> None:
    try:
        before = loads(note.read_bytes())
    except RequestError as error:
        raise OutputError(f"{note}: {error}") from None
    if not isinstance(before, Mapping):
        raise OutputError(f"{note}: not the note of a run")
    changed = [
        f"{key} (was {before.get(key)!r}, is {run.get(key)!r})"
        for key in {**before, **run}
        if before.get(key) != run.get(key)
    ]
    if changed:
        raise OutputError(
            f"{note}: the unfinished run differs in {', '.join(changed)}; "
            "repeat its command, or choose another output"
        )


def _repair(file: FileIO, part: Path) -> int:
    """Cut off a torn last line; the `line` of the last whole record, or 0."""
    begin = file.seek(0, os.SEEK_END)
    tail = b""
    while begin > 0 and tail.count(b"\n") < 2:
        step = min(_BLOCK_BYTES, begin)
        begin = file.seek(begin - step)
        tail = file.read(step) + tail
    whole = tail.rfind(b"\n") + 1
    file.truncate(begin + whole)
    if whole == 0:
        return 0
    try:
        record = loads(tail[: whole - 1].rpartition(b"\n")[2])
    except RequestError as error:
        raise OutputError(f"{part}: the last record is damaged: {error}") from None
    line = record.get("line") if isinstance(record, Mapping) else None
    if not isinstance(line, int):
        raise OutputError(f"{part}: the last record has no line number")
    return line


def _write(file: FileIO, data: bytearray) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]  # a disk that fills up may take a part


def _sync_path(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"cannot write {path}: {error.strerror}; what was written before is kept, "
            "and --resume goes on from it"
        ) from None
