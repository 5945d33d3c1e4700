import gzip
import hashlib
import itertools
import json

import pytest
from support.examples import LICENCE, choice, noul, source

from steelyard.data.build import build
from steelyard.data.dataset import read_by_source, read_examples
from steelyard.data.source import Source
from steelyard.errors import InputFileError, OutputError, RequestError
from steelyard.types import Example

ROWS = [choice(f"state {number}", group=str(number // 2)) for number in range(600)]


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "rows.txt").write_text("rows")
    return folder


def examples(out) -> dict[str, list[Example]]:
    return {part: list(read_examples(out / f"{part}.jsonl.gz")) for part in ("train", "valid")}


def test_every_example_is_on_one_side_of_the_split(tmp_path, data):
    report = build(data, tmp_path / "out", [source(ROWS)], seed=1)
    parts = examples(tmp_path / "out")
    assert sorted([*parts["train"], *parts["valid"]], key=lambda e: int(e.state[6:])) == ROWS
    assert not {e.group for e in parts["train"]} & {e.group for e in parts["valid"]}
    (row,) = report["sources"]
    assert (row["train"], row["valid"]) == (560, 40)
    assert (row["read"], row["groups"], row["dropped"]) == (600, 300, {})
    assert (row["kinds"], row["options"]) == ({"choice": 600}, {"3": 600})
    assert (row["licences"], row["html_entities"], row["leaks"]) == ({LICENCE: 600}, 0, None)


def test_the_report_is_written_with_digests(tmp_path, data):
    report = build(data, tmp_path / "out", [source(ROWS[:9])], seed=3, cap=7)
    assert json.loads((tmp_path / "out/build.json").read_text()) == report
    assert (report["seed"], report["cap"], report["shippable"]) == (3, 7, True)
    assert report["inputs"] == {"rows.txt": hashlib.sha256(b"rows").hexdigest()}
    for name, digest in report["outputs"].items():
        assert hashlib.sha256((tmp_path / "out" / name).read_bytes()).hexdigest() == digest


def test_the_same_build_gives_the_same_bytes_at_any_time(tmp_path, data):
    for name in ("first", "second"):
        build(data, tmp_path / name, [source(ROWS, cap=100)], seed=1)
    build(data, tmp_path / "other", [source(ROWS, cap=100)], seed=2)
    first, second, other = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("first", "second", "other")
    )
    assert first == second
    assert first["train.jsonl.gz"] != other["train.jsonl.gz"]
    assert first["train.jsonl.gz"][4:8] == bytes(4)  # the time in a gzip header


def test_what_is_dropped_is_counted_by_reason(tmp_path, data):
    rows = [
        choice("a"),
        choice("a"),
        choice("a", group="another"),
        choice("b", ["x", "X"]),
        choice("c", licence="CC-BY-NC-4.0"),
        noul("d", "&amp;?"),
    ]
    (row,) = build(data, tmp_path / "out", [source(rows, licence="per row")], seed=1)["sources"]
    assert row["dropped"] == {"licence": 1, "repeated": 2, "two options are the same answer": 1}
    assert row["read"] == row["train"] + row["valid"] + sum(row["dropped"].values())
    assert row["html_entities"] == 1
    assert examples(tmp_path / "out")["train"] == [rows[0], rows[5]]


def test_a_source_that_must_not_be_shipped_is_skipped(tmp_path, data):
    rows = [choice("a", licence="not stated")]
    sources = [source(ROWS[:2]), Source("closed", "not stated", lambda f, r: iter(rows), "a test")]
    report = build(data, tmp_path / "out", sources, seed=1)
    assert report["skipped"] == {"closed": "not stated"}
    assert examples(tmp_path / "out")["train"] == ROWS[:2]
    assert "warning" not in report


def test_on_demand_it_is_taken_and_the_report_says_so(tmp_path, data):
    rows = [choice("a", licence="not stated")]
    sources = [source(rows, licence="not stated")]
    report = build(data, tmp_path / "out", sources, seed=1, include_unshippable=True)
    assert (report["shippable"], report["skipped"]) == (False, {})
    assert "must not" in report["warning"]
    assert examples(tmp_path / "out")["train"] == rows


def test_a_cap_takes_whole_groups_of_all_over_the_source(tmp_path, data):
    (row,) = build(data, tmp_path / "out", [source(ROWS, cap=300)], seed=1, cap=101)["sources"]
    assert (row["cap"], row["dropped"]) == (101, {"above the cap": 500})
    parts = examples(tmp_path / "out")
    groups = [int(e.group) for e in [*parts["train"], *parts["valid"]]]
    assert len(groups) == 2 * len(set(groups)) == 100
    assert min(groups) < 60 and max(groups) > 240


def test_a_generator_that_never_ends_is_stopped_at_its_cap(tmp_path, data):
    def read(folder, rng):
        return (noul(f"state {number} {rng.random()}") for number in itertools.count())

    endless = Source("made", LICENCE, read, "a test", kind="generator", cap=50)
    (row,) = build(data, tmp_path / "out", [endless], seed=1)["sources"]
    assert row["read"] == row["train"] + row["valid"] == 50


def test_leaks_are_dropped_and_counted_by_file(tmp_path, data):
    (tmp_path / "eval").mkdir()
    (tmp_path / "eval/test.txt").write_text("State 3.\nother\n")
    report = build(data, tmp_path / "out", [source(ROWS[:9])], seed=1, evaluation=tmp_path / "eval")
    (row,) = report["sources"]
    assert row["dropped"] == {"leak": 1}
    assert row["leaks"]["removed"] == {"whole": 1}
    assert row["leaks"]["files"] == {"test.txt": 1}
    assert report["evaluation"] == ["test.txt"]
    assert ROWS[3] not in examples(tmp_path / "out")["train"]


def test_nothing_is_overwritten(tmp_path, data):
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError, match="exists already"):
        build(data, tmp_path / "out", [source(ROWS)], seed=1)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_build_that_fails_leaves_nothing(tmp_path, data):
    def read(folder, rng):
        yield choice("a")
        raise RequestError("got 3", field="target")

    broken = Source("made", LICENCE, read, "a test")
    with pytest.raises(InputFileError, match="made: a row that makes no example: target: got 3"):
        build(data, tmp_path / "out", [broken], seed=1)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_a_missing_data_folder_is_told(tmp_path):
    with pytest.raises(InputFileError, match="no such folder"):
        build(tmp_path / "data", tmp_path / "out", [source(ROWS)], seed=1)


