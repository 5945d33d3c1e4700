"""The section on conformance shows what a record of it says."""

from __future__ import annotations

from typing import Any

from benchmarks.conformance_table import render

FOUND = {
    "must": [32, 32],
    "should": [12, 13],
    "requests": 62,
    "seconds": 40.2,
    "worker_cpu_s": [20.1, 19.6],
}
COHERENT = {
    "dimensions": {"REP": 0.75, "BAT": 1.0, "MEA": None},
    "largest_batch_difference": 3e-8,
    "relations": 50,
    "requests": 43,
    "seconds": 12.0,
}
RECORD: dict[str, Any] = {
    "name": "conformance--mini-float32",
    "provenance": {
        "commit": "0123456789abcdef",
        "dirty": False,
        "date": "2026-11-29T12:00:00+00:00",
        "machine": {"cpu": "Test CPU"},
        "command": "python -m benchmarks.conformance",
    },
    "settings": {"model": "mini", "threads": 2, "at_once": 4},
    "results": {
        "jevcompat": {"2 processes, no key": FOUND},
        "javascript": {"package": "sdk@0.6.0", "passed": True, "said": "all is well"},
        "jevbench": {"examples": COHERENT},
    },
}


def test_a_record_becomes_tables_and_names_its_source() -> None:
    page = render([RECORD])
    assert "| 2 processes, no key | 32 of 32 | 12 of 13 | 62 | 40 | 20, 20 |" in page
    assert "`sdk@0.6.0` found: all is well." in page
    assert "| suite | REP | BAT | MEA | largest difference |" in page
    assert "| examples | 75.0 | 100.0 | - | 3.0e-08 | 50 | 43 | 12 |" in page
    assert "commit 0123456789" in page


def test_what_was_not_run_is_not_shown() -> None:
    page = render([RECORD | {"results": RECORD["results"] | {"javascript": None, "jevbench": {}}}])
    assert "JevBench" not in page and "sdk@0.6.0" not in page
