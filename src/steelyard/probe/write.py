"""The two files of a report."""

from __future__ import annotations

import json
from pathlib import Path

from steelyard.errors import OutputError
from steelyard.files import write_whole
from steelyard.probe.document import document
from steelyard.probe.page import page
from steelyard.probe.run import Run

JSON_FILE, HTML_FILE = "probe.json", "probe.html"


def check_free(folder: Path) -> None:
    """Make the folder, before the time that asking takes.

    Raises:
        OutputError: it holds a report already, or cannot be made.
    """
    for name in (JSON_FILE, HTML_FILE):
        if (folder / name).exists():
            raise OutputError(f"{folder / name} exists; a report is not overwritten")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: {error.strerror}") from None


def write_report(run: Run, folder: Path) -> None:
    """Write the report for programs and the one for people, both or none.

    Raises:
        OutputError: they cannot be written.
    """
    text = json.dumps(document(run), ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    write_whole(folder / HTML_FILE, page(run))
    try:
        write_whole(folder / JSON_FILE, text)
    except OutputError:
        (folder / HTML_FILE).unlink()  # one of the two would stand in the way of the next try
        raise
