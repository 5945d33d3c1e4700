"""What calibration changes on kept answers, and what a map from elsewhere does to them.

    python -m benchmarks.mini --data DATA --model MODEL --mode raw --load calibrated=false ...
    python -m benchmarks.calibration ANSWERS.jsonl ANSWERS.jsonl ... --name MODEL

reads files of answers that `benchmarks.mini` kept, asks no model, and writes one record: for each
file and kind the measures before and after temperatures that folds of the same file taught; for
each pair of files what the first one's temperature does to the second; and for nouls what the
committed map, taught by half of a file, does to the other half's competence and calibration error.
Kinds with too few rows are left out, and the record says so.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.record import add_record_arguments, provenance, write_record
from steelyard.calibration.committed import BAND, fit_committed
from steelyard.calibration.effect import effect
from steelyard.calibration.readings import Reading
from steelyard.calibration.recipe import Origin, Recipe, fit_calibration
from steelyard.calibration.slots import ANY_COUNT
from steelyard.calibration.slotted import SlottedCalibrator, fit_slotted, served
from steelyard.calibration.temperature import fit_constant
from steelyard.errors import TooFewRowsError
from steelyard.evaluation.effects import effect_report
from steelyard.evaluation.readings import readings_of
from steelyard.evaluation.run import read_predictions
from steelyard.metrics.reliability import expected_calibration_error
from steelyard.types.question import KINDS

RAW = SlottedCalibrator({})
NOWHERE = Origin(model="0" * 64, layout="0" * 64, readout="kept")
"""The calibrations made here are measured and thrown away."""


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.calibration",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("answers", type=Path, nargs="+", metavar="ANSWERS.jsonl")
    parser.add_argument("--name", required=True, help="of the record: the model and its mode")
    parser.add_argument("--draws", type=int, default=1000, help="of the bootstrap (default: 1000)")
    add_record_arguments(parser)
    options = parser.parse_args(argv)
    origin = provenance(options.allow_dirty)
    makers = {path.stem: read_predictions(path) for path in options.answers}
    readings = {name: readings_of(*kept) for name, kept in makers.items()}
    print(
        write_record(
            options.records,
            f"calibration--{options.name}",
            origin,
            settings={
                "draws": options.draws,
                "weights": sorted({maker.weights for maker, _ in makers.values()}),
                "rows": {name: len(rows) for name, rows in readings.items()},
            },
            results={
                "own": {name: own(rows, options.draws) for name, rows in readings.items()},
                "elsewhere": elsewhere(readings, options.draws),
                "committed": {name: committed(rows) for name, rows in readings.items()},
            },
        )
    )


def own(rows: Sequence[Reading], draws: int) -> Mapping[str, object]:
    """Each kind before and after, out of fold; or how many rows it would take."""
    found: dict[str, object] = {}
    for kind in KINDS:
        those = [one for one in rows if one.kind == kind]
        if those:
            try:
                fitted = fit_calibration(those, Recipe(), NOWHERE, draws=draws)
                found[kind] = effect_report(fitted.effects)[0]
            except TooFewRowsError as error:
                found[kind] = {"too_few": str(error)}
    return found


def elsewhere(readings: Mapping[str, Sequence[Reading]], draws: int) -> list[Mapping[str, object]]:
    """Each kind of each file, by one temperature that another file taught."""
    found: list[Mapping[str, object]] = []
    for kind in KINDS:
        those = {name: [one for one in rows if one.kind == kind] for name, rows in readings.items()}
        for taught, teachers in those.items():
            for asked, rows in those.items():
                if taught == asked or not (teachers and rows):
                    continue
                try:
                    maps = fit_slotted(teachers, fit_constant, ranges=ANY_COUNT)
                    before, after = ([served(one, row) for row in rows] for one in (RAW, maps))
                    [report] = effect_report([effect(rows, before, after, draws=draws)])
                except TooFewRowsError as error:
                    report = {"kind": kind, "too_few": str(error)}
                found.append({"taught": taught, "asked": asked, **report})
    return found


def committed(rows: Sequence[Reading]) -> Mapping[str, object]:
    """Nouls of one half of the groups, calibrated and committed by the other half."""
    nouls = [one for one in rows if one.kind == "noul"]
    groups = sorted({one.group for one in nouls})
    teaching = set(np.random.default_rng(0).permutation(groups)[: len(groups) // 2].tolist())
    teach = [one for one in nouls if one.group in teaching]
    asked = [one for one in nouls if one.group not in teaching]
    try:
        maps = fit_slotted(teach, fit_constant)
        fitted = fit_committed(
            np.array([served(maps, one)[0] for one in teach]),
            np.array([one.target[0] for one in teach]),
            after=maps.digest,
        )
    except TooFewRowsError as error:
        return {"too_few": str(error)}
    yes = np.array([served(maps, one)[0] for one in asked])
    moved = np.array([fitted.commit(p) for p in yes.tolist()])
    truths = np.array([one.target[0] for one in asked])
    return {
        "rows": len(asked),
        "temperature": fitted.temperature,
        "boundary": fitted.boundary,
        "calibrated": noul_figures(yes, truths),
        "committed": noul_figures(moved, truths),
    }


def noul_figures(yes: np.ndarray, truths: np.ndarray) -> Mapping[str, float]:
    """JevBench v1.5's competence of nouls, what lies within the band, and the ECE of P(yes).

    Competence is 100 (accuracy - .5) / .5, where a value strictly within the band is wrong.
    """
    said_no, said_yes = yes <= BAND[0], yes >= BAND[1]
    right = (said_yes & (truths > 0.5)) | (said_no & (truths < 0.5))
    return {
        "competence": float(200 * (right.mean() - 0.5)),
        "undecided": float((~said_no & ~said_yes).mean()),
        "ece": expected_calibration_error(yes, truths),
    }


if __name__ == "__main__":
    main()
