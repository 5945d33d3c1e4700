"""A server behind the protocol that runs ask: ours with digests, anybody's without."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.fake_engine import FakeEngine, fake_response

from steelyard.client import PlainResponse
from steelyard.errors import AuthenticationError, RequestError
from steelyard.evaluation.plain_answers import as_response
from steelyard.evaluation.remote import Remote
from steelyard.evaluation.run import Failure, read_predictions, run
from steelyard.types.answer import ChoiceAnswer, NoulAnswer, ScoreAnswer
from steelyard.types.codec import decode_request, encode_response
from steelyard.types.example import Example
from steelyard.types.question import Choice, Noul, Score

ASKED = {
    "late": Noul("Late?"),
    "team": Choice("Which?", ["a", "b", "c"]),
    "level": Score("How?", ["low", "high"]),
}
EXAMPLES = [
    Example(f"state {state}", question, target, "s", f"g{state}", "MIT")
    for question, target in zip(
        ASKED.values(), [(1.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.0)], strict=True
    )
    for state in range(3)
]
Handler = Callable[[httpx.Request], httpx.Response]


def ours(request: httpx.Request) -> httpx.Response:
    asked = decode_request(
        {k: v for k, v in json.loads(request.content).items() if not k.startswith("x_")}
    )
    return httpx.Response(200, json=encode_response(fake_response(asked), extras=True))


def foreign(request: httpx.Request) -> httpx.Response:
    """Two decimals, no extras, and none allowed."""
    body = json.loads(request.content)
    if any(name.startswith("x_") for name in body):
        return httpx.Response(422, json={"detail": "extra fields not permitted"})
    assert body["model"] == "jev-latest"
    told = encode_response(fake_response(decode_request(body), "jev-1"), digits=2)
    return httpx.Response(200, json=told)


def remote(handler: Handler, **how: Any) -> Remote:
    return Remote("http://host", transport=httpx.MockTransport(handler), **how)


def test_our_server_answers_like_its_engine(tmp_path: Path) -> None:
    with remote(ours) as server:
        assert (server.plain, server.name, server.digest) == (False, "fake", "f" * 64)
        there = run(server, "s", EXAMPLES, tmp_path / "a.jsonl")
    here = run(FakeEngine(), "s", EXAMPLES, tmp_path / "b.jsonl")
    assert [one.probabilities for one in there] == [one.probabilities for one in here]
    assert read_predictions(tmp_path / "a.jsonl")[0].weights == "f" * 64


def test_another_server_is_asked_plainly_and_its_rounding_mended(tmp_path: Path) -> None:
    with remote(foreign) as server:
        assert (server.plain, server.name) == (True, "jev-1")
        assert len(server.digest) == 64 and server.digest != "f" * 64
        there = run(server, "s", EXAMPLES, tmp_path / "a.jsonl")
    here = run(FakeEngine(), "s", EXAMPLES, tmp_path / "b.jsonl")
    for one, other in zip(there, here, strict=True):
        assert one.probabilities == pytest.approx(other.probabilities, abs=0.02)
        assert sum(one.probabilities) == pytest.approx(1, abs=1e-6)
        assert one.exit_layer == 0
    assert read_predictions(tmp_path / "a.jsonl")[0].layout == "unknown"


def test_several_calls_at_once_keep_their_order(tmp_path: Path) -> None:
    with remote(ours, concurrency=4) as server:
        there = run(server, "s", EXAMPLES, tmp_path / "a.jsonl")
    here = run(FakeEngine(), "s", EXAMPLES, tmp_path / "b.jsonl")
    assert [one.probabilities for one in there] == [one.probabilities for one in here]
    with pytest.raises(RequestError, match="concurrency"):
        remote(ours, concurrency=0)


def test_no_key_is_told_before_anything_is_asked() -> None:
    calls = []

    def closed(request: httpx.Request) -> httpx.Response:
        calls.append(request)
        return httpx.Response(401, json={"detail": {"error_type": "x", "message": "no key"}})

    with pytest.raises(AuthenticationError, match="no key"):
        remote(closed)
    assert len(calls) == 1


def test_an_address_with_a_password_is_refused() -> None:
    with pytest.raises(RequestError, match="url: a name or password in it"):
        Remote("http://me:secret@host")


def test_a_reply_that_is_none_fails_its_question(tmp_path: Path) -> None:
    def odd(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        reply = foreign(request)
        if body.get("state") == "state 1" and reply.status_code == 200:
            return httpx.Response(200, json=reply.json() | {"answers": {}})
        return reply

    failures: list[Failure] = []
    with remote(odd) as server:
        answered = run(server, "s", EXAMPLES, tmp_path / "a.jsonl", failures=failures)
    assert {one.group for one in answered} == {"g0", "g2"}
    assert {(one.group, one.code) for one in failures} == {("g1", "bad_reply")}


def test_a_server_decides_how_it_reads() -> None:
    with remote(ours) as server, pytest.raises(RequestError, match="rotations"):
        server.decide_many([], rotations=2)


def test_a_plain_reply_takes_the_form_of_ours() -> None:
    shares = {"a": 0.5, "b": 0.3, "c": 0.2}
    told = {"late": {"yes": 0.25, "no": 0.75}, "team": shares, "level": {"0": 0.25, "1": 0.75}}
    plain = PlainResponse(model="m", answers=told, input_tokens=None, output_tokens=3)
    response = as_response(plain, ASKED)
    late, team, level = (response.answers[name] for name in ASKED)
    assert isinstance(late, NoulAnswer) and late.noul == 0.25 and late.basis.margin == 0.5
    assert isinstance(team, ChoiceAnswer) and team.choice == "a"
    assert team.probabilities == shares and team.confidence == pytest.approx((0.5 - 1 / 3) * 1.5)
    assert isinstance(level, ScoreAnswer) and level.score == 0.75
    assert level.basis.readout == "unknown" and level.basis.calibration is None
    assert (response.usage.input_tokens, response.usage.output_tokens) == (0, 3)