def test_each_source_is_read_with_chance_of_its_own(tmp_path, data):
    def drawn(name):
        def read(folder, rng):
            return iter([choice(str(rng.random()), source=name)])

        return Source(name, LICENCE, read, "a test")

    build(data, tmp_path / "both", [drawn("a"), drawn("b")], seed=1)
    build(data, tmp_path / "one", [drawn("b")], seed=1)
    a, b = examples(tmp_path / "both")["train"]
    assert a.state != b.state
    assert examples(tmp_path / "one")["train"] == [b]


def test_a_line_that_is_no_example_is_named(tmp_path):
    file = tmp_path / "train.jsonl.gz"
    for line, said in [("{}", "state: missing"), ("{", "not JSON"), ('{"state":1', "not JSON")]:
        file.write_bytes(gzip.compress(f"{json.dumps(encoded())}\n{line}\n".encode()))
        with pytest.raises(InputFileError, match=f"train.jsonl.gz:2: .*{said}"):
            list(read_examples(file))
    file.write_bytes(gzip.compress(b"x" * 5000)[:-20])
    with pytest.raises(InputFileError, match="cannot be read"):
        list(read_examples(file))


def test_lines_of_a_source_that_stand_apart_are_refused(tmp_path):
    file = tmp_path / "train.jsonl"
    rows = [json.dumps(encoded(source=name)) for name in "aabca"]
    file.write_text("\n".join(rows[:4]))
    assert [(name, len(rows)) for name, rows in read_by_source(file)] == [
        ("a", 2),
        ("b", 1),
        ("c", 1),
    ]
    file.write_text("\n".join(rows))
    with pytest.raises(InputFileError, match="'a' stand apart"):
        list(read_by_source(file))


def encoded(**fields):
    from steelyard.types import encode_example

    return encode_example(choice("a", **fields))
