"""Whether guarantees hold as often as they say, where the truth is known.

    python -m benchmarks.guarantees --fits 1000

draws forecasts and outcomes whose law is known, fits a guarantee on each draw, and counts the fits
that break it: coverage of conformal sets against its exact beta-binomial law, the error rate above
selective thresholds, disagreement of exits with full depth, and how well a temperature is found.
No model is asked.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from math import ceil

import numpy as np

from benchmarks.record import add_record_arguments, provenance, write_record
from steelyard.calibration.conformal import conformal_quantile
from steelyard.calibration.exit_temperature import Labelled, fit_temperature
from steelyard.calibration.exit_threshold import fit_exit_threshold
from steelyard.calibration.nonconformity import STRANGENESS
from steelyard.calibration.selective import Select, ltt_threshold, scan_threshold
from steelyard.metrics.intervals import wilson_interval

ALPHA, CALIBRATION_ROWS, OPTIONS = 0.1, 200, 5
RISK, DELTA, SELECTIVE_ROWS = 0.2, 0.1, 800
DISAGREEMENT, EXIT_ROWS = 0.03, 500
TEMPERATURE, TEMPERATURE_ROWS = 1.7, 400


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.guarantees",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--fits", type=int, default=1000, help="of each guarantee (default: 1000)")
    parser.add_argument("--seed", type=int, default=1)
    add_record_arguments(parser)
    options = parser.parse_args(argv)
    origin = provenance(options.allow_dirty)
    print(
        write_record(
            options.records,
            "guarantees",
            origin,
            seed=options.seed,
            settings={"fits": options.fits},
            results=measured(options.fits, options.seed),
        )
    )


def measured(fits: int, seed: int) -> dict[str, object]:
    """All figures, from so many fits of each guarantee."""
    random = np.random.default_rng(seed)
    return {
        **{f"sets_{name}": coverage(name, fits, random) for name in STRANGENESS},
        "scan": broken(selective(scan_threshold), fits, random),
        "ltt": broken(selective(ltt_threshold), fits, random),
        "exit": broken(exits, fits, random),
        "temperature": temperatures(fits, random),
    }


def coverage(method: str, fits: int, random: np.random.Generator) -> Mapping[str, object]:
    """Mean coverage of the fits' fresh rows, one each, beside what the theory says exactly."""
    rank = ceil((CALIBRATION_ROWS + 1) * (1 - ALPHA))
    hits = 0
    for _ in range(fits):
        logits = random.normal(scale=1.5, size=(CALIBRATION_ROWS + 1, OPTIONS))
        truths = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        outcomes = (random.random((len(truths), 1)) > truths.cumsum(axis=1)).sum(axis=1)
        sure = truths**1.5 / (truths**1.5).sum(axis=1, keepdims=True)  # what the model says
        strange = np.array(
            [STRANGENESS[method](p, 0.0)[y] for p, y in zip(sure, outcomes, strict=True)]
        )
        hits += bool(strange[-1] <= conformal_quantile(strange[:-1], ALPHA))
    low, high = wilson_interval(hits, fits)
    exact = rank / (CALIBRATION_ROWS + 1)
    return {"covered": hits / fits, "interval": [low, high], "exact_without_ties": exact}


def broken(
    fit: Callable[[np.random.Generator], tuple[float | None, float]],
    fits: int,
    random: np.random.Generator,
) -> Mapping[str, object]:
    """Share of fits whose true risk exceeds the limit; `fit` gives a threshold and the excess."""
    found = [fit(random) for _ in range(fits)]
    num_broken = sum(excess > 0 for threshold, excess in found if threshold is not None)
    low, high = wilson_interval(num_broken, fits)
    return {
        "broken": num_broken / fits,
        "interval": [low, high],
        "allowed": DELTA,
        "nothing_shown": sum(threshold is None for threshold, _ in found) / fits,
    }


def selective(select: Select) -> Callable[[np.random.Generator], tuple[float | None, float]]:
    def fit(random: np.random.Generator) -> tuple[float | None, float]:
        """Confidences uniform on (.5, 1), right with probability conf^2."""
        confidences = random.uniform(0.5, 1.0, size=SELECTIVE_ROWS)
        right = random.random(SELECTIVE_ROWS) < confidences**2
        at = select(confidences, right, risk=RISK, delta=DELTA).threshold
        low = max(at or 0.0, 0.5)
        return at, 1 - (1 - low**3) / (3 * (1 - low)) - RISK

    return fit


def exits(random: np.random.Generator) -> tuple[float | None, float]:
    """Two exits, confidences uniform on (.5, 1), that agree with 1 - (1 - confidence) / 4."""
    confidences = random.uniform(0.5, 1.0, size=(EXIT_ROWS, 2))
    agree = random.random((EXIT_ROWS, 2)) < 1 - (1 - confidences) / 4
    decisions = np.column_stack([agree.astype(int), np.ones(EXIT_ROWS, dtype=int)])
    found = fit_exit_threshold(confidences, decisions, disagreement=DISAGREEMENT, delta=DELTA)
    if found.threshold is None:
        return None, 0.0
    share = 2 * (1 - found.threshold)  # leaves at an exit
    wrong = (1 - found.threshold) / 8  # mean over those that leave
    return found.threshold, (share + (1 - share) * share) * wrong - DISAGREEMENT


def temperatures(fits: int, random: np.random.Generator) -> Mapping[str, float]:
    """The temperature found from single outcomes of forecasts that are TEMPERATURE too hot."""
    found = []
    for _ in range(fits):
        logits = random.normal(scale=2.0, size=(TEMPERATURE_ROWS, 4))
        truths = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        outcomes = (random.random((len(truths), 1)) > truths.cumsum(axis=1)).sum(axis=1)
        found.append(
            fit_temperature(
                [
                    Labelled("choice", scores, np.eye(4)[outcome])
                    for scores, outcome in zip(logits * TEMPERATURE, outcomes, strict=True)
                ]
            )
        )
    return {
        "truth": TEMPERATURE,
        "mean": float(np.mean(found)),
        "standard_deviation": float(np.std(found)),
    }


if __name__ == "__main__":
    main()
