"""Kept rows: readers never write, the appender mends only its own files, and one at a time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.fake_engine import FakeEngine

from steelyard.errors import InputFileError, OutputError
from steelyard.evaluation.kept import append_rows, hold, read_rows
from steelyard.evaluation.run import BEGIN, read_predictions, run
from steelyard.evaluation.run_folder import read_run
from steelyard.types.example import Example
from steelyard.types.question import Noul

EXAMPLES = [Example(f"Zürich {n}", Noul("Late?"), (1.0, 0.0), "s", "gü", "MIT") for n in range(3)]


def test_a_reader_leaves_a_file_as_it_is_and_a_torn_row_out(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    torn = '{"a":1}\n{"a":"ü'.encode()[:-1]  # inside a character
    path.write_bytes(torn)
    assert read_rows(path) == [{"a": 1}]
    assert path.read_bytes() == torn
    append_rows(path, [{"a": 2}])
    assert read_rows(path) == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("text", ['{"precious": 1}', "a,b\n1,2", "a,b\n1,2\n", "\x00\n\x01"])
def test_what_holds_no_answers_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "precious"
    path.write_text(text, encoding="utf-8")
    for use in (
        lambda: read_run(path),
        lambda: run(FakeEngine(), "s", EXAMPLES, path),
    ):
        with pytest.raises((OutputError, InputFileError), match="precious"):
            use()
        assert path.read_text(encoding="utf-8") == text


def test_answers_torn_anywhere_are_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    run(FakeEngine(), "s", EXAMPLES, path)
    whole = path.read_bytes()
    for end in (1, len(BEGIN) + 3, whole.index("ü".encode()) + 1, len(whole) - 1):
        path.write_bytes(whole[:end])
        assert len(run(FakeEngine(), "s", EXAMPLES, path)) == 3
        assert path.read_bytes().count(b"\n") == 4


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("notjson", "line 1: not JSON"),
        ('{"maker":{}}', "line 1, maker: weights: missing"),
        ('{"maker":5}', "line 1: maker: got the number 5; allowed: an object"),
        ("[" * 100_000, "line 1: nested too deep"),
        ("[]", "line 1: an array; allowed: an object"),
    ],
)
def test_a_damaged_first_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(InputFileError, match=f"a.jsonl, {message}"):
        read_predictions(path)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("target", None, "target: missing"),
        ("target", {"7": 1.0}, "target: got an object; allowed: places from 0 to 1"),
        ("probabilities", ["a"], "probabilities: got an array; allowed: an array of numbers"),
        ("kind", "rank", "kind: got 'rank'; allowed: noul"),
        ("exit_layer", 1.5, "exit_layer: got the number 1.5; allowed: a whole number"),
        ("more", 1, "more: no field of it"),
    ],
)
def test_a_damaged_answer_is_named(tmp_path: Path, field: str, value: object, message: str) -> None:
    path = tmp_path / "a.jsonl"
    run(FakeEngine(), "s", EXAMPLES, path)
    first, second, *_ = path.read_text(encoding="utf-8").splitlines()
    row = json.loads(second) | {field: value}
    if value is None:
        del row[field]
    path.write_text(f"{first}\n{second}\n{json.dumps(row)}\n", encoding="utf-8")
    with pytest.raises(InputFileError, match=f"a.jsonl, line 3: {message}"):
        read_predictions(path)


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    path = tmp_path / "ls"
    path.write_bytes(b"\x7fELF\xff\n\xff\n")
    with pytest.raises(InputFileError, match="ls, line 1: not UTF-8"):
        read_run(path)


def test_two_processes_do_not_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with (
        hold(path),
        pytest.raises(OutputError, match=r"another process writes answers to .*a\.jsonl"),
    ):
        run(FakeEngine(), "s", EXAMPLES, path)
    assert not path.exists()  # nothing came, so nothing is left
    run(FakeEngine(), "s", EXAMPLES, path)
    with hold(path):  # nothing to ask, nothing to write
        assert len(run(FakeEngine(), "s", EXAMPLES, path)) == 3


def test_one_answer_of_each_example_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    run(FakeEngine(), "s", EXAMPLES, path)
    path.write_text(path.read_text() + path.read_text().split("\n", 1)[1])
    assert len(read_predictions(path)[1]) == 3
    path.write_bytes(path.read_bytes())
    (tmp_path / "b.jsonl").write_bytes(path.read_bytes())
    assert len(read_run(tmp_path).predictions) == 3


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"file/a\.jsonl cannot be written: "):
        append_rows(tmp_path / "file" / "a.jsonl", [{}])
