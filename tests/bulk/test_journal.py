"""The journal: durable records, torn lines cut, one run at a time, nothing overwritten."""

from __future__ import annotations

import json
import os
import resource

import pytest

from steelyard.bulk import journal as module
from steelyard.bulk.journal import open_journal, part_of, run_of
from steelyard.errors import OutputError

RUN = {"input": "abc", "model": "mini"}
RECORDS = [{"line": 2, "x": "é"}, {"line": 3, "x": "a\nb"}, {"line": 7, "x": ["\u2028"]}]
TEXT = "".join(
    json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n" for record in RECORDS
)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out.jsonl"


def begin(out, records=RECORDS, run=RUN):
    """A run that wrote records and ended before it was finished."""
    with open_journal(out, run, resume=False) as journal:
        journal.append(records)


def names(out):
    return sorted(path.name for path in out.parent.iterdir())


def test_a_finished_journal_is_its_records_and_nothing_else(out):
    with open_journal(out, RUN, resume=False) as journal:
        journal.append(RECORDS[:1])
        journal.append(RECORDS[1:])
        assert not out.exists()
        journal.finish()
    assert out.read_text(encoding="utf-8") == TEXT
    assert names(out) == ["out.jsonl"]


def test_every_record_is_on_disk_when_append_returns(out):
    with open_journal(out, RUN, resume=False) as journal:
        journal.append(RECORDS)
        assert part_of(out).read_text(encoding="utf-8") == TEXT


def test_records_are_synced_by_the_second_and_at_the_end(out, monkeypatch):
    now, synced = [0.0], []
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    with open_journal(out, RUN, resume=False) as journal:
        monkeypatch.setattr(module.os, "fsync", lambda handle: synced.append(now[0]))
        for now[0] in (0.5, 0.9, 1.1, 1.2, 2.2):
            journal.append([{"line": journal.last_line + 1}])
        assert synced == [1.1, 2.2]
    assert synced == [1.1, 2.2, 2.2]


def test_a_torn_record_is_cut_at_every_byte(out):
    begin(out)
    whole = part_of(out).read_bytes()
    line_ends = [index + 1 for index, byte in enumerate(whole) if byte == ord("\n")]
    for size in range(len(whole) + 1):
        part_of(out).write_bytes(whole[:size])
        kept = [end for end in line_ends if end <= size]
        with open_journal(out, RUN, resume=True) as journal:
            assert journal.last_line == ([0] + [r["line"] for r in RECORDS])[len(kept)]
            assert part_of(out).read_bytes() == whole[: max(kept, default=0)]
            journal.append(RECORDS[len(kept) :])
        assert part_of(out).read_bytes() == whole


def test_records_longer_than_a_block_are_found(out, monkeypatch):
    monkeypatch.setattr(module, "_BLOCK_BYTES", 8)
    begin(out)
    with part_of(out).open("ab") as part:
        part.write(b'{"line": 9, "x": "' + b"y" * 50)
    with open_journal(out, RUN, resume=True) as journal:
        assert journal.last_line == 7
    assert part_of(out).read_text(encoding="utf-8") == TEXT


def test_a_run_that_wrote_nothing_leaves_nothing(out):
    begin(out, records=[])
    assert names(out) == []


def test_an_empty_journal_is_no_run(out):
    part_of(out).touch()
    run_of(out).write_text('{"input": "other"')
    begin(out)
    with open_journal(out, RUN, resume=True) as journal:
        assert journal.last_line == 7


def test_resuming_what_never_began_begins(out):
    with open_journal(out, RUN, resume=True) as journal:
        assert journal.last_line == 0


@pytest.mark.parametrize("resume", [False, True])
def test_an_existing_output_is_refused(out, resume):
    out.write_text("mine")
    with pytest.raises(OutputError, match=r"out\.jsonl exists"):
        open_journal(out, RUN, resume=resume)
    assert out.read_text() == "mine"
    assert names(out) == ["out.jsonl"]


def test_a_dangling_link_is_an_existing_output(out, tmp_path):
    out.symlink_to(tmp_path / "nowhere")
    with pytest.raises(OutputError, match="exists"):
        open_journal(out, RUN, resume=False)


def test_an_unfinished_run_is_not_begun_again_unasked(out):
    begin(out)
    with pytest.raises(OutputError, match="add --resume"):
        open_journal(out, RUN, resume=False)
    assert part_of(out).read_text(encoding="utf-8") == TEXT


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({**RUN, "input": "xyz"}, "input (was 'abc', is 'xyz')"),
        ({**RUN, "model": "big"}, "model (was 'mini', is 'big')"),
        ({"input": "abc"}, "model (was 'mini', is None)"),
        ({**RUN, "layout": "a"}, "layout (was None, is 'a')"),
    ],
)
def test_another_run_is_refused(out, run, message):
    begin(out)
    with pytest.raises(OutputError) as caught:
        open_journal(out, run, resume=True)
    assert message in str(caught.value)
    assert part_of(out).read_text(encoding="utf-8") == TEXT


