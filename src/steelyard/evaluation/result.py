"""The figures of a run as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from steelyard.__about__ import __version__
from steelyard.evaluation.abstention import abstention
from steelyard.evaluation.boards import jevbench, jevbench_axes
from steelyard.evaluation.boards.typed_decisions import typed_decisions
from steelyard.evaluation.evaluate import Evaluated
from steelyard.evaluation.noul_costs import noul_costs
from steelyard.evaluation.run import Prediction
from steelyard.evaluation.scorecard import scorecard

VERSION = 1
KNOWN, UNKNOWN = "jevbench240", "jevbench240-unknown"
WEIGHTS = {"equal": jevbench.EQUAL, "frozen": jevbench.FROZEN}


def result_of(
    evaluated: Sequence[Evaluated],
    about: Mapping[str, Any],
    *,
    alone: bool = False,
    usd_per_1000: float | None = None,
    costs: tuple[float, float] | None = None,
) -> dict[str, Any]:
    """Everything that is written of a run.

    Args:
        about: what was asked and how: model, address, sample, seed.
        alone: whether each question was asked in a call of its own, so that its time is its own.
        usd_per_1000: the price of 1,000 decisions.
        costs: of a wrong yes and of a wrong no.
    """
    by_name = {one.suite: one for one in evaluated}
    result: dict[str, Any] = {
        "version": VERSION,
        "steelyard": __version__,
        "about": dict(about),
        "suites": [_suite(one, alone, usd_per_1000, costs) for one in evaluated],
    }
    if KNOWN in by_name and UNKNOWN in by_name:
        known, unknown = by_name[KNOWN].predictions, by_name[UNKNOWN].predictions
        if known and unknown:
            result["abstention"] = asdict(abstention(known, unknown))
    return result


def jevbench_of(
    one: Evaluated, *, alone: bool = False, usd_per_1000: float | None = None
) -> dict[str, Any]:
    """JevBench v1.5 of one suite: the axes that are known, with both weightings of the types.

    Speed needs questions that were asked one by one, Cost a price, and the score all four.
    """
    items = jevbench.items_of([*one.predictions, *one.failures])
    items = [item for item in items if item.num_options > 1]
    found: dict[str, Any] = {}
    axes: dict[str, float] = {}
    if alone:
        asked = zip(one.predictions, jevbench.items_of(one.predictions), strict=True)
        seconds = [p.seconds for p, item in asked if item.tier in jevbench_axes.TIMED] or [
            p.seconds for p in one.predictions
        ]
        p50, p95 = (float(np.quantile(seconds, share)) for share in (0.5, 0.95))
        axes["speed"] = jevbench_axes.speed(p50, p95)
    if usd_per_1000 is not None:
        axes["cost"] = jevbench_axes.cost(usd_per_1000)
    for name, weights in WEIGHTS.items():
        clever = jevbench.intelligence(items, weights)
        found["competence"] = {"/".join(cell): cc for cell, cc in clever.competence.items()}
        mine = {
            "intelligence": clever.value,
            "calibration": jevbench.calibration(items, weights),
            **axes,
        }
        found[name] = dict(mine)
        if mine.keys() == jevbench_axes.HEADLINE.keys():
            found[name]["score"] = jevbench_axes.composite(mine)
            found[name]["score_b"] = jevbench_axes.composite(mine, jevbench_axes.PRESET_B)
    return found


def _suite(
    one: Evaluated,
    alone: bool,
    usd_per_1000: float | None,
    costs: tuple[float, float] | None,
) -> dict[str, Any]:
    told: dict[str, Any] = {
        "suite": one.suite,
        "version": one.version,
        "questions": one.questions,
        "asked": len(one.examples),
        "answered": len({p.example for p in one.predictions}),
        "failed": len(one.failures),
        "failures": dict(Counter(failure.code for failure in one.failures)),
        "maker": None if one.maker is None else asdict(one.maker),
        "kinds": [
            {**asdict(measured), **asdict(scorecard(measured, one.predictions, one.failures))}
            for measured in one.measures
        ],
    }
    if one.predictions:
        lines = typed_decisions(one.predictions, one.priors)
        told["typed_decisions"] = {name: asdict(line) for name, line in lines.items()}
    if one.predictions and any(m.accuracy is not None for m in one.measures):
        told["jevbench"] = jevbench_of(one, alone=alone, usd_per_1000=usd_per_1000)
    if costs is not None and any(_is_noul(p) for p in one.predictions):
        false_yes, false_no = costs
        priced = noul_costs(one.predictions, false_yes=false_yes, false_no=false_no)
        told["noul_costs"] = asdict(priced)
    return told


def _is_noul(one: Prediction) -> bool:
    return one.kind == "noul"
