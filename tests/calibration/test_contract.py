"""What every calibrator promises, checked for each of them in one place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pytest
from support.forecasts import readings

from steelyard.calibration.isotonic import fit_isotonic
from steelyard.calibration.matrix import fit_dirichlet, fit_vector
from steelyard.calibration.platt import fit_platt
from steelyard.calibration.readings import Reading
from steelyard.calibration.slots import ANY_COUNT, BUCKETS, Range, each_count
from steelyard.calibration.slotted import Fit, SlottedCalibrator, fit_slotted
from steelyard.calibration.stored_maps import FORMS, decode_maps, encode_maps
from steelyard.calibration.temperature import fit_constant, fit_smooth
from steelyard.calibration.tied import fit_tied
from steelyard.errors import CapabilityError, TooFewRowsError
from steelyard.readout.scores import softmax
from steelyard.types.codec import dumps, loads

MIXED = (2, 3, 4, 7, 12)


@lru_cache
def sample(
    n: int, kind: str, options: tuple[int, ...], seed: int, temperature: float
) -> list[Reading]:
    return readings(n, kind=kind, options=options, seed=seed, temperature=temperature)


@dataclass(frozen=True)
class Case:
    """A way to fit, the questions that it is for, and how near to the truth 3000 rows bring it."""

    name: str
    fit: Fit
    kind: str = "choice"
    options: tuple[int, ...] = MIXED
    ranges: tuple[Range, ...] | None = BUCKETS
    near: float = 0.02

    def data(self, n: int, seed: int = 0, temperature: float = 1.0) -> list[Reading]:
        return list(sample(n, self.kind, self.options, seed, temperature))

    def fitted(self, rows: list[Reading], min_rows: int = 100) -> SlottedCalibrator:
        ranges = each_count(rows) if self.ranges is None else self.ranges
        return fit_slotted(rows, self.fit, ranges=ranges, min_rows=min_rows)


CASES = [
    Case("temperature", fit_constant),
    Case("smooth", fit_smooth, ranges=ANY_COUNT),
    Case("tied", fit_tied, ranges=ANY_COUNT),
    Case("vector", fit_vector, kind="score", options=(5,), ranges=None),
    Case("dirichlet", fit_dirichlet, kind="score", options=(3,), ranges=None, near=0.03),
    Case("platt", fit_platt, kind="noul", options=(2,)),
    Case("isotonic", fit_isotonic, kind="noul", options=(2,), near=0.06),
]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def apply(calibrator: SlottedCalibrator, one: Reading) -> np.ndarray:
    return calibrator.apply(one.scores, kind=one.kind, exit_layer=one.exit_layer)


@each_case
def test_rows_are_distributions(case: Case) -> None:
    calibrator = case.fitted(case.data(1000, temperature=3.0))
    for one in case.data(50, seed=1):
        found = apply(calibrator, one)
        assert found.shape == one.scores.shape and (found >= 0).all()
        assert found.sum() == pytest.approx(1.0, abs=1e-12)


@each_case
def test_order_is_kept_where_that_is_promised(case: Case) -> None:
    calibrator = case.fitted(case.data(1000, temperature=0.4))
    if calibrator.keeps_order:
        for one in case.data(50, seed=1):
            in_order = np.argsort(one.scores)
            assert (np.diff(apply(calibrator, one)[in_order]) >= 0).all()
    else:  # and the promise is not withheld from what would keep it
        assert case.name not in ("temperature", "smooth")


@each_case
def test_what_is_calibrated_stays_as_it_is(case: Case) -> None:
    calibrator = case.fitted(case.data(3000))
    gaps = [abs(apply(calibrator, one) - softmax(one.scores)).mean() for one in case.data(200, 1)]
    assert np.mean(gaps) < case.near


@each_case
def test_what_is_too_sure_comes_back_to_the_truth(case: Case) -> None:
    calibrator = case.fitted(case.data(3000, temperature=3.0))
    held_out = case.data(200, seed=1, temperature=3.0)
    truths = [softmax(one.scores / 3.0) for one in held_out]
    gaps = [abs(apply(calibrator, one) - p).mean() for one, p in zip(held_out, truths, strict=True)]
    raw = [abs(softmax(one.scores) - p).mean() for one, p in zip(held_out, truths, strict=True)]
    assert np.mean(gaps) < case.near < np.mean(raw)


@each_case
def test_a_second_fit_forgets_the_first(case: Case) -> None:
    first, second = case.data(1000, temperature=5.0), case.data(1000, seed=1)
    alone = case.fitted(second)
    case.fitted(first)
    assert case.fitted(second) == alone and case.fitted(second).digest == alone.digest
    assert case.fitted(first).digest != alone.digest


@each_case
def test_json_gives_it_back(case: Case) -> None:
    calibrator = case.fitted(case.data(600))
    again = decode_maps(loads(dumps(encode_maps(calibrator))))
    assert again == calibrator and again.digest == calibrator.digest


@each_case
def test_too_few_rows_are_refused_with_the_number_needed(case: Case) -> None:
    rows = case.data(99 * len(case.options))
    with pytest.raises(TooFewRowsError, match=r"layer 8: \d+ rows; needed: 600") as caught:
        case.fitted(rows, min_rows=600)
    assert caught.value.rows < caught.value.needed == 600 and "layer 8" in caught.value.what
    with pytest.raises(TooFewRowsError, match="0 rows"):
        fit_slotted([], case.fit)


@each_case
def test_another_exit_or_kind_is_not_answered(case: Case) -> None:
    calibrator = case.fitted(case.data(600))
    one = case.data(1)[0]
    with pytest.raises(CapabilityError, match="at layer 7; fitted: "):
        calibrator.apply(one.scores, kind=one.kind, exit_layer=7)
    other = "choice" if case.kind != "choice" else "noul"
    with pytest.raises(CapabilityError, match=f"no map for {other}"):
        calibrator.apply(one.scores, kind=other, exit_layer=8)


def test_every_stored_form_stands_in_the_contract() -> None:
    forms = {type(fitted) for case in CASES for fitted in case.fitted(case.data(600)).maps.values()}
    assert forms == set(FORMS.values())
