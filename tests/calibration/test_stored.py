"""A calibration survives JSON as it is, and nothing else is taken for one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.forecasts import readings

from steelyard.calibration.actions import fit_actions
from steelyard.calibration.card import Card, data_digest
from steelyard.calibration.committed import CommittedNoul
from steelyard.calibration.conformal import fit_conformal
from steelyard.calibration.slots import ANY_COUNT
from steelyard.calibration.slotted import SlottedCalibrator, fit_slotted, joined
from steelyard.calibration.stored import (
    FILE_NAME,
    Calibration,
    dumps_calibration,
    loads_calibration,
    read_calibration,
    write_calibration,
)
from steelyard.calibration.temperature import fit_constant
from steelyard.calibration.tied import fit_tied
from steelyard.errors import CapabilityError, InputFileError, OutputError, RequestError, ShapeError
from steelyard.readout.scores import softmax

ROWS = readings(120, options=(3, 4))
CARD = Card(
    data=data_digest(ROWS),
    rows=120,
    groups=120,
    teaching=60,
    targets="hard",
    model="a" * 64,
    layout="b" * 64,
    readout="letters",
    rotations=1,
    reread_below=0.0,
    exit_layers=(4, 8),
)
MAPS = joined(
    fit_slotted(ROWS, fit_constant),
    fit_slotted(readings(120, kind="score", layer=4), fit_tied, ranges=ANY_COUNT),
)
FORECASTS = [softmax(one.scores) for one in ROWS]
CALIBRATION = Calibration(
    card=CARD,
    calibrator=MAPS,
    committed=CommittedNoul(0.777, 0.4, after=MAPS.digest),
    sets=(fit_conformal(ROWS, FORECASTS, method="aps", alpha=0.1),),
    actions=fit_actions(ROWS, FORECASTS, act_risk=0.1, ask_risk=0.5),
)


def test_json_gives_back_an_equal_calibration() -> None:
    text = dumps_calibration(CALIBRATION)
    assert loads_calibration(text) == CALIBRATION
    assert dumps_calibration(loads_calibration(text)) == text
    bare = Calibration(card=CARD, calibrator=SlottedCalibrator({}))
    assert loads_calibration(dumps_calibration(bare)) == bare


def test_the_card_refuses_another_model_layout_or_readout() -> None:
    mine = {"model": "a" * 64, "layout": "b" * 64, "readout": "letters"}
    CARD.check(**mine)
    for name in mine:
        with pytest.raises(CapabilityError, match=f"{name}: the calibration was fitted on"):
            CARD.check(**(mine | {name: "another"}))


def test_the_data_digest_knows_the_rows_and_not_their_order() -> None:
    assert data_digest(ROWS[::-1]) == CARD.data
    assert data_digest(ROWS[:-1]) != CARD.data
    assert data_digest([*ROWS[:-1], replace(ROWS[-1], group="other")]) != CARD.data


def _set(*path: str | int, value: object) -> Callable[[Any], None]:
    def change(body: Any) -> None:
        for step in path[:-1]:
            body = body[step]
        body[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_set("version", value=2), "version: got 2; allowed: 1"),
        (_set("version", value=True), "version: got True; allowed: 1"),
        (_set("version", value=1.0), "version: got 1.0; allowed: 1"),
        (_set("card", "groups", value=121), "card.groups: got 121; allowed: .* from 1 to 120"),
        (_set("card", "teaching", value=121), "card.teaching: got 121; allowed: .* 0 to 120"),
        (_set("card", "rotations", value=27), "card.rotations: got 27; allowed: .* 1 to 26"),
        (_set("card", "reread_below", value=7), "card.reread_below: got 7.0; allowed: 0.0 to 1"),
        (_set("card", "reread_below", value=-0.1), "card.reread_below: got -0.1; allowed: 0.0 to"),
        (_set("maps", 0, "temperature", value=1e-320), "maps.0.temperature: got 1e-320; allowed"),
        (_set("maps", 0, "temperature", value=21), "maps.0.temperature: got 21.0; allowed"),
        (_set("maps", 1, "a", value=1e308), r"maps.1.a: got 1e\+308; allowed: a number from"),
        (_set("maps", 1, "a", value=10**309), "maps.1.a: got 10+; allowed: a number from"),
        (_set("committed", "temperature", value=1e-320), "committed.temperature: got 1e-320"),
        (_set("more", value=1), "calibration.more: unknown"),
        (lambda body: body.pop("card"), "calibration.card: missing"),
        (_set("card", "data", value="abc"), "card.data: got 'abc'; allowed: 64 hexadecimal"),
        (_set("card", "rows", value=0), "card.rows: got 0; allowed: an integer from 1"),
        (_set("card", "targets", value="both"), "card.targets: got 'both'; allowed: soft, hard"),
        (_set("card", "exit_layers", value=[8, 4]), "card.exit_layers: got .*ascending"),
        (_set("maps", 0, "form", value="spline"), "maps.0.form: got 'spline'; allowed: temperat"),
        (_set("maps", 0, "temperature", value=0), "maps.0.temperature: got 0.0; allowed: 0.05 to"),
        (_set("maps", 0, "temperature", value=True), "maps.0.temperature: got True; allowed"),
        (_set("maps", 0, "slot", "kind", value="rank"), "maps.0.slot.kind: got 'rank'"),
        (_set("maps", 0, "slot", "most", value=1), "maps.0.slot.most: got 1"),
        (_set("maps", 1, "biases", value=[0, "x"]), "maps.1.biases.1: got 'x'"),
        (_set("committed", "boundary", value=0.6), "committed.boundary: got 0.6; allowed: 0.2 to"),
        (_set("committed", "temperature", value=-1), "committed.temperature: got -1.0"),
        (lambda body: body["maps"].append(body["maps"][0]), "maps.2.slot: choice of 3 to 5 .* ov"),
        (_set("committed", "after", value="c" * 64), "committed.after: got 'c.*; allowed: "),
        (_set("sets", 0, "method", value="mass"), "sets.0.method: got 'mass'; allowed: lac, aps"),
        (_set("sets", 0, "method", value="interval"), "sets.0.cuts.0.slot: got a choice; allowed"),
        (_set("sets", 0, "alpha", value=1), "sets.0.alpha: got 1.0; allowed: above 0, below 1"),
        (
            lambda body: body["sets"].append(body["sets"][0]),
            "sets.1.cuts.0.slot: choice .* overlaps",
        ),
        (_set("actions", 0, "ask", "threshold", value=1), "actions.0.ask.threshold: got 1.0"),
        (_set("actions", 0, "act", "errors", value=999), "actions.0.act: 999 errors of"),
    ],
)
def test_what_is_no_calibration_is_refused(change: Callable[[Any], None], message: str) -> None:
    body = json.loads(dumps_calibration(CALIBRATION))
    change(body)
    with pytest.raises(InputFileError, match=message):
        loads_calibration(json.dumps(body))


def test_a_file_or_its_folder_gives_it_back(tmp_path: Path) -> None:
    write_calibration(CALIBRATION, tmp_path / FILE_NAME)
    assert read_calibration(tmp_path) == read_calibration(tmp_path / FILE_NAME) == CALIBRATION
    with pytest.raises(OutputError, match="exists already"):
        write_calibration(CALIBRATION, tmp_path / FILE_NAME)
    with pytest.raises(InputFileError, match="No such file"):
        read_calibration(tmp_path / "nowhere.json")
    (tmp_path / "odd.json").write_text("{}")
    with pytest.raises(InputFileError, match=r"odd\.json: calibration\.version: missing"):
        read_calibration(tmp_path / "odd.json")


def test_the_digest_knows_every_part() -> None:
    others = [
        replace(CALIBRATION, card=replace(CARD, rows=121)),
        replace(CALIBRATION, committed=None),
        replace(CALIBRATION, sets=()),
        replace(CALIBRATION, actions=None),
    ]
    assert len({one.digest for one in (CALIBRATION, *others)}) == 5
    assert loads_calibration(dumps_calibration(CALIBRATION)).digest == CALIBRATION.digest


def test_randomised_sets_are_not_stored() -> None:
    drawn = fit_conformal(ROWS, FORECASTS, method="aps", alpha=0.1, randomised=True)
    with pytest.raises(ShapeError, match="randomised"):
        replace(CALIBRATION, sets=(drawn,))


def test_lax_json_is_refused() -> None:
    with pytest.raises(RequestError):
        loads_calibration(dumps_calibration(CALIBRATION).replace("{", '{"more": NaN, ', 1))
