"""A whole calibration: what teaches what, what is refused, and what the card says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.forecasts import readings

from steelyard.calibration.readings import Reading
from steelyard.calibration.recipe import NONE, Origin, Recipe, fit_calibration
from steelyard.calibration.slotted import SlottedCalibrator, served
from steelyard.calibration.stored import dumps_calibration, loads_calibration
from steelyard.calibration.temperature import Temperature
from steelyard.errors import RequestError, TooFewRowsError
from steelyard.readout.scores import softmax

ORIGIN = Origin(model="a" * 64, layout="b" * 64, readout="letters")
NO_MAPS = dict.fromkeys(("noul", "choice", "score"), NONE)


def rows(n: int, kind: str = "choice", temperature: float = 3.0, seed: int = 0) -> list[Reading]:
    made = readings(
        n, kind=kind, options=(2 if kind == "noul" else 4,), temperature=temperature, seed=seed
    )
    return [replace(one, group=f"{kind}{one.group}") for one in made]


MIXED = rows(240) + rows(240, "noul", seed=1) + rows(240, "score", seed=2)
EVERYTHING = Recipe(sets="aps", act_risk=0.3, ask_risk=0.6, committed=False)


def test_maps_and_guarantees_learn_from_different_groups() -> None:
    fitted = fit_calibration(MIXED, EVERYTHING, ORIGIN, draws=20)
    calibration = fitted.calibration
    card = calibration.card
    assert (card.rows, card.groups, card.teaching) == (720, 720, 360)
    assert (card.model, card.readout, card.exit_layers) == ("a" * 64, "letters", (8,))
    held = sum(cut.rows for sets in calibration.sets for cut in sets.cuts.values())
    assert held == 360
    assert calibration.actions is not None
    assert sum(both.act.rows for both in calibration.actions.slots.values()) == 360
    for fitted_map in calibration.calibrator.maps.values():
        assert isinstance(fitted_map, Temperature)
        assert fitted_map.temperature == pytest.approx(3.0, rel=0.5)
    assert [one.kind for one in fitted.effects] == ["noul", "choice", "score"]
    assert all(one.nll.after.value < one.nll.before.value for one in fitted.effects)
    assert {sets.method for sets in calibration.sets} == {"aps", "interval"}
    assert loads_calibration(dumps_calibration(calibration)) == calibration


def test_without_guarantees_all_rows_teach_maps_and_without_maps_all_teach_guarantees() -> None:
    alone = fit_calibration(rows(120), Recipe(), ORIGIN, draws=20).calibration
    assert alone.card.teaching == 120 and alone.sets == () and alone.actions is None
    bare = fit_calibration(rows(120), Recipe(maps=NO_MAPS, sets="lac"), ORIGIN)
    assert bare.calibration.card.teaching == 0 and bare.effects == ()
    assert bare.calibration.calibrator == SlottedCalibrator({})
    [cut] = bare.calibration.sets[0].cuts.values()
    assert cut.rows == 120


def test_what_has_no_map_is_served_as_a_softmax() -> None:
    one = rows(1)[0]
    np.testing.assert_array_equal(served(SlottedCalibrator({}), one), softmax(one.scores))


def test_the_committed_value_comes_after_the_maps() -> None:
    nouls = rows(400, "noul")
    calibration = fit_calibration(nouls, Recipe(committed=True), ORIGIN, draws=20).calibration
    assert calibration.committed is not None
    assert calibration.committed.after == calibration.calibrator.digest
    # calibrated already: what is left to sharpen is noise
    assert calibration.committed.temperature == pytest.approx(1.0, abs=0.35)


def test_hard_targets_stand_on_the_mode() -> None:
    soft = [
        replace(one, target=softmax(one.scores / 3.0), scores=one.scores / 3.0) for one in rows(120)
    ]
    by_votes, by_mode = (
        next(iter(fit_calibration(soft, Recipe(targets=targets), ORIGIN, draws=20)
             .calibration.calibrator.maps.values()))
        for targets in ("soft", "hard")
    )  # fmt: skip
    assert isinstance(by_votes, Temperature) and isinstance(by_mode, Temperature)
    assert by_votes.temperature == pytest.approx(1.0, abs=1e-6)
    assert by_mode.temperature < 0.2  # the mode is always the likeliest: as sure as may be


def test_too_little_is_refused_with_what_is_needed() -> None:
    with pytest.raises(TooFewRowsError, match=r"choice of 3 to 5 .* 99 rows; needed: 100"):
        fit_calibration(rows(99), Recipe(), ORIGIN)
    few = [replace(one, group=f"g{index % 19}") for index, one in enumerate(rows(120))]
    with pytest.raises(TooFewRowsError, match="independent groups: 19 rows; needed: 20"):
        fit_calibration(few, Recipe(), ORIGIN)
    with pytest.raises(TooFewRowsError, match="a calibration: 0 rows"):
        fit_calibration([], Recipe(), ORIGIN)
    strict = Recipe(maps=NO_MAPS, act_risk=0.01, ask_risk=0.5)
    with pytest.raises(TooFewRowsError, match=r"thresholds for choice .*error rate of 0\.01: 120 "):
        fit_calibration(rows(120), strict, ORIGIN)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"maps": {**NO_MAPS, "choice": "platt"}},
            "maps.choice: got 'platt'; allowed: temperature",
        ),
        ({"maps": {"noul": "platt"}}, "maps.choice: got None"),
        ({"maps": NO_MAPS}, "nothing to fit"),
        ({"maps": NO_MAPS, "sets": "lac", "committed": True}, "committed: needs maps of nouls"),
        ({"targets": "both"}, "targets: got 'both'; allowed: soft, hard"),
        ({"sets": "interval"}, "sets: got 'interval'; allowed: lac, aps, raps"),
        ({"act_risk": 0.1}, "one of act_risk and ask_risk"),
        ({"alpha": 0.0}, "alpha: got 0.0"),
        ({"share": 1.0}, "share: got 1.0"),
    ],
)
def test_a_recipe_that_makes_no_sense_is_refused(wrong: dict, message: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(RequestError, match=message):
        Recipe(**wrong)
