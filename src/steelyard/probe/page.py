"""A run as one HTML page that needs nothing else: for a browser without a network, and for paper.

All text is escaped, since states, options and error messages may be anybody's.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import isfinite

from steelyard.__about__ import __version__
from steelyard.probe.experiment import Cell, Table
from steelyard.probe.finding import Finding, Verdict
from steelyard.probe.run import Result, Run

MARKS: dict[Verdict, str] = {
    "holds": "holds",
    "does not hold": "fails",
    "not shown": "open",
    "not supported by this server": "none",
}
STYLE = """
:root { color-scheme: light; --ink: #1c2430; --soft: #5d6876; --line: #d9dee5; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .2rem; border-top: 1px solid var(--line);
  padding-top: 1rem; }
h2 code { color: var(--soft); font-weight: normal; font-size: .9rem; margin-left: .5rem; }
p { margin: .3rem 0; }
.soft { color: var(--soft); }
table { border-collapse: collapse; margin: .6rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); font-size: .85rem; padding-bottom: .2rem; }
th, td { text-align: left; padding: .2rem .9rem .2rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; font-size: .88rem; }
th { font-weight: 600; color: var(--soft); }
td.n { text-align: right; white-space: nowrap; }
.finding { margin: .9rem 0; padding-left: .8rem; border-left: 4px solid var(--line);
  break-inside: avoid; }
.verdict { font-weight: 600; white-space: nowrap; }
td:first-child a { white-space: nowrap; color: inherit; }
.finding.holds { border-color: #2a7d4f; } .holds .verdict, .verdict.holds { color: #1f6b41; }
.finding.fails { border-color: #b3382c; } .fails .verdict, .verdict.fails { color: #a02d22; }
.finding.open { border-color: #b98a1a; } .open .verdict, .verdict.open { color: #86630c; }
.finding.none { border-color: #8b95a1; } .none .verdict, .verdict.none { color: #5d6876; }
svg { display: block; margin: .2rem 0; max-width: 100%; }
@media print { body { margin: 0; max-width: none; font-size: 11px; }
  h2 { break-after: avoid; } table { break-inside: avoid; } }
"""


def page(run: Run) -> str:
    """The whole page, in UTF-8 once it is encoded."""
    setting = run.setting
    material = run.questions or "the built-in scenes"
    size = "quick" if setting.quick else "full"
    title = f"Probe of {run.decider}"
    head = (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width'>"
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>"
    )
    intro = (
        f"<h1>{escape(title)}</h1><p class='soft'>{escape(run.begun)}, seed {setting.seed}, "
        f"{size} sizes, order and wording on {escape(material)}, steelyard {__version__}</p>"
        "<p>Each null says what would be so if nothing were wrong. It <em>holds</em> where the "
        "whole interval lies within the margin of what counts as no effect, does <em>not hold</em> "
        "where the whole interval lies outside, and is otherwise <em>not shown</em>.</p>"
    )
    body = "".join(_result(result) for result in run.results)
    return f"{head}{intro}{_summary(run.results)}{body}</body></html>\n"


def _summary(results: Sequence[Result]) -> str:
    rows = "".join(
        f"<tr><td><a href='#{escape(result.experiment.name)}'>{escape(result.experiment.name)}</a>"
        f"</td><td>{escape(finding.null)}</td><td class='n'>{estimate_text(finding)}</td>"
        f"<td class='verdict {MARKS[finding.verdict]}'>{finding.verdict}</td></tr>"
        for result in results
        for finding in result.judgement.findings
    )
    head = "<tr><th>experiment</th><th>null</th><th>estimate</th><th>verdict</th></tr>"
    return f"<table>{head}{rows}</table>"


def _result(result: Result) -> str:
    experiment, judgement = result.experiment, result.judgement
    refused = sum(result.refusals.values())
    sent = f"{result.num_requests} requests" + (f", {refused} refused" if refused else "")
    parts = [
        f"<h2 id='{escape(experiment.name)}'>{escape(experiment.asks)}"
        f"<code>{escape(experiment.name)}</code></h2><p class='soft'>{sent}</p>",
        *(_finding(finding) for finding in judgement.findings),
        *(f"<p>{escape(note)}</p>" for note in judgement.notes),
        *(_table(table) for table in judgement.tables if table.rows),
    ]
    if result.refusals:
        rows = tuple((message, count) for message, count in result.refusals.items())
        parts.append(_table(Table("Refusals", ("what the server said", "requests"), rows)))
    return f"<section>{''.join(parts)}</section>"


def _finding(finding: Finding) -> str:
    texts = f"{finding.groups} texts, " if finding.groups else ""
    return (
        f"<div class='finding {MARKS[finding.verdict]}'><p><b>Null:</b> {escape(finding.null)}. "
        f"<span class='verdict'>{finding.verdict}</span>: {escape(finding.because)}.</p>"
        f"<p class='soft'>{escape(finding.measure)}: {estimate_text(finding)}"
        f"{f' ({texts}{100 * finding.level:.4g} % interval)' if finding.interval else ''}</p>"
        f"{_bar(finding)}</div>"
    )


def estimate_text(finding: Finding) -> str:
    """The estimate and its interval, or a dash."""
    if finding.estimate is None:
        return "–"
    if finding.interval is None:
        return number(finding.estimate)
    low, high = finding.interval
    return f"{number(finding.estimate)} [{number(low)}, {number(high)}]"


def number(value: float) -> str:
    """Three decimals, whole numbers without; "0" is exactly that, and "0.000" is not."""
    if value == round(value):
        return f"{value:.0f}".replace("-", "−")
    text = f"{value:.3f}"
    return (text.removeprefix("-") if float(text) == 0 else text).replace("-", "−")


def _bar(finding: Finding) -> str:
    """The interval on a line, over the band of what counts as no effect."""
    if finding.interval is None or finding.estimate is None:
        return ""
    low, high = finding.interval
    least, most = finding.margin
    points = [low, high, finding.estimate, 0.0, *filter(isfinite, finding.margin)]
    left, right = min(points), max(points)
    pad = 0.06 * (right - left) or 1.0
    left, right = left - pad, right + pad

    def x(value: float) -> float:
        return round(400 * (min(max(value, left), right) - left) / (right - left), 1)

    return (
        "<svg width='400' height='22' viewBox='0 0 400 22' role='img' "
        f"aria-label='interval {number(low)} to {number(high)}'>"
        f"<rect x='{x(least)}' y='2' width='{x(most) - x(least):.1f}' height='18' fill='#e6ebf1'/>"
        f"<line x1='{x(0.0)}' x2='{x(0.0)}' y1='2' y2='20' stroke='#8b95a1'/>"
        f"<line x1='{x(low)}' x2='{x(high)}' y1='11' y2='11' stroke='#1c2430' stroke-width='2'/>"
        f"<circle cx='{x(finding.estimate)}' cy='11' r='4' fill='#1c2430'/></svg>"
    )


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in table.columns)
    rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.rows)
    return f"<table><caption>{escape(table.title)}</caption><tr>{head}</tr>{rows}</table>"


def _cell(value: Cell) -> str:
    if value is None:
        return "<td class='n'>–</td>"
    if isinstance(value, str):
        return f"<td>{escape(value)}</td>"
    shown = f"{value:,}" if isinstance(value, int) else number(value)
    return f"<td class='n'>{shown}</td>"
