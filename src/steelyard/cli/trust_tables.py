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
    """Each kind and measure before and after, on rows that did not teach the maps."""
    if not report:
        return
    table = Table("kind", "rows", "groups", "measure", "before", "after", "verdict", box=None)
    for one in report:
        for name in MEASURES:
            change = one[name]
            if change is not None:
                table.add_row(
                    one["kind"],
                    f"{one['rows']:,}",
                    f"{one['groups']:,}",
                    name,
                    _figure(change["before"]),
                    _figure(change["after"]),
                    change["verdict"],
                )
        if one["ece_floors"] is not None:
            before, after = (f"{floor:.4f}" for floor in one["ece_floors"])
            table.add_row(one["kind"], "", "", "ece by chance", before, after, "")
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
            for name, one_ in (("act", both.act), ("ask", both.ask)):
                limit = f"wrong at most {one_.risk:.1%} ({1 - one_.delta:.1%} sure)"
                found = (
                    f"no threshold could be shown, from {one_.rows:,} rows"
                    if one_.threshold is None
                    else f"above {one_.threshold:.4f}, {one_.coverage:.1%} of {one_.rows:,} rows"
                )
                yield name, f"{slot}: {limit}: {found}"


def _figure(figure: dict[str, Any]) -> str:
    low, high = figure["interval"]
    return f"{figure['value']:.4f} [{low:.4f}, {high:.4f}]"


def _share(share: Share) -> tuple[str, str, str]:
    if share.value is None:
        return "-", "0", "-"
    low, high = share.interval
    return f"{share.value:.3f}", f"{share.n:,}", f"[{low:.3f}, {high:.3f}]"


def _print(table: Table) -> None:
    Console(highlight=False).print(table)
