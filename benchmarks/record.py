"""A measurement as a JSON record: what was run, on what, and what came out.

    {"benchmark", "name", "provenance": {...}, "seed", "settings": {...}, "results": {...}}

A record names its commit, so a number in a document can be traced to the code that made it. The
provenance is taken when a run starts: what is loaded then is what is measured. A tree with
changes that could matter is refused, or with --allow-dirty recorded as dirty.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from statistics import median
from typing import Any

import steelyard

ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / "benchmarks" / "records"
MEASURED = ("src", "benchmarks", "pyproject.toml")
PACKAGES = ("torch", "openvino", "numpy", "tokenizers", "transformers", "steelyard")


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Where it ran. `load_average` is the one-minute load at the start: others may be at work."""

    cpu: str
    cores: int
    memory_bytes: int
    load_average: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Which code ran, when, where and how.

    Attributes:
        commit: full hash of HEAD; dirty: whether measured files differ from it.
        date: UTC, ISO 8601, to the second.
        versions: of Python and of the packages that are installed.
        command: as it can be typed again; see `portable`.
    """

    commit: str
    dirty: bool
    date: str
    machine: Machine
    versions: Mapping[str, str]
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Median and extremes of `n` repeated measurements."""

    median: float
    low: float
    high: float
    n: int


class DirtyTreeError(SystemExit):
    """Measured files differ from HEAD."""


def add_record_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags that every benchmark has."""
    parser.add_argument(
        "--allow-dirty", action="store_true", help="measure uncommitted code; the record says so"
    )
    parser.add_argument(
        "--records", type=Path, default=RECORDS, help="folder of the records (default: %(default)s)"
    )


def add_model_arguments(parser: argparse.ArgumentParser, *, model: str = "mini") -> None:
    """Which model to load, and how to compute."""
    parser.add_argument("--model", default=model, help="name or path (default: %(default)s)")
    parser.add_argument("--dtype", default="float32", help="float32 or bfloat16")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=2, help="CPU threads (default: 2)")


def load_model(
    options: argparse.Namespace, *, model: str | Path | None = None, **more: Any
) -> steelyard.Engine:
    """The model that `add_model_arguments` reads, or another in its way.

    Args:
        more: what else `steelyard.load` takes.
    """
    return steelyard.load(
        str(options.model if model is None else model),
        dtype=options.dtype,
        device=options.device,
        threads=options.threads,
        **more,
    )


def model_settings(options: argparse.Namespace) -> dict[str, object]:
    """The settings that `add_model_arguments` reads, for the record."""
    return {
        "model": model_name(options.model),
        "dtype": options.dtype,
        "device": options.device,
        "threads": options.threads,
    }


def model_name(model: str) -> str:
    """A model's name, or the last part of its path without the ending."""
    return Path(model).stem if Path(model).exists() else model


def provenance(allow_dirty: bool = False) -> Provenance:
    """The provenance of a run that starts now.

    Raises:
        DirtyTreeError: a measured file is changed or not committed, and that is not allowed.
    """
    changed = _git("status", "--porcelain", "--", *MEASURED, f":!{RECORDS.relative_to(ROOT)}")
    if changed and not allow_dirty:
        raise DirtyTreeError(
            f"not committed:\n{changed}\ncommit first, or pass --allow-dirty to record it as dirty"
        )
    return Provenance(
        commit=_git("rev-parse", "HEAD"),
        dirty=bool(changed),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=machine(),
        versions=versions(),
        command=command_line(sys.argv),
    )


def write_record(
    folder: Path,
    name: str,
    origin: Provenance,
    *,
    settings: Mapping[str, object],
    results: Mapping[str, object],
    seed: int | None = None,
) -> Path:
    """Write `folder/name.json`, replacing an older record of that name, and return its path."""
    record = {
        "benchmark": name.split("--")[0],
        "name": name,
        "provenance": asdict(origin),
        "seed": seed,
        "settings": dict(settings),
        "results": dict(results),
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    scratch = path.with_suffix(".tmp")
    scratch.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    scratch.replace(path)
    return path


def read_records(folder: Path, benchmark: str) -> list[dict[str, Any]]:
    """All records of one benchmark, sorted by name."""
    paths = sorted(folder.glob(f"{benchmark}--*.json")) + sorted(folder.glob(f"{benchmark}.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def summarise(values: Sequence[float]) -> Summary:
    """Median and extremes of at least one value."""
    return Summary(median=median(values), low=min(values), high=max(values), n=len(values))


def machine() -> Machine:
    return Machine(
        cpu=_cpu_model(),
        cores=os.cpu_count() or 1,
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        load_average=round(os.getloadavg()[0], 2),
    )


def versions() -> dict[str, str]:
    """Versions of Python and of those of PACKAGES that are installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def command_line(argv: Sequence[str]) -> str:
    """`python -m benchmarks.NAME ARGUMENTS`, with paths as `portable` writes them."""
    return " ".join(
        ["python", "-m", f"benchmarks.{Path(argv[0]).stem}", *(portable(word) for word in argv[1:])]
    )


def portable(word: str) -> str:
    """An absolute path as it means something elsewhere: from the repository, or its last part."""
    path = Path(word)
    if not path.is_absolute():
        return word
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name


def _cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _git(*words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=ROOT, check=True, capture_output=True, text=True, encoding="utf-8"
    )
    return done.stdout.strip()
