"""What a calibration changed, as the JSON that is kept beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

from steelyard.calibration.effect import Change, Effect
from steelyard.files import write_whole

EFFECT_NAME = "effect.json"
MEASURES = ("nll", "brier", "ece", "rps")

Report: TypeAlias = list[dict[str, Any]]


def effect_report(effects: Sequence[Effect]) -> Report:
    """One object for each kind: rows, groups, and for each measure before, after and verdict."""
    return [
        {
            "kind": effect.kind,
            "rows": effect.rows,
            "groups": effect.groups,
            "ece_floors": None if effect.floors is None else list(effect.floors),
            **{
                name: None if (change := getattr(effect, name)) is None else _change(change)
                for name in MEASURES
            },
        }
        for effect in effects
    ]


def write_report(report: Report, path: Path) -> None:
    """Write it, indented; what is there is replaced.

    Raises:
        OutputError: it cannot be written; what is there is left.
    """
    write_whole(path, json.dumps(report, indent=2) + "\n")


def _change(change: Change) -> dict[str, Any]:
    return {**asdict(change), "verdict": change.verdict}
