"""Temperatures by exit and kind, against scipy's own search."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from steelyard.calibration.exit_temperature import (
    COLDEST,
    HOTTEST,
    ExitTemperature,
    Labelled,
    fit_exit_temperature,
    fit_temperature,
)
from steelyard.errors import CapabilityError, ShapeError

FITTED = ExitTemperature({4: {"noul": 2.0, "choice": 0.5}, 8: {"noul": 1.0}})


def readings(temperature: float, kind: str = "choice", seed: int = 0) -> list[Labelled]:
    """Questions of 2 to 9 options whose soft targets follow scores at this temperature, roughly."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(80):
        scores = random.normal(scale=3.0, size=random.integers(2, 10))
        noisy = scores / temperature + random.normal(scale=0.3, size=len(scores))
        made.append(Labelled(kind, scores, softmax(noisy)))
    return made


@pytest.mark.parametrize("temperature", [0.2, 0.9, 3.0, 11.0])
def test_the_fit_is_the_optimum_that_scipy_finds(temperature: float) -> None:
    data = readings(temperature)

    def loss(log_temperature: float) -> float:
        heat = np.exp(log_temperature)
        return float(np.mean([-(one.target @ log_softmax(one.scores / heat)) for one in data]))

    bounds = (np.log(COLDEST), np.log(HOTTEST))
    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-9})
    assert fit_temperature(data) == pytest.approx(np.exp(found.x), rel=1e-5)
    assert fit_temperature(data) == pytest.approx(temperature, rel=0.1)


def test_targets_at_a_temperature_give_it_back() -> None:
    data = [Labelled(r.kind, r.scores, softmax(r.scores / 1.7)) for r in readings(1.0)]
    assert fit_temperature(data) == pytest.approx(1.7, rel=1e-9)


def test_a_fit_without_an_optimum_ends_at_its_bounds() -> None:
    right = Labelled("noul", np.array([1.0, 0.0]), np.array([1.0, 0.0]))
    wrong = Labelled("noul", np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    assert fit_temperature([right]) == COLDEST
    assert fit_temperature([wrong]) == HOTTEST
    assert fit_temperature([right, wrong]) == HOTTEST


def test_each_layer_and_kind_has_its_own() -> None:
    fitted = fit_exit_temperature(
        {
            12: [*readings(2.0), *readings(0.5, "noul", seed=1)],
            30: readings(1.0, seed=2),
        }
    )
    assert {layer: list(kinds) for layer, kinds in fitted.temperatures.items()} == {
        12: ["choice", "noul"],
        30: ["choice"],
    }
    assert fitted.temperatures[12]["noul"] == fit_temperature(readings(0.5, "noul", seed=1))


def test_probabilities_are_the_softmax_of_cooled_or_heated_scores() -> None:
    scores = np.array([2.0, -1.0, -np.inf])
    found = FITTED.apply(scores, kind="choice", exit_layer=4)
    np.testing.assert_allclose(found, softmax(scores / 0.5), rtol=1e-12)
    assert FITTED.apply(scores, kind="noul", exit_layer=4)[1] > found[1]


@pytest.mark.parametrize(("kind", "layer"), [("score", 4), ("choice", 8), ("noul", 5)])
def test_what_was_not_fitted_is_an_error_that_lists_what_was(kind: str, layer: int) -> None:
    message = f"for a {kind} at layer {layer}; fitted: 4: noul, choice; 8: noul"
    with pytest.raises(CapabilityError, match=message):
        FITTED.apply(np.zeros(2), kind=kind, exit_layer=layer)


def test_the_digest_depends_on_the_temperatures_and_not_on_their_order() -> None:
    turned = ExitTemperature({8: {"noul": 1.0}, 4: {"choice": 0.5, "noul": 2.0}})
    assert turned.digest == FITTED.digest and len(FITTED.digest) == 64
    assert ExitTemperature({4: {"noul": 2.0}}).digest != FITTED.digest


@pytest.mark.parametrize(
    ("scores", "target", "message"),
    [
        ([0.0, 1.0], [1.0], r"scores \(2,\) and target \(1,\) of reading 1"),
        ([0.0, -np.inf], [0.5, 0.5], "the scores of reading 1 are not all finite"),
        ([0.0, 1.0], [0.5, 0.6], "the target of reading 1 is no distribution"),
        ([0.0, 1.0], [1.5, -0.5], "the target of reading 1 is no distribution"),
    ],
)
def test_what_cannot_be_fitted_is_refused(
    scores: list[float], target: list[float], message: str
) -> None:
    good = readings(1.0)[0]
    with pytest.raises(ShapeError, match=message):
        fit_temperature([good, Labelled("noul", np.array(scores), np.array(target))])
    with pytest.raises(ShapeError, match="no readings"):
        fit_temperature([])
