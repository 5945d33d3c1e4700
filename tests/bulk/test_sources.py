"""Readers: JSONL, CSV and Parquet as rows, with every kind of damage a file can have."""

from __future__ import annotations

import json
from functools import partial

import pytest

from steelyard.bulk import lines
from steelyard.bulk.record import Recipe
from steelyard.bulk.source import open_source
from steelyard.bulk.template import parse_template
from steelyard.errors import InputFileError, RequestError
from steelyard.types.question import Noul
from steelyard.types.request import Request

RECIPE = Recipe(questions={"q": Noul("?")})


def rows_of(path, data, recipe=RECIPE, after=0):
    path.write_bytes(data)
    return list(open_source(path, recipe).rows(after))


def seen(rows):
    """(line, id, state or error text) of each row."""
    return [
        (row.line, row.id, row.asked.state if isinstance(row.asked, Request) else str(row.asked))
        for row in rows
    ]


# -- JSONL ------------------------------------------------------------------------------------


def test_jsonl_rows_have_line_id_and_state(tmp_path):
    data = '{"id": 1, "state": "ä"}\n{"state": {"k": "雪"}}\n'.encode()
    assert seen(rows_of(tmp_path / "in.jsonl", data)) == [(1, 1, "ä"), (2, None, {"k": "雪"})]


@pytest.mark.parametrize(
    "data",
    [
        b'{"state": "a"}\r\n{"state": "b"}\r\n',
        b'{"state": "a"}\n{"state": "b"}',
        b'\xef\xbb\xbf{"state": "a"}\n{"state": "b"}\n',
    ],
    ids=["CRLF", "no newline at the end", "byte order mark"],
)
def test_jsonl_line_ends_and_mark(tmp_path, data):
    assert seen(rows_of(tmp_path / "in.jsonl", data)) == [(1, None, "a"), (2, None, "b")]


def test_blank_lines_are_counted_and_skipped(tmp_path):
    data = b'\n{"state": "a"}\n  \t\r\n\n{"state": "b"}\n\n'
    assert [row.line for row in rows_of(tmp_path / "in.jsonl", data)] == [2, 5]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_an_empty_jsonl_has_no_rows(tmp_path, data):
    assert rows_of(tmp_path / "in.jsonl", data) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "not JSON"),
        (b"[1]", "the line is an array; allowed: an object"),
        (b"null", "the line is null"),
        (b'{"state": NaN}', "NaN"),
        (b'{"state": "a", "state": "b"}', "'state' is given twice"),
        (b'{"state": "\xff"}', "0xff at offset 11 is not UTF-8"),
        (b'{"state": "\\ud800"}', "lone surrogate"),
        (b'{"state": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"state": ""}', "state: empty"),
        (b'{"state": 5}', "state: "),
        (b'{"state": "a"} {"state": "b"}', "not JSON"),
        (b'{"id": 1' + b"0" * 5000 + b"}", "too many digits"),
    ],
)
def test_a_bad_jsonl_line_is_a_row_that_says_so(tmp_path, line, message):
    rows = rows_of(tmp_path / "in.jsonl", b'{"state": "a"}\n' + line + b'\n{"state": "c"}\n')
    assert [row.line for row in rows] == [1, 2, 3]
    assert isinstance(rows[1].asked, RequestError)
    assert message in str(rows[1].asked)
    assert isinstance(rows[2].asked, Request)


def test_a_line_beyond_the_limit_is_a_bad_row_and_costs_no_memory(tmp_path):
    path = tmp_path / "in.jsonl"
    data = b'{"state": "a"}\n' + b"x" * 100 + b'\n{"state": "b"}\n'
    path.write_bytes(data)
    with path.open("rb") as file:
        read = list(lines.read_lines(file, limit=20))
    assert [line.data for line in read] == [b'{"state": "a"}', None, b'{"state": "b"}']
    assert [line.end for line in read] == [15, 116, 131]


def test_a_line_at_the_limit_is_read(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_bytes(b"x" * 20 + b"\n" + b"y" * 20)
    with path.open("rb") as file:
        assert [line.data for line in lines.read_lines(file, limit=20)] == [b"x" * 20, b"y" * 20]


def test_a_huge_line_is_read(tmp_path):
    text = "word " * 1_000_000
    rows = rows_of(tmp_path / "in.jsonl", json.dumps({"state": text}).encode())
    assert seen(rows) == [(1, None, text)]


def test_positions_end_at_the_size(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'{"state": "a"}\n\n{"state": "bb"}\n')
    source = open_source(path, RECIPE)
    assert [row.end for row in source.rows()] == [15, source.size]


# -- CSV --------------------------------------------------------------------------------------


def test_csv_rows_have_the_line_on_which_they_begin(tmp_path):
    data = 'id,state\n1,a\n2,"two\nlines, ""quoted"""\n\n3,ü\n'.encode()
    assert seen(rows_of(tmp_path / "in.csv", data)) == [
        (2, "1", "a"),
        (3, "2", 'two\nlines, "quoted"'),
        (6, "3", "ü"),
    ]


def test_csv_with_mark_and_crlf_and_without_last_newline(tmp_path):
    data = b"\xef\xbb\xbfid,state\r\n1,a\r\n2,b"
    assert seen(rows_of(tmp_path / "in.csv", data)) == [(2, "1", "a"), (3, "2", "b")]


def test_bad_csv_rows_are_rows_that_say_so(tmp_path):
    data = b'id,state\n1,a,b\n2\n3,"a"b\n4,\xe9t\xe9\n5,\n6,fine\n'
    rows = rows_of(tmp_path / "in.csv", data)
    assert seen(rows) == [
        (2, None, "3 cells; the header names 2 columns"),
        (3, None, "1 cells; the header names 2 columns"),
        (4, None, "not CSV: ',' expected after '\"'"),
        (5, None, "state: byte 0xe9 after 0 characters is not UTF-8"),
        (6, "5", "state: empty; allowed: a non-empty string, object or array"),
        (7, "6", "fine"),
    ]


def test_a_quote_that_is_never_closed(tmp_path):
    rows = rows_of(tmp_path / "in.csv", b'id,state\n1,a\n2,"b\n3,c\n')
    assert seen(rows) == [(2, "1", "a"), (3, None, "not CSV: unexpected end of data")]


def test_csv_cells_may_be_large(tmp_path):
    text = "x" * 1_000_000
    assert seen(rows_of(tmp_path / "in.csv", f"state\n{text}\n".encode())) == [(2, None, text)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no header"),
        (b"\n1,a\n", "no header"),
        (b"id,state,id\n", "names 'id' twice"),
        (b"id,text\n1,a\n", "no column 'state' to make the state of; the columns are 'id', 'text'"),
        (b'"id"x,state\n', "the header is not CSV"),
    ],
)
def test_a_csv_without_what_is_needed_is_refused(tmp_path, data, message):
    with pytest.raises(InputFileError, match=r"in\.csv") as caught:
        rows_of(tmp_path / "in.csv", data)
    assert message in str(caught.value)


