"""`steelyard calibrate`, `verify` and `card` on answers whose truth is known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.known_engine import KnownEngine, write_tickets

import steelyard
from steelyard.calibration.stored import read_calibration
from steelyard.calibration.temperature import Temperature
from steelyard.cli.calibrate import read_maps
from steelyard.cli.main import run
from steelyard.errors import RequestError
from steelyard.types.codec import dumps, encode_question
from steelyard.types.question import Choice, Noul, Question

QUESTIONS: dict[str, Question] = {
    "queue": Choice("Which team?", ["billing", "technical", "sales"]),
    "urgent": Noul("Is it urgent?"),
}
SIZES = {"queue": 3, "urgent": 2}
COMMAND = ["calibrate", "-d", "tickets.csv", "-q", "questions.json", "-o", "fitted"]


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[KnownEngine]:
    loaded: list[KnownEngine] = []

    def load(model: str, **options: object) -> KnownEngine:
        assert options["calibrated"] is False
        loaded.append(KnownEngine())
        return loaded[-1]

    monkeypatch.setitem(vars(steelyard), "load", load)
    monkeypatch.chdir(tmp_path)
    text = dumps({name: encode_question(question) for name, question in QUESTIONS.items()})
    Path("questions.json").write_text(text)
    write_tickets(Path("tickets.csv"), QUESTIONS, SIZES, 400, temperature=8.0)
    return loaded


def test_a_table_becomes_a_calibration_that_keeps_its_promises(
    engines: list[KnownEngine], capsys: pytest.CaptureFixture[str]
) -> None:
    write_tickets(Path("tickets.csv"), QUESTIONS, SIZES, 800, temperature=8.0)
    assert run([*COMMAND, "--sets", "lac", "--act-risk", ".1", "--ask-risk", ".3"]) == 0
    shown = capsys.readouterr().out
    assert "better" in shown and "choice of 3 to 5 options at layer 30: temperature" in shown
    fitted = read_calibration(Path("fitted"))
    for one in fitted.calibrator.maps.values():
        assert isinstance(one, Temperature) and one.temperature == pytest.approx(8.0, rel=0.4)
    assert fitted.card.rows == 1600 and fitted.card.groups == 800
    effect = json.loads(Path("fitted/effect.json").read_text())
    assert [one["kind"] for one in effect] == ["noul", "choice"]
    assert effect[0]["nll"]["verdict"] == "better"
    assert engines[0].closed

    assert run(["card", "fitted"]) == 0
    assert fitted.digest[:40] in capsys.readouterr().out.replace("\n", "")
    assert run(["card", "fitted", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["version"] == 1

    write_tickets(Path("fresh.csv"), QUESTIONS, SIZES, 300, temperature=8.0, seed=1)
    fresh = ["verify", "fitted", "-d", "fresh.csv", "-q", "questions.json"]
    assert run([*fresh, "--answers", "fresh.jsonl", "--json"]) == 0
    for kept in json.loads(capsys.readouterr().out):
        assert kept["sets"]["missing"]["interval"][0] < 0.1
        assert kept["actions"]["act_errors"]["interval"][0] < 0.1
        assert kept["actions"]["act"]["value"] > 0.2
    assert run([*fresh, "--answers", "fresh.jsonl"]) == 0  # answered already
    assert "wrong among them" in capsys.readouterr().out
    assert engines[-1].calls == []


@pytest.mark.parametrize("targets", ["soft", "hard"])
def test_rows_that_taught_it_are_no_proof(
    targets: str, engines: list[KnownEngine], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*COMMAND, "--sets", "aps", "--targets", targets]) == 0
    write_tickets(Path("fresh.csv"), QUESTIONS, SIZES, 300, temperature=8.0, seed=1)
    for name, warned in (("tickets", True), ("fresh", False)):
        check = ["verify", "fitted", "-d", f"{name}.csv", "-q", "questions.json", "--json"]
        assert run([*check, "--answers", f"{name}.jsonl"]) == 0
        said = capsys.readouterr()
        assert ("warning: tickets.csv taught this calibration" in said.err) == warned
        assert len(json.loads(said.out[said.out.index("[{") :])) == 2


def test_answers_are_kept_and_serve_another_choice(
    engines: list[KnownEngine], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*COMMAND, "--map", "smooth"]) == 0
    again = ["-o", "other", "--answers", "fitted/answers.jsonl", "--map", "noul=platt"]
    assert run([*COMMAND[:-2], *again]) == 0
    assert engines[0].calls and not engines[1].calls
    names = {type(one).__name__ for one in read_calibration(Path("other")).calibrator.maps.values()}
    assert names == {"Temperature", "Platt"}
    assert run(COMMAND) == 1
    assert "exists already" in capsys.readouterr().err
    assert len(engines) == 2  # refused before anything is loaded


def test_what_cannot_be_is_refused(
    engines: list[KnownEngine], capsys: pytest.CaptureFixture[str]
) -> None:
    write_tickets(Path("tickets.csv"), QUESTIONS, SIZES, 50)
    assert run(COMMAND) == 1
    assert "50 rows; needed: 100" in capsys.readouterr().err
    assert not Path("fitted/calibration.json").exists()
    for wrong, message in (
        (["--map", "queue=platt"], "--map: got 'queue=platt'; allowed: noul, choice, score"),
        (["--label", "queue"], "--label: got 'queue'; allowed: ID=COLUMN"),
        (["--act-risk", ".1"], "act_risk: one of"),
        (["--act-risk", ".3", "--ask-risk", ".1"], "ask_risk: got 0.1; allowed: above act_risk"),
        (["--seed", "-1"], "'--seed'"),
        (["--state", "a", "--template", "{b}"], "--template: given together"),
    ):
        assert run([*COMMAND, *wrong]) == 2
        assert message in capsys.readouterr().err
    assert run(["calibrate", "-d", "tickets.csv", "-o", "x", "--group", "id"]) == 2
    assert "--group: needs --questions" in capsys.readouterr().err
    assert run(["card", "nowhere"]) == 2


def test_a_calibration_of_another_model_is_refused_before_anything_is_asked(
    engines: list[KnownEngine], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(COMMAND) == 0
    monkeypatch.setattr(KnownEngine, "digest", "e" * 64)
    words = [
        "verify",
        "fitted",
        "-d",
        "tickets.csv",
        "-q",
        "questions.json",
        "--answers",
        "a.jsonl",
    ]
    assert run(words) == 1
    assert "model: the calibration was fitted on ffff" in capsys.readouterr().err
    assert not engines[-1].calls and not Path("a.jsonl").exists()


def test_maps_are_named_for_all_kinds_or_for_one() -> None:
    assert read_maps([]) == {"noul": "temperature", "choice": "temperature", "score": "temperature"}
    assert read_maps(["smooth", "noul=isotonic"]) == {
        "noul": "isotonic", "choice": "smooth", "score": "smooth",
    }  # fmt: skip
    assert read_maps(["platt"])["choice"] == "temperature"
    with pytest.raises(RequestError, match="--map"):
        read_maps(["rank=tied"])
