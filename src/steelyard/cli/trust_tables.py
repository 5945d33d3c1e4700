"""Calibrations, their effect and their promises as tables on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from steelyard.calibration.stored import Calibration
from steelyard.calibration.stored_maps import FORMS
from steelyard.evaluation.effects import MEASURES, Report
from steelyard.evaluation.verify import Kept, Share


def print_effects(report: Report) -> None:
    """Each kind and measure before and after, on rows that did not teach the maps.

    "chance" is the ECE that a perfect forecaster would show.
    """
    if not report:
        return
    table = Table("kind", "rows", "measure", "before", "after", "verdict", box=None)
    for one in report:
        kind, rows = one["kind"], f"{one['rows']:,}"
        for name in MEASURES:
            change = one[name]
            if change is not None:
                before, after = _figure(change["before"]), _figure(change["after"])
                table.add_row(kind, rows, name, before, after, change["verdict"])
        if one["ece_floors"] is not None:
            table.add_row(kind, rows, "chance", *(f"{floor:.3f}" for floor in one["ece_floors"]))
    _print(table)


def print_card(calibration: Calibration) -> None:
    """What was fitted on what, and what it promises."""
    card = calibration.card
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(overflow="fold")
    for name, value in (
        ("digest", calibration.digest),
        ("data", card.data),
        ("rows", f"{card.rows:,} in {card.groups:,} groups, {card.targets} targets"),
        ("maps taught by", f"{card.teaching:,} rows"),
        ("model", card.model),
        ("layout", card.layout),
        ("read by", f"{card.readout}, {card.rotations} rotations, again below {card.reread_below}"),
        ("at layers", ", ".join(map(str, card.exit_layers))),
    ):
        table.add_row(name, value)
    for line in _lines(calibration):
        table.add_row(*line)
    _print(table)


def print_kept(kinds: Sequence[Kept]) -> None:
    """Promises beside what came of them on fresh rows."""
    table = Table("kind", "rows", "promise", "at most", "found", "of", "interval", box=None)
    for kept in kinds:
        rows = f"{kept.rows:,}"
        if kept.sets is not None:
            size = f"right option not in the set (of {kept.sets.mean_size:.2f} on average)"
            table.add_row(
                kept.kind, rows, size, f"{kept.sets.alpha:.3f}", *_share(kept.sets.missing)
            )
        if kept.actions is not None:
            actions = kept.actions
            for name, most, share in (
                ("acted on", None, actions.act),
                ("wrong among them", actions.act_risk, actions.act_errors),
                ("proposed", None, actions.ask),
                ("wrong among both", actions.ask_risk, actions.ask_errors),
            ):
                limit = "" if most is None else f"{most:.3f}"
                table.add_row(kept.kind, rows, name, limit, *_share(share))
    _print(table)


def _lines(calibration: Calibration) -> Iterator[tuple[str, str]]:
    names = {form: name for name, form in FORMS.items()}
    for slot, fitted in calibration.calibrator.maps.items():
        yield "map", f"{slot}: {names[type(fitted)]}"
    if calibration.committed is not None:
        one = calibration.committed
        yield "committed", f"temperature {one.temperature:.3f}, boundary {one.boundary:.2f}"
    for sets in calibration.sets:
        for slot, cut in sets.cuts.items():
            promise = f"{sets.method}, holds the right option in {1 - sets.alpha:.1%}"
            yield "sets", f"{slot}: {promise} (from {cut.rows:,} rows)"
    if calibration.actions is not None:
        for slot, both in calibration.actions.slots.items():
            for name, limit in (("act", both.act), ("ask", both.ask)):
                promise = f"wrong at most {limit.risk:.1%} ({1 - limit.delta:.1%} sure)"
                found = (
                    f"no threshold could be shown, from {limit.rows:,} rows"
                    if limit.threshold is None
                    else f"above {limit.threshold:.4f}, {limit.coverage:.1%} of {limit.rows:,} rows"
                )
                yield name, f"{slot}: {promise}: {found}"


def _figure(figure: dict[str, Any]) -> str:
    low, high = figure["interval"]
    return f"{figure['value']:.3f} [{low:.3f}, {high:.3f}]"


def _share(share: Share) -> tuple[str, str, str]:
    if share.value is None:
        return "-", "0", "-"
    low, high = share.interval
    return f"{share.value:.3f}", f"{share.n:,}", f"[{low:.3f}, {high:.3f}]"


def _print(table: Table) -> None:
    Console(highlight=False).print(table)
