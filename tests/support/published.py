"""Small files in the formats in which evaluation sets are published."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path

SHARED_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def write_text(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode("utf-8")
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def write_json(path: Path, value: object) -> Path:
    return write_text(path, json.dumps(value, indent=1))


def write_lines(path: Path, rows: Iterable[object]) -> Path:
    return write_text(path, "".join(json.dumps(row) + "\n" for row in rows))
