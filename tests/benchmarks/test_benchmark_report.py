"""The page of measurements is what the records say."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.record import RECORDS
from benchmarks.report import HEAD, PAGE, render

ORIGIN = {
    "commit": "0123456789abcdef",
    "dirty": False,
    "date": "2026-11-29T12:00:00+00:00",
    "machine": {"cpu": "Test CPU", "cores": 2, "memory_bytes": 1, "load_average": 0.0},
    "versions": {},
    "command": "python -m benchmarks.memory --model mini",
}


def test_the_page_is_what_the_records_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(RECORDS), (
        "run python -m benchmarks.report and commit the page with the records"
    )


def test_a_section_shows_figures_record_commit_and_command(tmp_path: Path) -> None:
    record = {
        "benchmark": "memory",
        "name": "memory--mini",
        "provenance": ORIGIN,
        "seed": None,
        "settings": {
            "model": "mini",
            "dtype": "float32",
            "readout": "letters",
            "threads": 2,
            "states": 5,
        },
        "results": {
            store: {
                "loaded_bytes": 600 * 2**20,
                "peak_bytes": peak * 2**20,
                "peak_later_bytes": 900 * 2**20,
                "input_tokens": 2854,
            }
            for store, peak in (("on", 800), ("off", 700))
        },
    }
    (tmp_path / "memory--mini.json").write_text(json.dumps(record))
    page = render(tmp_path)
    assert page.startswith(HEAD)
    assert "| mini, float32, letters | on | 600 | 800 | 900 | 2854 |" in page
    assert "`benchmarks/records/memory--mini.json`: commit 0123456789, 2026-11-29" in page
    assert "python -m benchmarks.memory --model mini" in page
    assert page.count("\n## ") == 1


def test_uncommitted_code_is_said_to_be_that(tmp_path: Path) -> None:
    record = {
        "benchmark": "isolation",
        "name": "isolation--m",
        "provenance": ORIGIN | {"dirty": True},
        "settings": {"model": "m", "questions": 7, "threads": 1},
        "results": {"letters": {"alone": 2e-7}},
    }
    (tmp_path / "isolation--m.json").write_text(json.dumps(record))
    page = render(tmp_path)
    assert "with uncommitted changes" in page
    assert "| m | letters | 7 | 2.0e-07 |" in page
