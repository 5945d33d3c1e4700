"""The audit file: nothing that was told is missing, and nothing is told that is not in it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.fake_engine import FakeEngine, fake_response
from support.service import BODY, NOUL, client

from steelyard.errors import InputFileError
from steelyard.server.audit import AuditLog, Decision, read_decisions, record
from steelyard.server.health import NOT_RECORDED
from steelyard.server.replay import replay
from steelyard.types.codec import decode_request, dumps, encode_response
from steelyard.types.request import Request

REQUEST = decode_request(BODY)


def decision(number: int, whole: bool = True, request: Request = REQUEST) -> Decision:
    return record(
        request,
        fake_response(request),
        id=f"call.{number}",
        key="-",
        route="/v1/systemone",
        queue_ms=0.5,
        compute_ms=1.5,
        whole=whole,
    )


def write(path: Path, *decisions: Decision) -> None:
    async def run() -> None:
        async with AuditLog(path) as log:
            await asyncio.gather(*(log.append([one]) for one in decisions))

    asyncio.run(run())


def ask(path: Path, *calls: tuple[str, Any], **config: Any) -> list[httpx.Response]:
    async def run() -> list[httpx.Response]:
        async with client(audit=path, **config) as one:
            return [await one.post(route, json=body) for route, body in calls]

    return asyncio.run(run())


def test_what_is_appended_is_read_back_in_its_order(tmp_path: Path) -> None:
    decisions = [decision(n) for n in range(50)]
    write(tmp_path / "a.db", *decisions[:30])
    write(tmp_path / "a.db", *decisions[30:])
    assert list(read_decisions(tmp_path / "a.db")) == decisions
    assert list(read_decisions(tmp_path / "a.db", last=3)) == decisions[-3:]


def test_digests_are_kept_and_requests_only_if_asked() -> None:
    text = dumps({"state": BODY["state"], "questions": BODY["questions"]})
    for whole in (False, True):
        kept = decision(0, whole)
        assert kept.request_sha256 == hashlib.sha256(text.encode()).hexdigest()
        assert kept.request == (text if whole else None)
    assert "charged twice" not in str(decision(0, whole=False))


def test_every_state_of_a_call_is_recorded_before_it_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    batch = {"states": ["one", "two"], "questions": {"q": NOUL}}
    first, second, bad = ask(
        path, ("/v1/systemone", {"model": "jev-latest", **BODY}), ("/v1/systemone/batch", batch),
        ("/v1/systemone", {"state": "refuse me", "questions": {"q": NOUL}}),
    )  # fmt: skip
    assert [one.status_code for one in (first, second, bad)] == [200, 200, 422]
    kept = list(read_decisions(path))
    ids = [one.headers["x-request-id"] for one in (first, second, second)]
    assert [one.id for one in kept] == [f"{ids[0]}.0", f"{ids[1]}.0", f"{ids[2]}.1"]
    assert [one.route for one in kept] == ["/v1/systemone", *["/v1/systemone/batch"] * 2]
    assert (
        json.loads(kept[0].response)["answers"]["urgent"]["noul"]
        == (first.json()["answers"]["urgent"]["noul"])
    )
    assert kept[0].request is None
    assert ask(path, ("/v1/systemone", BODY), audit_requests=True)[0].status_code == 200
    [newest] = read_decisions(path, last=1)
    assert newest.request is not None and json.loads(newest.request) == BODY
    assert newest.request_sha256 == kept[0].request_sha256


def test_an_answer_that_cannot_be_recorded_is_not_told(tmp_path: Path) -> None:
    path = tmp_path / "a.db"

    async def run() -> httpx.Response:
        async with client(audit=path) as one:
            with closing(sqlite3.connect(path)) as file:
                file.execute("DROP TABLE decision")
            return await one.post("/v1/systemone", json=BODY)

    response = asyncio.run(run())
    assert response.status_code == 503
    assert "recorded" in response.json()["detail"]["message"]


def test_a_file_that_cannot_be_written_degrades_the_health_until_it_can(tmp_path: Path) -> None:
    path = tmp_path / "a.db"

    async def run() -> list[dict[str, Any]]:
        seen = []
        async with client(audit=path) as one:
            with closing(sqlite3.connect(path)) as file:
                for command in (
                    "ALTER TABLE decision RENAME TO d",
                    "ALTER TABLE d RENAME TO decision",
                ):
                    seen.append((await one.get("/health")).json())
                    file.execute(command)
                    await one.post("/v1/systemone", json=BODY)
            seen += [(await one.get("/health")).json()]
        return seen

    good, bad, again = asyncio.run(run())
    assert (good["status"], bad["status"], again["status"]) == ("ok", "degraded", "ok")
    assert bad["troubles"] == [NOT_RECORDED]


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_is_deleted_under_way_is_noticed(tmp_path: Path, replaced: bool) -> None:
    path, other = tmp_path / "a.db", tmp_path / "b.db"
    write(other)

    async def run() -> list[int]:
        async with client(audit=path) as one:
            before = await one.post("/v1/systemone", json=BODY)
            path.unlink()
            if replaced:
                other.rename(path)
            after = await one.post("/v1/systemone", json=BODY)
        return [before.status_code, after.status_code]

    assert asyncio.run(run()) == [200, 503]


def test_reading_writes_nothing(tmp_path: Path) -> None:
    folder, empty = tmp_path / "folder", tmp_path / "empty.db"
    empty.touch()
    with pytest.raises(InputFileError, match="not an audit file"):
        list(read_decisions(empty))
    assert empty.stat().st_size == 0
    folder.mkdir()
    kept = decision(0)
    write(folder / "a.db", kept)
    before = (folder / "a.db").read_bytes()
    assert list(read_decisions(folder / "a.db")) == [kept]
    assert (folder / "a.db").read_bytes() == before


def test_a_file_on_a_read_only_mount_is_read(tmp_path: Path, monkeypatch: Any) -> None:
    kept = decision(0)
    write(tmp_path / "a.db", kept)
    # The mode binds no superuser, so what SQLite could not make is looked for instead.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    tmp_path.chmod(0o555)
    try:
        assert list(read_decisions(tmp_path / "a.db")) == [kept]
    finally:
        tmp_path.chmod(0o755)
    assert [one.name for one in tmp_path.iterdir()] == ["a.db"]


def test_other_files_are_refused(tmp_path: Path) -> None:
    text, other = tmp_path / "text", tmp_path / "other.db"
    text.write_text("no database, but long enough to be looked at" * 20)
    with closing(sqlite3.connect(other)) as file:
        file.execute("CREATE TABLE x (y)")
    for path in (text, other, tmp_path / "absent.db", tmp_path):
        with pytest.raises(InputFileError, match=str(path)):
            list(read_decisions(path))
    with pytest.raises(InputFileError):
        write(tmp_path / "no" / "folder.db")


WRITER = """
import asyncio, sys
from pathlib import Path
from steelyard.server.audit import AuditLog, Decision

