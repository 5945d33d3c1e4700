"""What docs/evaluation.md tells a reader to do works."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from support.fake_engine import FakeEngine
from support.published import write_text

import steelyard
from steelyard.errors import InputFileError

PAGE = (Path(__file__).parent.parent / "docs" / "evaluation.md").read_text(encoding="utf-8")


def test_a_suite_in_twenty_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, used = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len([line for line in made.splitlines() if line.strip()]) <= 20
    monkeypatch.setitem(vars(steelyard), "load", lambda model: FakeEngine())
    monkeypatch.chdir(tmp_path)
    rows = [f"item {n},{('tea', 'soap')[n % 2]},maker {n // 2}" for n in range(8)]
    table = tmp_path / "data" / "northwind" / "test.csv"
    write_text(table, "\n".join(["text,shelf,maker", *rows]) + "\n")
    names: dict[str, Any] = {}
    exec(compile(made, "evaluation.md", "exec"), names)
    exec(compile(used, "evaluation.md", "exec"), names)
    found = names["found"]
    assert (found.questions, len(found.predictions), found.measures[0].groups) == (8, 8, 4)
    write_text(table, "text,shelf,maker\nitem,shoes,maker\n")
    with pytest.raises(InputFileError, match="line 2: shelf: got 'shoes'; allowed: bread"):
        names["load"](tmp_path / "data")