@pytest.mark.parametrize(
    ("note", "message"),
    [(None, "lacks out.jsonl.part.json"), ("{", "not JSON"), ("[]", "not the note of a run")],
)
def test_records_of_an_unknown_run_are_refused(out, note, message):
    begin(out)
    if note is None:
        run_of(out).unlink()
    else:
        run_of(out).write_text(note)
    with pytest.raises(OutputError, match=message):
        open_journal(out, RUN, resume=True)


@pytest.mark.parametrize("line", ["nonsense", '{"x": 1}', "3", '{"line": "4"}'])
def test_a_damaged_last_record_is_refused(out, line):
    begin(out)
    with part_of(out).open("a") as part:
        part.write(line + "\n")
    with pytest.raises(OutputError, match="the last record"):
        open_journal(out, RUN, resume=True)


def test_two_processes_do_not_write_one_journal(out):
    with open_journal(out, RUN, resume=False) as journal:
        journal.append(RECORDS)
        with pytest.raises(OutputError, match="written by another process"):
            open_journal(out, RUN, resume=True)


def test_records_out_of_order_are_our_bug(out):
    with open_journal(out, RUN, resume=False) as journal:
        journal.append(RECORDS)
        with pytest.raises(AssertionError, match="input order"):
            journal.append(RECORDS[-1:])


# -- the end ----------------------------------------------------------------------------------


def test_an_output_that_appeared_meanwhile_is_kept(out):
    with open_journal(out, RUN, resume=False) as journal:
        journal.append(RECORDS)
        out.write_text("mine")
        with pytest.raises(OutputError, match="has appeared during the run"):
            journal.finish()
    assert out.read_text() == "mine"
    out.unlink()
    with open_journal(out, RUN, resume=True) as journal:
        journal.finish()
    assert out.read_text(encoding="utf-8") == TEXT


def test_a_converted_result_replaces_the_records(out):
    with open_journal(out, RUN, resume=False) as journal:
        journal.append(RECORDS)
        journal.finish(lambda part, result: result.write_text(str(len(part.read_bytes()))))
    assert out.read_text() == str(len(TEXT.encode()))
    assert names(out) == ["out.jsonl"]


def test_a_conversion_that_fails_keeps_the_records(out):
    def fail(part, result):
        result.write_text("half")
        raise OSError(28, "No space left on device")

    with open_journal(out, RUN, resume=False) as journal:
        journal.append(RECORDS)
        with pytest.raises(OutputError, match="No space left"):
            journal.finish(fail)
    assert not out.exists()
    with open_journal(out, RUN, resume=True) as journal:
        journal.finish(lambda part, result: result.write_text("whole"))
    assert names(out) == ["out.jsonl"]


def test_a_kill_at_any_step_of_the_end_can_be_resumed(out, monkeypatch):
    """Every change on disk after the last record is made to fail, one at a time."""

    class Killed(BaseException):
        pass

    steps = [(os, "fsync"), (type(out), "rename"), (type(out), "unlink")]
    for kill_at in range(20):
        for name in names(out):
            (out.parent / name).unlink()
        begin(out)
        left = [kill_at]

        def killing(real, left=left):
            def step(*args, **kwargs):
                left[0] -= 1
                if left[0] < 0:
                    raise Killed
                return real(*args, **kwargs)

            return step

        journal = open_journal(out, RUN, resume=True)
        with monkeypatch.context() as patch:
            for owner, name in steps:
                patch.setattr(owner, name, killing(getattr(owner, name)))
            try:
                journal.finish()
            except Killed:
                survived = False
            else:
                survived = True
        journal._file.close()
        if survived:
            break
        again = open_journal(out, RUN, resume=True) if names(out) != ["out.jsonl"] else None
        if again is not None:
            with again:
                again.finish()
        assert out.read_text(encoding="utf-8") == TEXT
        assert names(out) == ["out.jsonl"]
    assert kill_at > 3, "the end has several steps"


# -- a disk that fails ------------------------------------------------------------------------


def test_a_full_disk_is_an_output_error_and_keeps_what_was_written(out):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    records = [{"line": line, "x": "y" * 100} for line in range(1, 100)]
    with open_journal(out, RUN, resume=False) as journal:
        journal.append(records[:10])
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))  # in the middle of a record
        try:
            with pytest.raises(
                OutputError, match=r"cannot write .*out\.jsonl\.part: File too large"
            ):
                journal.append(records[10:])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert journal.last_line == 10
    assert part_of(out).stat().st_size == 2000
    with open_journal(out, RUN, resume=True) as journal:
        journal.append(records[journal.last_line :])
        journal.finish()
    assert [json.loads(line) for line in out.read_text().splitlines()] == records


def test_a_missing_folder_is_an_output_error(tmp_path):
    with pytest.raises(OutputError, match="No such file or directory"):
        open_journal(tmp_path / "gone" / "out.jsonl", RUN, resume=False)
