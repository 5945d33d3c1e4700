"""Records and tables: what is written for an answered and for a bad row."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import pytest
from support.fake_engine import fake_response

from steelyard.bulk.row import Row
from steelyard.bulk.write import flatten, format_of, record_of, write_csv, write_parquet
from steelyard.errors import MissingExtraError, OutputError, RequestError
from steelyard.types.answer import Verdict
from steelyard.types.codec import encode_response
from steelyard.types.question import Choice, Noul, Score
from steelyard.types.request import Request

REQUEST = Request(
    "x",
    {"n": Noul("?"), "c": Choice("?", ["a", "b c"]), "s": Score("?", ["low", {"k": "high"}])},
)
ROW = Row(line=4, end=9, id="r", asked=REQUEST)
RESPONSE = fake_response(REQUEST)
ERROR = RequestError("empty", field="state")


def part_with(tmp_path, records):
    part = tmp_path / "part"
    part.write_text("".join(json.dumps(record) + "\n" for record in records))
    return part


def test_a_record_is_the_wire_body_behind_id_and_line():
    record = record_of(ROW, RESPONSE, None)
    assert list(record)[:2] == ["id", "line"]
    body = {name: value for name, value in record.items() if name not in ("id", "line")}
    assert body == encode_response(RESPONSE, extras=True)


def test_an_error_record_names_code_message_and_field():
    assert record_of(ROW, ERROR, None) == {
        "id": "r",
        "line": 4,
        "error": {"code": "invalid_request", "message": "empty", "field": "state"},
    }


def test_digits_round_what_is_written():
    answers = record_of(ROW, RESPONSE, 1)["answers"]
    assert answers["n"]["noul"] == round(RESPONSE.answers["n"].noul, 1)


def test_semif_answers_carry_the_rows_own_ids():
    request = Request("x", {"question": Choice("?", ["Supported", "Contradicted"])})
    names = {"Supported": "s", "Contradicted": "c"}
    row = Row(line=1, end=1, id=None, asked=request, names=names)
    answer = record_of(row, fake_response(request), None)["answers"]["question"]
    plain = fake_response(request).answers["question"]
    assert answer["choice"] == names[plain.choice]
    assert answer["probabilities"] == {names[k]: p for k, p in plain.probabilities.items()}


def test_a_flat_row_has_a_column_per_number():
    answers = RESPONSE.answers
    assert flatten(record_of(ROW, RESPONSE, None)) == {
        "id": "r",
        "line": 4,
        "model": "fake",
        "n.noul": answers["n"].noul,
        "c.choice": answers["c"].choice,
        "c.confidence": answers["c"].confidence,
        "c.p.a": answers["c"].probabilities["a"],
        "c.p.b c": answers["c"].probabilities["b c"],
        "s.score": answers["s"].score,
        "s.confidence": answers["s"].confidence,
        "s.p.0": answers["s"].probabilities["0"],
        "s.p.1": answers["s"].probabilities["1"],
    }


def test_a_flat_error_has_columns_of_its_own():
    assert flatten(record_of(ROW, ERROR, None)) == {
        "id": "r",
        "line": 4,
        "error.code": "invalid_request",
        "error.message": "empty",
        "error.field": "state",
    }


def test_two_values_for_one_column_are_refused():
    request = Request("x", {"q": Choice("?", ["choice", "b"]), "q.p": Choice("?", ["a", "b"])})
    with pytest.raises(OutputError, match=r"'q\.p\.choice'; write JSONL"):
        flatten(record_of(ROW, fake_response(request), None))


RECORDS = [
    {"id": "a", "line": 2, "model": "m", "q.noul": 0.25},
    {
        "id": None,
        "line": 3,
        "error.code": "c",
        "error.message": 'say "ä",\nno',
        "error.field": None,
    },
    {"id": "b", "line": 4, "model": "m", "q.noul": 1.0, "r.choice": "x"},
]
COLUMNS = [
    "id",
    "line",
    "model",
    "q.noul",
    "r.choice",
    "error.code",
    "error.message",
    "error.field",
]


def test_a_csv_has_every_column_with_the_errors_last(tmp_path):
    out = tmp_path / "out.csv"
    write_csv(part_with(tmp_path, RECORDS), out)
    with out.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [
            COLUMNS,
            ["a", "2", "m", "0.25", "", "", "", ""],
            ["", "3", "", "", "", "c", 'say "ä",\nno', ""],
            ["b", "4", "m", "1.0", "x", "", "", ""],
        ]


def test_a_parquet_has_types(tmp_path):
    polars = pytest.importorskip("polars")
    out = tmp_path / "out.parquet"
    write_parquet(part_with(tmp_path, RECORDS), out)
    table = polars.read_parquet(out)
    assert table.columns == COLUMNS
    assert table.rows(named=True) == [{**dict.fromkeys(COLUMNS), **record} for record in RECORDS]
    assert table.schema["line"] == polars.Int64
    assert table.schema["q.noul"] == polars.Float64


@pytest.mark.parametrize(
    ("ids", "kept"),
    [([1, 2], [1, 2]), ([1, None], [1, None]), ([1, "x"], ["1", "x"]), ([None], [None])],
)
def test_parquet_ids_keep_their_type_if_they_share_one(tmp_path, ids, kept):
    polars = pytest.importorskip("polars")
    out = tmp_path / "out.parquet"
    records = [{"id": name, "line": line, "model": "m"} for line, name in enumerate(ids)]
    write_parquet(part_with(tmp_path, records), out)
    assert polars.read_parquet(out)["id"].to_list() == kept


@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_no_rows_make_a_table_without_rows(tmp_path, write):
    polars = pytest.importorskip("polars")
    out = tmp_path / "out"
    write(part_with(tmp_path, []), out)
    table = polars.read_csv(out) if write is write_csv else polars.read_parquet(out)
    assert table.height == 0
    assert table.columns[:2] == ["id", "line"]


def test_a_column_of_text_and_numbers_is_refused(tmp_path):
    records = [{"id": 1, "line": 1, "q": 0.5}, {"id": 2, "line": 2, "q": "x"}]
    with pytest.raises(OutputError, match="'q' holds text and numbers"):
        write_csv(part_with(tmp_path, records), tmp_path / "out.csv")


def test_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(OutputError, match=r"unknown format '\.xlsx'; allowed: \.jsonl"):
        format_of(tmp_path / "out.xlsx")


def test_parquet_without_polars_is_refused_before_the_run(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    with pytest.raises(MissingExtraError, match=r"steelyard\[tables\]"):
        format_of(tmp_path / "out.parquet")


def test_what_a_calibration_promises_has_columns_and_the_rows_own_names():
    verdict = Verdict(options=("first", "second"), coverage=0.9, action="ask")
    request = Request("x", {"question": Choice("?", ["first", "second"])})
    plain = fake_response(request)
    answer = replace(plain.answers["question"], verdict=verdict)
    row = Row(line=1, end=1, id=None, asked=request, names={"first": "A", "second": "B"})
    record = record_of(row, replace(plain, answers={"question": answer}), None)
    assert record["answers"]["question"]["x_set"] == ["A", "B"]
    flat = flatten(record)
    assert (flat["question.action"], flat["question.set"]) == ("ask", "A|B")
    assert "question.committed" not in flat
    assert "question.action" not in flatten(record_of(row, plain, None))
