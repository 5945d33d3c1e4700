"""The audit file: every decision in SQLite, on disk before it is told.

The file is in WAL mode with full synchronisation, so neither kill -9 nor a power cut loses what a
client was told. Decisions that end together are committed together. Several processes may write one
file, and it may be read while they do.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import astuple, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Self, TypeVar

from steelyard.errors import InputFileError, UnavailableError
from steelyard.types.answer import Response
from steelyard.types.codec import dumps, encode_request, encode_response
from steelyard.types.request import Request

logger = logging.getLogger(__name__)

T = TypeVar("T")

VERSION = 1
BUSY_S = 10.0  # how long a writer waits for those of other processes

_SCHEMA = """
CREATE TABLE IF NOT EXISTS decision (
    id TEXT PRIMARY KEY,
    at TEXT NOT NULL,
    key TEXT NOT NULL,
    route TEXT NOT NULL,
    request_sha256 TEXT NOT NULL,
    request TEXT,
    response TEXT NOT NULL,
    queue_ms REAL NOT NULL,
    compute_ms REAL NOT NULL
) STRICT
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One answered request.

    Attributes:
        id: the call's id, a dot, and the number of the request in it.
        at: UTC, ISO 8601.
        key: name of the API key, or "-".
        request_sha256: of the JSON of state and questions, hexadecimal.
        request: that JSON, or None where only digests are kept.
        response: its JSON with all extras; the labels of options and levels are in it.
    """

    id: str
    at: str
    key: str
    route: str
    request_sha256: str
    request: str | None
    response: str
    queue_ms: float
    compute_ms: float


def record(
    request: Request,
    response: Response,
    *,
    id: str,
    key: str,
    route: str,
    queue_ms: float,
    compute_ms: float,
    whole: bool,
) -> Decision:
    """What is kept of an answered request; `whole` keeps the request and not its digest only."""
    text = dumps(encode_request(replace(request, model=None)))
    return Decision(
        id=id,
        at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        key=key,
        route=route,
        request_sha256=hashlib.sha256(text.encode()).hexdigest(),
        request=text if whole else None,
        response=dumps(encode_response(response, extras=True)),
        queue_ms=queue_ms,
        compute_ms=compute_ms,
    )


class AuditLog:
    """Appends decisions to a file, while it is entered: `async with AuditLog(path) as log`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="steelyard-audit")
        self._waiting: list[tuple[Sequence[Decision], asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._file: sqlite3.Connection | None = None
        self._opened: tuple[int, int] | None = None  # which file it was, whatever its path
        self._failing = False

    @property
    def is_failing(self) -> bool:
        """Whether the last decisions could not be written."""
        return self._failing

    async def __aenter__(self) -> Self:
        """Open the file, or make it.

        Raises:
            InputFileError: it cannot be opened, or is something else.
        """
        self._file = await self._in_thread(_open, self._path)
        self._opened = _identity(self._path)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._writing is not None:
            await self._writing
        if self._file is not None:
            await self._in_thread(self._file.close)
        self._thread.shutdown()

    async def append(self, decisions: Sequence[Decision]) -> None:
        """Return once the decisions are on disk; they are kept even if the caller goes away.

        Raises:
            UnavailableError: they could not be written.
        """
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((decisions, done))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all())
        await done

    async def _write_all(self) -> None:
        while self._waiting:
            taken, self._waiting = self._waiting, []
            rows = [astuple(decision) for decisions, _ in taken for decision in decisions]
            try:
                await self._in_thread(self._write, rows)
            except (sqlite3.Error, OSError) as error:
                self._failing = True
                logger.error("event=audit_failed path=%r error=%r", str(self._path), error)
                for _, done in taken:
                    if not done.done():
                        done.set_exception(
                            UnavailableError(
                                "the decision could not be recorded, so it is not told"
                            )
                        )
            else:
                self._failing = False
                for _, done in taken:
                    if not done.done():
                        done.set_result(None)

    def _write(self, rows: Sequence[tuple[object, ...]]) -> None:
        assert self._file is not None, "never entered"
        with self._file:  # one transaction
            self._file.execute("BEGIN IMMEDIATE")
            self._file.executemany(f"INSERT INTO decision VALUES ({_MARKS})", rows)
            # SQLite goes on writing to a file that was deleted, and nobody would find them.
            if _identity(self._path) != self._opened:
                raise FileNotFoundError(f"{self._path} is another file than the one opened")

    async def _in_thread(self, work: Callable[..., T], *arguments: object) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, work, *arguments)


def create(path: Path) -> None:
    """Make the file if it is not there; before several processes open it at once.

    Raises:
        InputFileError: it cannot be made, or is something else.
    """
    _open(path).close()


def read_decisions(path: Path, *, last: int | None = None) -> Iterator[Decision]:
    """The decisions of a file in the order they were recorded; with `last`, only so many newest.

    Nothing is written to the file.

    Raises:
        InputFileError: there is no such file, or it is something else.
    """
    if not path.is_file():
        raise InputFileError(f"{path}: no such file")
    limit = -1 if last is None else last
    query = (
        f"SELECT {_COLUMNS} FROM (SELECT rowid AS place, * FROM decision ORDER BY rowid DESC"
        " LIMIT ?) ORDER BY place"
    )
    try:
        with closing(sqlite3.connect(_read_only(path), uri=True, timeout=BUSY_S)) as file:
            if _version(file) != VERSION:
                raise InputFileError(f"{path}: not an audit file of version {VERSION}")
            for row in file.execute(query, (limit,)):
                yield Decision(**dict(zip(_NAMES, row, strict=True)))
    except sqlite3.Error as error:
        raise InputFileError(f"{path}: {error}") from error


_NAMES = tuple(one.name for one in fields(Decision))
_COLUMNS = ", ".join(_NAMES)
_MARKS = ", ".join("?" * len(_NAMES))


def _open(path: Path) -> sqlite3.Connection:
    """A connection for one thread at a time.

    Raises:
        InputFileError: see `AuditLog`.
    """
    try:
        file = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise InputFileError(f"{path}: {error}") from error
    try:
        version = _version(file)
        tables = file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if version != VERSION and tables:
            raise InputFileError(f"{path}: not an audit file of version {VERSION}")
        file.execute("PRAGMA journal_mode=WAL")
        file.execute("PRAGMA synchronous=FULL")
        file.execute(_SCHEMA)
        file.execute(f"PRAGMA user_version={VERSION}")
    except sqlite3.Error as error:
        file.close()
        raise InputFileError(f"{path}: {error}") from error
    except InputFileError:
        file.close()
        raise
    return file


def _read_only(path: Path) -> str:
    """The URI by which SQLite opens a file without writing to it.

    Readers of a file in WAL mode share an index that lies beside it. Where there is none, none can
    be made, and no log waits to be read, the file is read as one that does not change
    (sqlite.org/wal.html, section 5).
    """
    log, index = (path.with_name(f"{path.name}{end}") for end in ("-wal", "-shm"))
    logged = log.exists() and log.stat().st_size > 0
    fixed = not (os.access(path.absolute().parent, os.W_OK) or index.exists() or logged)
    return f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if fixed else ''}"


def _version(file: sqlite3.Connection) -> int:
    version: int = file.execute("PRAGMA user_version").fetchone()[0]
    return version


def _identity(path: Path) -> tuple[int, int]:
    """Device and inode."""
    found = path.stat()
    return found.st_dev, found.st_ino
