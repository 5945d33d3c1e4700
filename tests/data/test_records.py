import json
import logging
from pathlib import Path

import polars
import pytest

from steelyard.data.groups import group_of
from steelyard.data.parquet import read_parquet
from steelyard.data.records import read_records, shards
from steelyard.data.skips import counted_skips
from steelyard.errors import InputFileError


def test_an_array_and_lines_of_objects_are_read_alike(tmp_path: Path) -> None:
    rows = [{"a": 1}, {"a": 2}]
    (tmp_path / "array.json").write_text("\n " + json.dumps(rows))
    (tmp_path / "lines.json").write_text("\n".join(map(json.dumps, rows)))
    assert list(read_records(tmp_path / "array.json")) == rows
    assert list(read_records(tmp_path / "lines.json")) == rows


def test_shards_come_by_name_and_none_is_an_error(tmp_path: Path) -> None:
    for name in ("b_1", "b_0"):
        (tmp_path / name).touch()
    assert [path.name for path in shards(tmp_path, "b_*")] == ["b_0", "b_1"]
    with pytest.raises(InputFileError, match="c_"):
        shards(tmp_path, "c_*")


def test_parquet_rows_come_by_column_name(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    polars.DataFrame({"x": [1, 2], "y": [["a"], []]}).write_parquet(path)
    assert list(read_parquet(path)) == [{"x": 1, "y": ["a"]}, {"x": 2, "y": []}]
    path.write_bytes(b"no parquet")
    with pytest.raises(InputFileError, match="cannot be read"):
        list(read_parquet(path))


def test_skipped_rows_are_logged_even_when_the_reader_stops_early(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def rows() -> object:
        with counted_skips("corpus") as skips:
            skips["too long"] += 2
            skips["never"] += 0
            yield 1

    with caplog.at_level(logging.INFO):
        iterator = rows()
        next(iterator)  # type: ignore[call-overload]
        iterator.close()  # type: ignore[attr-defined]
    assert "source=corpus skipped=2 reason=too long" in caplog.text


def test_texts_that_differ_in_form_only_share_a_group() -> None:
    assert group_of("The  Town, here.") == group_of("town here") != group_of("town there")
