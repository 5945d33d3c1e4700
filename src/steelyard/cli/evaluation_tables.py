"""Evaluations and comparisons as tables on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from steelyard.evaluation.shown import number, with_interval

if TYPE_CHECKING:
    from steelyard.evaluation.compare import Comparison


def print_suites() -> None:
    """The named suites."""
    from steelyard.evaluation.suites.registry import SUITES

    table = Table("suite", "what", "licence", box=None)
    for suite in SUITES.values():
        table.add_row(suite.name, suite.what, suite.licence)
    _print(table)


def print_result(result: Mapping[str, Any]) -> None:
    """A row for each suite and kind, then what went wrong, and JevBench's axes.

    "floor" is the ECE that a perfect forecaster would show by chance, "uniform" the divergence of
    saying all options are equally likely, "5 %" the share of answers, surest first, of which 5 %
    are wrong.
    """
    table = Table(
        "suite", "kind", "n", "accuracy", "chance", "KL", "uniform", "ECE", "floor", "5 %", "ms",
        box=None,
    )  # fmt: skip
    for suite in result["suites"]:
        for kind in suite["kinds"]:
            table.add_row(
                suite["suite"],
                kind["kind"],
                f"{kind['n']:,}",
                with_interval(kind["accuracy"]),
                number(kind["chance"]),
                number(kind["kl"]["model"]["value"]),
                number(kind["kl"]["uniform"]),
                number(kind["ece"], 3),
                number(kind["ece_floor"], 3),
                number(kind["coverage_at"]["0.05"]),
                f"{1000 * kind['seconds']:.0f}",
            )
    _print(table)
    for suite in result["suites"]:
        if suite["failed"]:
            codes = ", ".join(f"{count} {code}" for code, count in suite["failures"].items())
            Console(highlight=False).print(
                f"{suite['suite']}: {suite['failed']} of {suite['asked']} have no answer: {codes}"
            )
    if any("jevbench" in suite and len(suite["kinds"]) > 1 for suite in result["suites"]):
        _print(_jevbench(result))
    if "abstention" in result:
        _print(_abstention(result["abstention"]))
    if any("noul_costs" in suite for suite in result["suites"]):
        _print(_costs(result))


def print_comparison(found: Comparison, slices: bool) -> None:
    """A row for each suite, part and measure."""
    names = ("suite", "part", "n", "measure", "A", "B", "B - A", "verdict")
    noisy = any(one.noise is not None for each in found.compared for one in each.differences)
    table = Table(*names[:-1], *(["noise"] if noisy else []), names[-1], box=None)
    for each in found.compared:
        if each.name and not slices:
            continue
        part = f"{each.name}: {each.part}" if each.name else "all"
        for one in each.differences:
            figure = {"value": one.value, "interval": one.interval}
            noise = [number(one.noise, 3)] if noisy else []
            table.add_row(
                each.suite,
                part,
                f"{each.n:,}",
                one.measure,
                number(one.a, 3),
                number(one.b, 3),
                with_interval(figure, 3),
                *noise,
                one.verdict,
            )
    _print(table)
    for name, count in (("A", found.only_a), ("B", found.only_b)):
        if count:
            Console(highlight=False).print(f"{count:,} answers of {name} have no partner")


def _jevbench(result: Mapping[str, Any]) -> Table:
    table = Table(
        "JevBench v1.5", "types", "intelligence", "calibration", "speed", "cost", "score", box=None
    )
    for suite in result["suites"]:
        if "jevbench" in suite and len(suite["kinds"]) > 1:
            for weights in ("equal", "frozen"):
                axes = suite["jevbench"][weights]
                names = ("intelligence", "calibration", "speed", "cost", "score")
                figures = [number(axes.get(name), 1) for name in names]
                table.add_row(f"{suite['suite']} (open)", weights, *figures)
    return table


def _abstention(found: Mapping[str, Any]) -> Table:
    table = Table("JevBench-240", "n", "commits itself", "tells them apart", box=None)
    told = number(found["tells_apart"])
    table.add_row("answerable", f"{found['answerable']:,}", number(found["commits"]), told)
    table.add_row("unknowable", f"{found['unknowable']:,}", number(found["commits_in_vain"]), "")
    return table


def _costs(result: Mapping[str, Any]) -> Table:
    names = ("threshold", "argmax", "bayes", "constant", "best")
    table = Table("cost of a noul", *names, box=None)
    for suite in result["suites"]:
        if "noul_costs" in suite:
            table.add_row(suite["suite"], *(number(suite["noul_costs"][name], 3) for name in names))
    return table


def _print(table: Table) -> None:
    Console(highlight=False).print(table)