async def run():
    async with AuditLog(Path(sys.argv[1])) as log:
        for n in range(10**9):
            await log.append([Decision(id=str(n), at="", key="-", route="", request_sha256="",
                                       request=None, response="{}", queue_ms=0.0, compute_ms=0.0)])
            print(n, flush=True)

asyncio.run(run())
"""


def test_kill_9_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for _ in range(20):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    rest = [line for line in process.stdout.read().splitlines() if line]
    process.wait()
    process.stdout.close()
    last = int(rest[-1]) if rest else 19
    kept = [int(one.id) for one in read_decisions(path)]
    assert kept == list(range(len(kept)))
    assert len(kept) > last


# -- replay -----------------------------------------------------------------------------------

MANY = decode_request(
    {
        "state": "I was charged twice.",
        "questions": {
            "urgent": NOUL,
            "queue": {"type": "choice", "criteria": {"billing": None, "legal": "Law"}},
            "anger": {"type": "score", "instructions": "How angry?", "criteria": ["not", "very"]},
        },
    }
)


def test_the_same_engine_gives_the_same_answers() -> None:
    [one] = replay(iter([decision(0, request=MANY)]), FakeEngine(), bound=0.0)
    assert (one.skipped, one.basis, one.differences, one.largest) == (None, (), (), 0.0)


def test_what_moved_beyond_the_bound_is_said_with_what_it_rests_on() -> None:
    kept = decision(0, request=MANY)
    before = json.loads(kept.response)
    before["answers"]["urgent"]["noul"] += 0.25
    before["answers"]["queue"]["choice"] = "another"
    before["answers"]["queue"]["x_margin"] = 5.0
    before["x_audit"]["weights"] = "other"
    changed = Decision(**{**_fields(kept), "response": json.dumps(before)})
    [one] = replay(iter([changed]), FakeEngine(), bound=0.001)
    assert one.basis == ("weights",)
    assert one.largest == pytest.approx(0.25)
    now = encode_response(fake_response(MANY))["answers"]
    assert isinstance(now, dict)
    assert [said.partition(":")[0] for said in one.differences] == [
        "answers.urgent.noul",
        "answers.queue.choice",
    ]
    [lenient] = replay(iter([changed]), FakeEngine(), bound=0.3)
    assert [said.partition(":")[0] for said in lenient.differences] == ["answers.queue.choice"]


def test_what_cannot_be_asked_again_is_skipped_with_its_reason() -> None:
    decisions = [decision(0, whole=False), decision(1)]
    outcomes = list(replay(iter(decisions), FakeEngine(name="another")))
    assert [one.skipped for one in outcomes] == [
        "only the digest of its request was recorded",
        "it was made by fake",
    ]


def _fields(one: Decision) -> dict[str, Any]:
    return {name: getattr(one, name) for name in Decision.__dataclass_fields__}