def test_a_csv_line_beyond_the_limit_stops_the_run(tmp_path, monkeypatch):
    short = partial(lines.read_lines, limit=20)
    monkeypatch.setattr("steelyard.bulk.csv_rows.read_lines", short)
    with pytest.raises(InputFileError, match="line 3 is longer"):
        rows_of(tmp_path / "in.csv", b"state\na\n" + b"x" * 30)


# -- Parquet ----------------------------------------------------------------------------------


def test_parquet_rows_are_numbered_and_structured(tmp_path):
    polars = pytest.importorskip("polars")
    path = tmp_path / "in.parquet"
    table = {"id": [5, 6, 7], "state": [{"a": "x"}, {"a": "y"}, None], "other": [1.0, 2.0, 3.0]}
    polars.DataFrame(table).write_parquet(path)
    source = open_source(path, RECIPE)
    assert source.size == 3
    assert seen(source.rows())[:2] == [(1, 5, {"a": "x"}), (2, 6, {"a": "y"})]
    assert seen(source.rows(after=2))[0][:2] == (3, 7)
    assert isinstance(next(source.rows(after=2)).asked, RequestError)


def test_parquet_is_read_slice_by_slice(tmp_path, monkeypatch):
    polars = pytest.importorskip("polars")
    monkeypatch.setattr("steelyard.bulk.parquet_rows.SLICE_ROWS", 3)
    path = tmp_path / "in.parquet"
    polars.DataFrame({"a": range(10), "b": ["x"] * 10}).write_parquet(path, row_group_size=4)
    source = open_source(path, Recipe(questions={"q": Noul("?")}, state=parse_template("{a}{b}")))
    for after in range(11):
        expected = [(n, f"{n - 1}x") for n in range(after + 1, 11)]
        assert [(row.line, row.asked.state) for row in source.rows(after)] == expected


@pytest.mark.parametrize("data", [b"", b"no parquet", b"PAR1" + bytes(50) + b"PAR1"])
def test_a_broken_parquet_is_refused(tmp_path, data):
    pytest.importorskip("polars")
    with pytest.raises(InputFileError, match=r"in\.parquet: not readable as Parquet"):
        rows_of(tmp_path / "in.parquet", data)


def test_a_parquet_lacking_the_column_is_refused(tmp_path):
    polars = pytest.importorskip("polars")
    path = tmp_path / "in.parquet"
    polars.DataFrame({"text": ["a"]}).write_parquet(path)
    with pytest.raises(InputFileError, match="no column 'state'"):
        list(open_source(path, RECIPE).rows())


# -- all --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["in.jsonl", "in.csv"])
def test_rows_after_any_line_are_the_rest(tmp_path, name):
    path = tmp_path / name
    if name == "in.csv":
        path.write_text('id,state\n1,a\n2,"b\nb"\n\n3,c,\n4,d\n')
    else:
        path.write_text('{"state": "a"}\n\n{\n{"state": "b"}\n{"state": "c"}\n')
    source = open_source(path, RECIPE)
    everything = seen(source.rows())
    for after in range(10):
        assert seen(source.rows(after)) == [row for row in everything if row[0] > after]


@pytest.mark.parametrize(
    ("name", "message"),
    [("in.json", "unknown format '.json'; allowed: .jsonl"), ("gone.jsonl", "No such file")],
)
def test_a_file_that_cannot_be_rows_is_refused(tmp_path, name, message):
    (tmp_path / "in.json").write_text("[]")
    with pytest.raises(InputFileError, match=message):
        open_source(tmp_path / name, RECIPE)


def test_a_folder_is_refused(tmp_path):
    (tmp_path / "in.jsonl").mkdir()
    with pytest.raises(InputFileError, match="Is a directory"):
        open_source(tmp_path / "in.jsonl", RECIPE)


def test_a_table_needs_questions(tmp_path):
    (tmp_path / "in.csv").write_text("state\na\n")
    with pytest.raises(RequestError, match=r"questions: missing; a \.csv file needs"):
        open_source(tmp_path / "in.csv", Recipe())
