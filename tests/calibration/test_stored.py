"""A calibration survives JSON as it is, and nothing else is taken for one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from support.forecasts import readings

from steelyard.calibration.card import Card, data_digest
from steelyard.calibration.committed import CommittedNoul
from steelyard.calibration.slots import ANY_COUNT
from steelyard.calibration.slotted import fit_slotted, joined
from steelyard.calibration.stored import Calibration, dumps_calibration, loads_calibration
from steelyard.calibration.temperature import fit_constant
from steelyard.calibration.tied import fit_tied
from steelyard.errors import CapabilityError, InputFileError, RequestError

ROWS = readings(120, options=(3, 4))
CARD = Card(
    data=data_digest(ROWS),
    rows=120,
    groups=120,
    targets="hard",
    model="a" * 64,
    layout="b" * 64,
    readout="letters",
    exit_layers=(4, 8),
)
CALIBRATION = Calibration(
    card=CARD,
    calibrator=joined(
        fit_slotted(ROWS, fit_constant),
        fit_slotted(readings(120, kind="score", layer=4), fit_tied, ranges=ANY_COUNT),
    ),
    committed=CommittedNoul(0.777, 0.4, after="c" * 64),
)


def test_json_gives_back_an_equal_calibration() -> None:
    text = dumps_calibration(CALIBRATION)
    assert loads_calibration(text) == CALIBRATION
    assert dumps_calibration(loads_calibration(text)) == text
    bare = replace(CALIBRATION, committed=None)
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
        (_set("more", value=1), "calibration.more: unknown"),
        (lambda body: body.pop("card"), "calibration.card: missing"),
        (_set("card", "data", value="abc"), "card.data: got 'abc'; allowed: 64 hexadecimal"),
        (_set("card", "rows", value=0), "card.rows: got 0; allowed: an integer from 1"),
        (_set("card", "targets", value="both"), "card.targets: got 'both'; allowed: soft, hard"),
        (_set("card", "exit_layers", value=[8, 4]), "card.exit_layers: got .*ascending"),
        (_set("maps", 0, "form", value="spline"), "maps.0.form: got 'spline'; allowed: temperat"),
        (_set("maps", 0, "temperature", value=0), "maps.0.temperature: got 0.0; allowed: above 0"),
        (_set("maps", 0, "temperature", value=True), "maps.0.temperature: got True; allowed"),
        (_set("maps", 0, "slot", "kind", value="rank"), "maps.0.slot.kind: got 'rank'"),
        (_set("maps", 0, "slot", "most", value=1), "maps.0.slot.most: got 1"),
        (_set("maps", 1, "biases", value=[0, "x"]), "maps.1.biases.1: got 'x'"),
        (_set("committed", "boundary", value=0.6), "committed.boundary: got 0.6; allowed: 0.2 to"),
        (_set("committed", "temperature", value=-1), "committed.temperature: got -1.0"),
        (lambda body: body["maps"].append(body["maps"][0]), "a second map for choice of 3 to 5"),
    ],
)
def test_what_is_no_calibration_is_refused(change: Callable[[Any], None], message: str) -> None:
    body = json.loads(dumps_calibration(CALIBRATION))
    change(body)
    with pytest.raises(InputFileError, match=message):
        loads_calibration(json.dumps(body))


def test_lax_json_is_refused() -> None:
    with pytest.raises(RequestError):
        loads_calibration(dumps_calibration(CALIBRATION).replace("{", '{"more": NaN, ', 1))
