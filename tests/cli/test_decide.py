"""`steelyard decide` without a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.fake_engine import UNTRAINED, FakeEngine, fake_response
from typer.testing import CliRunner

import steelyard
from steelyard.cli.main import app
from steelyard.errors import InputFileError, RequestError
from steelyard.types.codec import encode_response
from steelyard.types.question import Noul
from steelyard.types.request import Request

URGENT = {"urgent": Noul("Urgent?")}
FLAG = ["--noul", "urgent=Urgent?"]


@pytest.fixture
def loaded(monkeypatch):
    """What `steelyard.load` was called with, and the engines it gave."""
    calls = []

    def load(model, **options):
        calls.append((model, options, FakeEngine()))
        return calls[-1][2]

    monkeypatch.setitem(vars(steelyard), "load", load)
    return calls


def decide(*arguments, stdin=None):
    """The result; errors raised on purpose come out as exceptions, as `main.run` sees them."""
    return CliRunner().invoke(
        app, ["decide", *arguments], input=stdin, catch_exceptions=False, standalone_mode=False
    )


def body(result):
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


def expected(state, questions=URGENT, digits=None):
    return encode_response(fake_response(Request(state, questions)), extras=True, digits=digits)


def test_json_is_one_line_of_the_wire_body(loaded):
    result = decide("Café is down", *FLAG, "--json")
    assert body(result) == expected("Café is down")
    assert result.stderr == f"warning: {UNTRAINED}\n"
    assert loaded[0][2].closed


def test_people_get_bars(loaded):
    result = decide("x", *FLAG, "--choice", "queue=Which?:a=First|b", "--score", "s=How?:low|high")
    for text in ("urgent", "yes", "queue", "confidence", "s  score", "0 low", "fake"):
        assert text in result.stdout
    assert "warning" not in result.stdout


@pytest.mark.parametrize(
    ("state", "read"),
    [
        (b"from a pipe\n", "from a pipe"),
        (b"two\nlines\r\n\n", "two\nlines"),
        (b"\xef\xbb\xbfmark", "mark"),
        ("ü雪".encode(), "ü雪"),
    ],
)
def test_the_state_comes_from_a_pipe_or_a_file(loaded, tmp_path, state, read):
    assert body(decide("-", *FLAG, "--json", stdin=state)) == expected(read)
    (tmp_path / "state.txt").write_bytes(state)
    result = decide("--state-file", str(tmp_path / "state.txt"), *FLAG, "--json")
    assert body(result) == expected(read)


def test_a_json_state(loaded):
    assert body(decide('{"a": [1]}', "--json-state", *FLAG, "--json")) == expected({"a": [1]})
    assert body(decide('{"a": [1]}', *FLAG, "--json")) == expected('{"a": [1]}')


def test_questions_from_a_file_and_flags_together(loaded, tmp_path):
    path = tmp_path / "q.yaml"
    path.write_text("late: {type: noul, instructions: 'Late?'}")
    result = decide("x", "--questions", str(path), *FLAG, "--json")
    assert body(result) == expected("x", {"late": Noul("Late?"), **URGENT})


def test_a_request_file_brings_a_state_that_the_command_line_replaces(loaded, tmp_path):
    path = tmp_path / "request.json"
    questions = {"urgent": {"type": "noul", "instructions": "Urgent?"}}
    path.write_text(json.dumps({"state": "filed", "questions": questions}))
    assert body(decide("-q", str(path), "--json")) == expected("filed")
    assert body(decide("given", "-q", str(path), "--json")) == expected("given")


def test_digits_round(loaded):
    assert body(decide("x", *FLAG, "--json", "--digits", "2")) == expected("x", digits=2)


@pytest.mark.parametrize(("word", "depth"), [("adaptive", "adaptive"), ("12", 12)])
def test_options_reach_the_engine(loaded, monkeypatch, word, depth):
    given = {}
    monkeypatch.setattr(
        FakeEngine,
        "decide",
        lambda self, state, questions, **options: (
            given.update(options) or fake_response(Request(state, questions))
        ),
    )
    decide(
        "x", *FLAG, "--model", "big", "--runtime", "torch", "--device", "cuda", "--dtype",
        "bfloat16", "--threads", "2", "--readout", "letters", "--layout", "sandwich-v1",
        "--rotations", "3", "--reread-below", "0.1", "--depth", word, "-c", "fitted",
    )  # fmt: skip
    model, options, _ = loaded[0]
    assert model == "big"
    assert options == {
        "runtime": "torch", "device": "cuda", "dtype": "bfloat16", "threads": 2,
        "readout": "letters", "layout": "sandwich-v1", "calibrated": True,
        "calibration": Path("fitted"), "depth": "full",
    }  # fmt: skip
    assert given == {"rotations": 3, "reread_below": 0.1, "depth": depth}


@pytest.mark.parametrize(
    ("arguments", "stdin", "error", "message"),
    [
        (FLAG, None, RequestError, "state: missing; give it as an argument"),
        (["x"], None, RequestError, "questions: none; ask with --noul"),
        (["x", "--state-file", "y", *FLAG], None, RequestError, "state: given twice"),
        (["", *FLAG], None, RequestError, "state: empty"),
        (["-", *FLAG], b"\n", RequestError, "state: empty"),
        (["-", *FLAG], b"a\xff", InputFileError, "standard input: byte 0xff at offset 1"),
        (["--state-file", "gone.txt", *FLAG], None, InputFileError, "gone.txt: No such file"),
        (["[", "--json-state", *FLAG], None, RequestError, "--json-state: not JSON"),
        (["5", "--json-state", *FLAG], None, RequestError, "--json-state: state: got the number 5"),
        (['{"a":NaN}', "--json-state", *FLAG], None, RequestError, "--json-state: the number NaN"),
        (["x", "--choice", "queue=Which?"], None, RequestError, "--choice: got 'queue=Which?'"),
        (["x", *FLAG, *FLAG], None, RequestError, "the id 'urgent' is given twice"),
        (["\ud800", *FLAG], None, RequestError, "state: a lone surrogate"),
    ],
)
def test_what_is_asked_wrongly_is_said_before_a_model_is_loaded(
    loaded, arguments, stdin, error, message
):
    with pytest.raises(error) as caught:
        decide(*arguments, stdin=stdin)
    assert message in str(caught.value)
    assert loaded == []


def test_an_id_in_file_and_flags_is_refused(loaded, tmp_path):
    path = tmp_path / "q.json"
    path.write_text('{"urgent": {"type": "noul", "instructions": "?"}}')
    with pytest.raises(RequestError, match=r"'urgent' is also in .*q\.json"):
        decide("x", "-q", str(path), *FLAG)


def test_the_engine_is_closed_when_it_refuses(loaded):
    with pytest.raises(RequestError, match="refused"):
        decide("refuse me", *FLAG)
    assert loaded[0][2].closed


def test_a_big_invalid_input_is_a_short_error(loaded):
    with pytest.raises(RequestError) as caught:
        decide("-", "--json-state", *FLAG, stdin=b"[" * 3_000_000)
    assert len(str(caught.value)) < 300
