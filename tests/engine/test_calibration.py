"""A calibration that the caller brings: applied where it was fitted, refused elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.folders import write_model

import steelyard
from steelyard.calibration.actions import ActionRule, Thresholds
from steelyard.calibration.card import Card
from steelyard.calibration.committed import CommittedNoul
from steelyard.calibration.conformal import ConformalSets, Cut
from steelyard.calibration.selective import SelectiveThreshold
from steelyard.calibration.slots import Slot
from steelyard.calibration.slotted import SlottedCalibrator
from steelyard.calibration.stored import FILE_NAME, Calibration, write_calibration
from steelyard.calibration.temperature import Temperature
from steelyard.errors import CapabilityError, RequestError
from steelyard.readout.scores import softmax
from steelyard.types.answer import ChoiceAnswer, NoulAnswer, Response, Verdict
from steelyard.types.codec import encode_response
from steelyard.types.question import Choice, Noul, Score

QUESTIONS = {
    "urgent": Noul("Is it urgent?"),
    "queue": Choice("Which team?", ["billing", "technical", "sales"]),
    "anger": Score("How angry?", ["calm", "annoyed", "furious"]),
}
NOULS, CHOICES = Slot(3, "noul", 1, 2), Slot(3, "choice", 3, 5)
MAPS = SlottedCalibrator({NOULS: Temperature(2.0), CHOICES: Temperature(0.5)})


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def raw(model: Path) -> Response:
    with steelyard.load(model) as engine:
        return engine.decide("It broke.", QUESTIONS)


def calibration(raw: Response, readout: str = "letters") -> Calibration:
    """With sets that hold all options and thresholds below every confidence."""
    low = SelectiveThreshold(threshold=0.0, risk=0.1, delta=0.05, rows=9, accepted=9, errors=0)
    high = replace(low, threshold=0.999)
    return Calibration(
        card=Card(
            data="d" * 64,
            rows=9,
            groups=9,
            teaching=4,
            targets="soft",
            model=raw.audit.weights,
            layout=raw.audit.layout,
            readout=readout,
            rotations=1,
            reread_below=0.0,
            exit_layers=(3,),
        ),
        calibrator=MAPS,
        committed=CommittedNoul(0.5, 0.5, after=MAPS.digest),
        sets=(ConformalSets("lac", False, 0.1, {CHOICES: Cut(1.0, 9)}),),
        actions=ActionRule({NOULS: Thresholds(high, low), CHOICES: Thresholds(low, low)}),
    )


def stored(calibration: Calibration, folder: Path) -> Path:
    write_calibration(calibration, folder / FILE_NAME)
    return folder


def sharpened(answer: ChoiceAnswer, temperature: float) -> np.ndarray:
    return softmax(np.log(list(answer.probabilities.values())) / temperature)


def test_it_is_applied_where_it_was_fitted_and_the_answer_says_so(
    model: Path, raw: Response, tmp_path: Path
) -> None:
    fitted = calibration(raw)
    with steelyard.load(model, calibration=stored(fitted, tmp_path)) as engine:
        found = engine.decide("It broke.", QUESTIONS)
        assert engine.calibration == found.audit.calibrator == fitted.digest
        other = engine.decide("It broke.", QUESTIONS, rotations=2)
    plain, queue = raw.answers["queue"], found.answers["queue"]
    assert isinstance(plain, ChoiceAnswer) and isinstance(queue, ChoiceAnswer)
    np.testing.assert_allclose(list(queue.probabilities.values()), sharpened(plain, 0.5), atol=1e-6)
    assert queue.basis.calibration == fitted.digest and plain.basis.calibration is None
    assert queue.verdict == Verdict(
        options=("billing", "technical", "sales"), coverage=0.9, action="act"
    )
    before, urgent = raw.answers["urgent"], found.answers["urgent"]
    assert isinstance(before, NoulAnswer) and isinstance(urgent, NoulAnswer)
    odds = np.log(before.noul / (1 - before.noul)) / 2
    assert urgent.noul == pytest.approx(1 / (1 + np.exp(-odds)), abs=1e-6)
    assert urgent.verdict == Verdict(options=None, coverage=None, action="ask")
    assert fitted.committed is not None
    assert urgent.committed == fitted.committed.commit(urgent.noul)
    assert (urgent.committed > 0.5) == (urgent.noul > 0.5) and before.committed is None
    # nothing was fitted for scores, nor for answers that are read twice
    assert found.answers["anger"] == raw.answers["anger"]
    assert {one.basis.calibration for one in other.answers.values()} == {None}
    assert {one.verdict for one in other.answers.values()} == {None}
    assert other.audit.calibrator is None

    body = encode_response(found, extras=True)["answers"]
    assert isinstance(body, dict)
    assert body["queue"]["x_set"] == ["billing", "technical", "sales"]  # type: ignore[index, call-overload]
    assert body["urgent"]["x_committed"] == urgent.committed  # type: ignore[index, call-overload]
    assert "x_set" not in body["urgent"] and "x_action" not in body["anger"]  # type: ignore[operator]


def test_it_refuses_what_it_was_not_fitted_for(model: Path, raw: Response, tmp_path: Path) -> None:
    folder = stored(calibration(raw), tmp_path)
    other = write_model(tmp_path / "other", seed=1)
    with pytest.raises(CapabilityError, match="model: the calibration was fitted on"):
        steelyard.load(other, calibration=folder)
    for changed in ({"readout": "continuation"}, {"layout": "sandwich-v1"}):
        with pytest.raises(CapabilityError, match="the calibration was fitted on"):
            steelyard.load(model, calibration=folder, **changed)  # type: ignore[arg-type]
    with pytest.raises(RequestError, match="calibration: given, and calibrated is False"):
        steelyard.load(model, calibration=folder, calibrated=False)
    with (
        steelyard.load(model, calibration=folder) as engine,
        pytest.raises(CapabilityError, match="fitted on answers at layer 3; allowed: full"),
    ):
        engine.decide("x", QUESTIONS, depth="adaptive")
