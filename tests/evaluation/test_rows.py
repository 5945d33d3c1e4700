"""Rows know their place, and every error says it."""

import gzip

import pytest
from support.published import write_json, write_lines, write_text

from steelyard.errors import InputFileError
from steelyard.evaluation.rows import (
    Row,
    csv_rows,
    examples,
    json_array,
    json_lines,
    json_object,
    tab_rows,
)
from steelyard.types.example import Example
from steelyard.types.question import Noul


def test_json_lines_keep_their_numbers_over_empty_lines_and_odd_separators(tmp_path):
    path = write_text(tmp_path / "a.jsonl.gz", '{"a": "x\u2028y"}\n\n{"a": "z"}\n')
    assert [(row.place, row.text("a")) for row in json_lines(path)] == [
        (f"{path}, line 1", "x\u2028y"),
        (f"{path}, line 3", "z"),
    ]


def test_a_csv_row_is_placed_at_its_last_line(tmp_path):
    path = write_text(tmp_path / "a.csv", 'text,label\n"two\nlines",x\nb,y\n')
    assert [(row.place, row.text("text")) for row in csv_rows(path)] == [
        (f"{path}, line 3", "two\nlines"),
        (f"{path}, line 4", "b"),
    ]


def test_a_csv_may_begin_with_a_byte_order_mark_and_have_blank_lines(tmp_path):
    path = write_text(tmp_path / "a.csv", "\ufefftext\n\nb\n\n")
    assert [(row.place, row.text("text")) for row in csv_rows(path)] == [(f"{path}, line 3", "b")]


def test_tabs_have_no_quotes(tmp_path):
    path = write_text(tmp_path / "a.txt", '1\t"so\n2\tb\n')
    assert [row.text("text") for row in tab_rows(path, ("id", "text"))] == ['"so', "b"]


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (json_lines, '{"a": 1}\n{"a"\n', "line 2: not JSON"),
        (json_lines, '{"a": 1}\n[1]\n', "line 2: an array; allowed: an object"),
        (json_array, '[\n{"a": 1},\n]', "line 3: not JSON"),
        (json_array, '{"a": 1}', "an object; allowed: an array of objects"),
        (json_array, "[{}, 3]", "entry 2: the number 3; allowed: an object"),
        (json_object, "[]", "an array; allowed: an object"),
        (csv_rows, "a,b\n1,2\n3\n", "line 3: 1 columns; allowed: 2"),
        (csv_rows, "a,b,a\n1,2,3\n", "line 1: column 'a' is there twice"),
        (json_lines, '{"a": 1}\n' + "[" * 100_000, "line 2: nested too deep"),
    ],
)
def test_what_cannot_be_read_is_named_by_file_and_line(tmp_path, read, text, message):
    path = write_text(tmp_path / "set.gz", text)
    with pytest.raises(InputFileError, match=message) as caught:
        list(read(path).fields if read is json_object else read(path))
    assert str(path) in str(caught.value)


def test_a_torn_or_missing_or_wrongly_encoded_file_is_named(tmp_path):
    torn = tmp_path / "torn.gz"
    torn.write_bytes(gzip.compress(b'{"a": 1}\n' * 99)[:-12])
    (tmp_path / "latin").write_bytes(b'{"a": 1}\n{"a": "\xe9"}\n')
    for name, message in (
        ("torn.gz", "torn.gz cannot be read: "),
        ("none", "none cannot be read: .*No such file"),
        ("latin", "latin, line 2: not UTF-8"),
    ):
        with pytest.raises(InputFileError, match=message):
            list(json_lines(tmp_path / name))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda row: row.text("n"), "n: got the number 3; allowed: a string"),
        (lambda row: row.flag("n"), "n: got the number 3; allowed: true or false"),
        (lambda row: row.number("t"), "t: got 'x'; allowed: a number"),
        (lambda row: row.within("n"), "n: got the number 3; allowed: an object"),
        (lambda row: row.entries("t"), "t: got 'x'; allowed: an array"),
        (lambda row: row.get("m"), "no field 'm'; found: n, t"),
    ],
)
def test_a_field_of_the_wrong_type_is_named(call, message):
    with pytest.raises(InputFileError, match=f"here, line 1: {message}"):
        call(Row("here, line 1", {"n": 3, "t": "x"}))


def test_a_row_that_makes_no_example_is_named(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [{"s": "fine"}, {"s": " "}])

    def convert(row):
        yield Example(row.content("s"), Noul("Fine?"), (1.0, 0.0), "a", "g", "MIT")

    with pytest.raises(InputFileError, match=r"a\.jsonl, line 2: s: blank"):
        examples(json_lines(path), convert)


def test_the_array_of_a_file_counts_from_one(tmp_path):
    path = write_json(tmp_path / "a.json", [{}, {}])
    assert [row.place for row in json_array(path)] == [f"{path}, entry 1", f"{path}, entry 2"]
