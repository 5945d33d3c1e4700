"""Scoring a file from end to end: order, errors, strictness, and resuming by brute force."""

from __future__ import annotations

import json
from functools import partial

import pytest
from support.fake_engine import FakeEngine, fake_response

from steelyard.bulk.journal import part_of
from steelyard.bulk.record import Recipe
from steelyard.bulk.run import score
from steelyard.bulk.source import open_source
from steelyard.errors import ModelError, OutputError, RequestError
from steelyard.types.question import Noul
from steelyard.types.request import Request

ASKED = {"q": Noul("?")}
LINES = [
    '{"id": "a", "state": "one"}',
    "",
    '{"id": "b", "state": "two"}',
    '{"id": "a", "state": "one"}',
    "not json",
    '{"id": "c", "state": "refuse me"}',
    '{"id": "d", "state": "träe"}',
    '{"id": "e", "state": "two"}',
]


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return open_source(path, Recipe(questions=ASKED))


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out.jsonl"


def go(source, out, engine=None, **options):
    decide = partial((engine or FakeEngine()).decide_many, return_errors=True)
    return score(source, out, decide, **{"options": {"model": "fake"}, "batch": 2, **options})


def records(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_records_are_in_input_order_with_line_and_id(source, out):
    engine = FakeEngine()
    done = go(source, out, engine)
    assert [(r["line"], r["id"]) for r in records(out)] == [
        (1, "a"),
        (3, "b"),
        (4, "a"),
        (5, None),
        (6, "c"),
        (7, "d"),
        (8, "e"),
    ]
    assert (done.rows, done.errors, done.line, done.after) == (7, 2, 8, 0)
    assert done.position == source.size
    states = [[request.state for request in call] for call in engine.calls]
    assert states == [["one", "one"], ["two", "two"], ["refuse me", "träe"]]


def test_answers_are_those_of_each_row_alone(source, out):
    go(source, out)
    for record in records(out):
        if "error" not in record:
            state = json.loads(LINES[record["line"] - 1])["state"]
            alone = fake_response(Request(state, ASKED)).answers["q"]
            assert record["answers"]["q"]["noul"] == alone.noul


def test_tokens_are_counted_over_the_answered_rows(source, out):
    done = go(source, out)
    assert done.tokens == sum(r["usage"]["input_tokens"] for r in records(out) if "usage" in r)


def test_bad_rows_say_what_is_wrong_and_where(source, out):
    go(source, out)
    unreadable, refused = (record["error"] for record in records(out) if "error" in record)
    assert unreadable["code"] == "invalid_request"
    assert "not JSON" in unreadable["message"]
    assert refused == {"code": "invalid_request", "message": "refused", "field": "state"}


def test_a_strict_run_stops_before_the_first_bad_row(source, out):
    done = go(source, out, strict=True)
    assert done.refused is not None
    line, error = done.refused
    assert line == 5
    assert isinstance(error, RequestError)
    assert not out.exists()
    assert [r["line"] for r in records(part_of(out))] == [1, 3, 4]
    again = go(source, out, resume=True)
    assert (again.after, again.rows, again.errors) == (4, 4, 2)
    assert [r["line"] for r in records(out)] == [1, 3, 4, 5, 6, 7, 8]


def test_a_strict_run_of_good_rows_finishes(tmp_path, out):
    path = tmp_path / "good.jsonl"
    path.write_text(LINES[0])
    assert go(open_source(path, Recipe(questions=ASKED)), out, strict=True).refused is None
    assert len(records(out)) == 1


def test_an_empty_file_gives_an_empty_file(tmp_path, out):
    path = tmp_path / "empty.jsonl"
    path.touch()
    done = go(open_source(path, Recipe(questions=ASKED)), out)
    assert out.read_bytes() == b""
    assert done.rows == 0


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_a_run_cut_at_any_byte_resumes_to_the_same_output(source, tmp_path, suffix, monkeypatch):
    """What a kill leaves: the records so far, cut anywhere in the last one."""
    monkeypatch.setattr("os.fsync", lambda handle: None)  # hundreds of runs, and no power cut
    if suffix == ".parquet":
        pytest.importorskip("polars")
    whole = tmp_path / f"whole{suffix}"
    go(source, whole)
    out = tmp_path / f"out{suffix}"
    journal = full_journal(source, out)
    last = journal.rfind(b"\n", 0, -1) + 1
    sizes = [*range(0, last, 97), *range(last, len(journal) + 1, 1 if suffix == ".jsonl" else 23)]
    for size in sizes:
        part_of(out).write_bytes(journal[:size])
        note = out.with_name(out.name + ".part.json")
        note.write_bytes(note_of(source, tmp_path / f"other{suffix}"))
        engine = FakeEngine()
        done = go(source, out, engine, resume=True)
        assert out.read_bytes() == whole.read_bytes()
        kept = journal[:size].count(b"\n")
        assert done.rows == 7 - kept
        asked = sum(len(call) for call in engine.calls)
        assert asked == len([n for n in (1, 3, 4, 6, 7, 8) if n > done.after])
        out.unlink()


def full_journal(source, out):
    """The journal of a run that wrote every record and died before it finished."""

    def die(progress):
        if progress.rows == 7:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        go(source, out, on_progress=die)
    return part_of(out).read_bytes()


def note_of(source, out):
    note = out.with_name(out.name + ".part.json")
    if not note.exists():
        full_journal(source, out)
    return note.read_bytes()


@pytest.mark.parametrize("calls", range(1, 4))
def test_a_run_that_breaks_resumes_without_losing_or_repeating(source, out, tmp_path, calls):
    go(source, tmp_path / "whole.jsonl")

    def break_down(requests):
        nonlocal calls
        calls -= 1
        if calls < 0:
            raise ModelError("out of memory")

    with pytest.raises(ModelError):
        go(source, out, FakeEngine(break_down), batch=1)
    assert not out.exists()
    go(source, out, resume=True)
    assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_ctrl_c_ends_cleanly_and_resumes(source, out, tmp_path):
    go(source, tmp_path / "whole.jsonl")
    calls = []

    def interrupt(requests):
        calls.append(requests)
        if len(calls) == 2:
            raise KeyboardInterrupt

    done = go(source, out, FakeEngine(interrupt))
    assert done.interrupted
    assert (done.rows, done.line) == (1, 1)  # line 3 has the state of line 8, the second call
    go(source, out, resume=True)
    assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_resuming_a_changed_input_is_refused(source, out, tmp_path):
    go(source, out, strict=True)
    changed = tmp_path / "in.jsonl"
    changed.write_text(changed.read_text(encoding="utf-8") + "\n{}", encoding="utf-8")
    with pytest.raises(OutputError, match="differs in input"):
        go(open_source(changed, source.recipe), out, resume=True)


@pytest.mark.parametrize(
    ("recipe", "options", "key"),
    [
        (Recipe(questions={"q": Noul("Other?")}), {}, "questions"),
        (Recipe(questions={"p": Noul("?")}), {}, "questions"),
        (Recipe(questions=ASKED, state="text"), {}, "state"),
        (Recipe(questions=ASKED, id="key"), {}, "id"),
        (Recipe(questions=ASKED), {"options": {"model": "other"}}, "model"),
        (Recipe(questions=ASKED), {"digits": 2}, "digits"),
    ],
)
def test_resuming_another_run_is_refused(source, out, recipe, options, key):
    go(source, out, strict=True)
    with pytest.raises(OutputError, match=f"differs in {key} "):
        go(open_source(source.path, recipe), out, resume=True, **options)


def test_resuming_with_another_batch_is_the_same_run(source, out):
    go(source, out, strict=True)
    go(source, out, resume=True, batch=5)
    assert len(records(out)) == 7


def test_progress_grows_to_the_end(source, out):
    seen = []
    go(source, out, on_progress=lambda p: seen.append((p.position, p.rows, p.errors)))
    assert seen[0] == (0, 0, 0)
    assert seen == sorted(seen)
    assert seen[-1] == (source.size, 7, 2)


def test_more_rows_than_a_window(tmp_path, out):
    path = tmp_path / "many.jsonl"
    path.write_text("".join(json.dumps({"id": n, "state": f"s{n % 7}"}) + "\n" for n in range(500)))
    go(open_source(path, Recipe(questions=ASKED)), out, batch=3)
    assert [r["id"] for r in records(out)] == list(range(500))
