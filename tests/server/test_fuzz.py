"""Hostile calls to a live server; in full: `python -m benchmarks.fuzz`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from benchmarks.fuzz import SERVER, Found, cases, judge, run
from benchmarks.hostile import KINDS, Case, case
from benchmarks.http_client import Reply
from benchmarks.serving import serving

KEPT = sorted(Path(__file__).with_name("hostile").glob("*.json"))
SEED = 11


def test_hostile_calls_are_refused_and_good_ones_beside_them_answered() -> None:
    found = Found()
    some = cases(SEED, 0, 150)
    some = [one for one in some if one.kind != "slow"]
    some += [Case.loads(path.read_text(encoding="utf-8")) for path in KEPT]
    with serving(*SERVER, fake=True) as served:
        asyncio.run(run(served, some, found))
        log = served.log.read_text(encoding="utf-8")
    assert [(one.kind, wrong) for one, wrong in found.failures] == []
    assert "Traceback" not in log
    assert sum(found.by_kind["json"].values()) > 30


def test_a_case_is_the_same_again_and_can_be_kept() -> None:
    one = case(SEED, 3)
    assert one == case(SEED, 3) == Case.loads(one.dumps())
    assert one != case(SEED, 4)


def test_every_kind_of_case_can_be_made() -> None:
    assert {case(SEED, number).kind for number in range(400)} == set(KINDS)


@pytest.mark.parametrize(
    ("reply", "wrong"),
    [
        (Reply(200, {}, b"{}"), ""),
        (Reply(422, {"x-request-id": "1"}, b'{"detail": []}'), ""),
        (Reply(400, {}, b"Invalid HTTP request received."), ""),  # before it was a request
        (Reply(500, {}, b""), "status 500"),
        (Reply(400, {"x-request-id": "1"}, b"<html>"), "an error that is not JSON"),
        (Reply(400, {"x-request-id": "1"}, b"[]"), "an error of no known form"),
    ],
)
def test_what_must_not_come_back_is_seen(reply: Reply, wrong: str) -> None:
    assert judge(Case("json", "/", ()), [reply]) == wrong
    assert judge(Case("json", "/", ()), []) == "no reply"
    assert judge(Case("line", "/", (), must_reply=False), []) == ""
