"""The whole report: what was run, the figures, the charts, the errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.errors import InputFileError
from steelyard.evaluation.compare import Comparison, Difference, compare
from steelyard.evaluation.report.charts import latency_chart
from steelyard.evaluation.report.errors import worst_errors
from steelyard.evaluation.report.frame import COLOURS
from steelyard.evaluation.report.markup import Markup, table, tag
from steelyard.evaluation.report.style import STYLE
from steelyard.evaluation.report.suite import suite_section
from steelyard.evaluation.run_folder import Run
from steelyard.evaluation.shown import number, with_interval

HEAD = (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
)


def report_page(runs: Sequence[Run]) -> str:
    """A run, or two with their comparison, as HTML that refers to nothing outside.

    Raises:
        InputFileError: not one run or two, a run without its result, or two that share no question.
    """
    if not 1 <= len(runs) <= 2:
        raise InputFileError(f"{len(runs)} runs; allowed: one or two")
    for run in runs:
        if run.result is None:
            raise InputFileError(
                f"{run.name}: no result.json; allowed: a folder that `steelyard evaluate` wrote"
            )
    names = _names(runs)
    title = " and ".join(names)
    suites = list(dict.fromkeys(suite for run in runs for suite in run.suites))
    body = [
        tag("h1", f"Evaluation: {title}"),
        _key(names),
        _about(names, runs),
        _figures(names, runs),
        _boards(names, runs),
    ]
    if len(runs) == 2:
        body.append(_comparison(names, compare(runs[0].suites, runs[1].suites)))
    body.append(_latency(names, runs))
    for suite in suites:
        mine = [(name, run.suites.get(suite, ())) for name, run in zip(names, runs, strict=True)]
        body.append(suite_section(suite, mine))
    errors = [worst_errors(name, run.worst) for name, run in zip(names, runs, strict=True)]
    if any(errors):
        body.append(tag("h2", "Errors to read"))
        body.extend(errors)
    style = tag("style", Markup(STYLE))
    return f"{HEAD}{tag('title', title)}{style}</head>{tag('body', *body)}</html>\n"


def _names(runs: Sequence[Run]) -> list[str]:
    names = [run.name for run in runs]
    return (
        names
        if len(set(names)) == len(names)
        else [f"{n} ({x})" for n, x in zip(names, "AB", strict=True)]
    )


def _key(names: Sequence[str]) -> Markup:
    if len(names) == 1:
        return Markup()
    spans = [tag("span", name, class_=colour) for colour, name in zip(COLOURS, names, strict=False)]
    return tag("p", *spans, class_="key")


def _about(names: Sequence[str], runs: Sequence[Run]) -> Markup:
    rows = []
    for name, run in zip(names, runs, strict=True):
        assert run.result is not None
        about = run.result["about"]
        where = (
            about["model"] if about.get("url") is None else f"{about['model']} at {about['url']}"
        )
        for suite in run.result["suites"]:
            maker = suite["maker"] or {}
            rows.append(
                (
                    name,
                    str(where),
                    suite["suite"],
                    suite["version"],
                    f"{suite['answered']:,} of {suite['questions']:,}",
                    str(suite["failed"]),
                    str(maker.get("weights", "-"))[:12],
                    str(maker.get("calibrator") or "none")[:12],
                )
            )
    head = ("run", "model", "suite", "version", "answered", "failed", "weights", "calibrator")
    return tag("section", tag("h2", "What was asked"), _scroll(table(head, rows)))


def _figures(names: Sequence[str], runs: Sequence[Run]) -> Markup:
    rows: list[tuple[str, ...]] = []
    for name, run in zip(names, runs, strict=True):
        assert run.result is not None
        for suite in run.result["suites"]:
            rows.extend(_figure_row(name, suite["suite"], kind) for kind in suite["kinds"])
    head = (
        "run", "suite", "kind", "n", "accuracy", "chance", "above chance", "NLL", "KL", "uniform",
        "prior", "Brier", "ECE", "floor", "smooth ECE", "AURC", "at 5 % wrong", "kappa",
    )  # fmt: skip
    note = (
        "Intervals are 95 %, from a bootstrap over groups of questions that are not independent. "
        "KL is the divergence of the answers from the targets, beside that of saying all options "
        "are equally likely (uniform) and of knowing how often each is right (prior). The floor is "
        "the ECE that a perfect forecaster would show by chance. At 5 % wrong is the share of "
        "answers, surest first, of which that many are wrong in this sample."
    )
    return tag(
        "section", tag("h2", "Figures"), _scroll(table(head, rows)), tag("p", note, class_="note")
    )


def _figure_row(name: str, suite: str, kind: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        name,
        suite,
        kind["kind"],
        f"{kind['n']:,}",
        with_interval(kind["accuracy"]),
        number(kind["chance"]),
        number(kind["above_chance"]),
        number(kind["nll"]["value"], 3),
        number(kind["kl"]["model"]["value"], 3),
        number(kind["kl"]["uniform"], 3),
        number(kind["kl"]["prior"], 3),
        number(kind["brier"]["model"]["value"], 3),
        number(kind["ece"], 3),
        number(kind["ece_floor"], 3),
        number(kind["smooth_ece"], 3),
        number(kind["aurc"], 3),
        number(kind["coverage_at"]["0.05"]),
        number(kind["kappa"]),
    )


def _boards(names: Sequence[str], runs: Sequence[Run]) -> Markup:
    rows = []
    for name, run in zip(names, runs, strict=True):
        assert run.result is not None
        for suite in run.result["suites"]:
            for types in ("equal", "frozen") if "jevbench" in suite else ():
                axes = suite["jevbench"][types]
                figures = [
                    number(axes.get(axis), 1)
                    for axis in ("intelligence", "calibration", "speed", "cost", "score")
                ]
                rows.append((name, suite["suite"], types, *figures))
    if not rows:
        return Markup()
    head = ("run", "suite", "types", "intelligence", "calibration", "speed", "cost", "score")
    note = (
        "The formulas of JevBench v1.5 on open questions only, with both weightings of the types: "
        "not a place on its board."
    )
    return tag(
        "section", tag("h2", "JevBench v1.5"), _scroll(table(head, rows)),
        tag("p", note, class_="note"),
    )  # fmt: skip


def _comparison(names: Sequence[str], found: Comparison) -> Markup:
    rows = [
        (
            each.suite,
            f"{each.name}: {each.part}" if each.name else "all",
            f"{each.n:,}",
            one.measure,
            number(one.a, 3),
            number(one.b, 3),
            with_interval({"value": one.value, "interval": one.interval}, 3),
            _verdict(one, names),
        )
        for each in found.compared
        for one in each.differences
    ]
    head = ("suite", "part", "n", "measure", *names, "difference", "verdict")
    note = (
        "The second less the first, on the questions that both answered. A verdict is given where "
        "the 95 % interval excludes 0; of many slices one in twenty does so by chance alone. "
        f"{found.only_a + found.only_b:,} answers have no partner."
    )
    return tag(
        "section", tag("h2", "Differences"), _scroll(table(head, rows)),
        tag("p", note, class_="note"),
    )  # fmt: skip


def _verdict(one: Difference, names: Sequence[str]) -> Markup:
    winners = {"A better": names[0], "B better": names[1]}
    verdict = one.verdict
    if verdict in winners:
        return tag("span", f"{winners[verdict]} better", class_="good")
    return tag("span", verdict)


def _latency(names: Sequence[str], runs: Sequence[Run]) -> Markup:
    points = []
    for name, run in zip(names, runs, strict=True):
        assert run.result is not None
        mine = [
            (f"{suite['suite']} {kind['kind']}", kind["seconds"], kind["accuracy"]["value"])
            for suite in run.result["suites"]
            for kind in suite["kinds"]
            if kind["accuracy"] is not None and kind["seconds"] > 0
        ]
        points.append((name, mine))
    if not any(mine for _, mine in points):
        return Markup()
    note = "Mean time of an answer, its share of a call unless each was asked alone."
    return tag(
        "section", tag("h2", "Time against accuracy"),
        latency_chart("each suite and kind", points), tag("p", note, class_="note"),
    )  # fmt: skip


def _scroll(inner: Markup) -> Markup:
    return tag("div", inner, class_="scroll")
