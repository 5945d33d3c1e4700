"""A run as JSON, for programs."""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite

from steelyard.__about__ import __version__
from steelyard.probe.experiment import Table
from steelyard.probe.finding import Finding
from steelyard.probe.run import Result, Run
from steelyard.types.content import Json

SCHEMA = "steelyard.probe/1"
"""Changes when a reader of the last one would misread the next."""


def document(run: Run) -> dict[str, Json]:
    """The JSON object of a run. A margin or interval without a bound has null there."""
    return {
        "schema": SCHEMA,
        "steelyard": __version__,
        "decider": run.decider,
        "begun": run.begun,
        "seed": run.setting.seed,
        "quick": run.setting.quick,
        "questions": run.questions,
        "experiments": [_result(result) for result in run.results],
    }


def _result(result: Result) -> dict[str, Json]:
    judgement = result.judgement
    return {
        "name": result.experiment.name,
        "asks": result.experiment.asks,
        "requests": result.num_requests,
        "refusals": [
            {"message": message, "requests": count} for message, count in result.refusals.items()
        ],
        "findings": [_finding(finding) for finding in judgement.findings],
        "tables": [_table(table) for table in judgement.tables],
        "notes": list(judgement.notes),
    }


def _finding(finding: Finding) -> dict[str, Json]:
    bounds = None if finding.interval is None else list(finding.interval)
    margin: list[Json] = [bound if isfinite(bound) else None for bound in finding.margin]
    return asdict(finding) | {"interval": bounds, "margin": margin}


def _table(table: Table) -> dict[str, Json]:
    rows: list[Json] = [list(row) for row in table.rows]
    return {"title": table.title, "columns": list(table.columns), "rows": rows}
