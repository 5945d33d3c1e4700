"""A response with a bar for every option, for people."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from steelyard.types.answer import Answer, ChoiceAnswer, NoulAnswer, Response, ScoreAnswer, Verdict
from steelyard.types.codec import dumps

MAX_OPTIONS = 12
"""Options shown per question; of more, the likeliest are shown and the others summed up."""

_BAR_CELLS = 24
_MIN_NAME_CELLS, _MAX_NAME_CELLS = 20, 40
_EIGHTHS = " ▏▎▍▌▋▊▉"


@dataclass(frozen=True, slots=True)
class Option:
    """A possible answer as it is shown; `best` marks the one that is the answer."""

    name: str
    probability: float
    best: bool


def print_response(response: Response, *, digits: int | None) -> None:
    """Print the answers on standard output, in the characters that its encoding has."""
    console = Console()
    ascii_only = not console.encoding.lower().startswith("utf")
    if ascii_only and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a question mark is better than a traceback
    console.print(response_table(response, digits=digits, ascii_only=ascii_only))


def response_table(response: Response, *, digits: int | None, ascii_only: bool) -> Group:
    """The answers, one block per question, and a line on what they rest on.

    Args:
        digits: decimals of the numbers, 3 for None.
        ascii_only: draw with characters that every terminal has.
    """
    decimals = 3 if digits is None else digits
    options = {name: options_of(answer) for name, answer in response.answers.items()}
    widest = max(cell_len(option.name) for group in options.values() for option in group)
    name_cells = max(_MIN_NAME_CELLS, min(widest, _MAX_NAME_CELLS))
    blocks: list[Text | Table] = []
    for name, answer in response.answers.items():
        blocks.append(_title(name, answer, decimals, ascii_only))
        blocks.append(_bars(options[name], name_cells, decimals, ascii_only))
        blocks.append(Text())
    return Group(*blocks, Text(_join(_basis(response), ascii_only), style="dim"))


def options_of(answer: Answer) -> list[Option]:
    """Every option of an answer, in the order asked."""
    if isinstance(answer, NoulAnswer):
        numbers = {"yes": answer.noul, "no": 1.0 - answer.noul}
        best = "yes" if answer.noul >= 0.5 else "no"
    elif isinstance(answer, ChoiceAnswer):
        numbers, best = dict(answer.probabilities), answer.choice
    else:
        levels = [level if isinstance(level, str) else dumps(level) for level in answer.legend]
        numbers = {f"{key} {levels[int(key)]}": p for key, p in answer.probabilities.items()}
        best = max(numbers, key=numbers.__getitem__)
    return [Option(printable(name), p, name == best) for name, p in numbers.items()]


def bar(probability: float, ascii_only: bool = False, cells: int = _BAR_CELLS) -> str:
    """A bar of up to `cells` characters, drawn to an eighth of one."""
    if ascii_only:
        return "#" * round(probability * cells)
    eighths = round(probability * cells * 8)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()


def printable(text: str) -> str:
    """Text without what could move the cursor or break the line."""
    return "".join(char if char.isprintable() else " " for char in text)


def _title(name: str, answer: Answer, decimals: int, ascii_only: bool) -> Text:
    facts = []
    if isinstance(answer, ScoreAnswer):
        facts.append(f"score {answer.score:.{decimals}f} of {len(answer.legend) - 1}")
    if not isinstance(answer, NoulAnswer):
        facts.append(f"confidence {answer.confidence:.{decimals}f}")
    elif answer.committed is not None:
        facts.append(f"committed {answer.committed:.{decimals}f}")
    facts.append(f"layer {answer.basis.exit_layer}")
    facts.extend(_verdict(answer.verdict))
    return Text.assemble((printable(name), "bold"), ("  " + _join(facts, ascii_only), "dim"))


def _verdict(verdict: Verdict | None) -> list[str]:
    """The action, and the set with its coverage."""
    facts: list[str] = []
    if verdict is not None and verdict.action is not None:
        facts.append(verdict.action)
    if verdict is not None and verdict.options is not None and verdict.coverage is not None:
        inside = ", ".join(printable(option) for option in verdict.options)
        facts.append(f"{verdict.coverage:.0%} within: {inside}")
    return facts


def _bars(options: Sequence[Option], name_cells: int, decimals: int, ascii_only: bool) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(width=3, no_wrap=True)
    table.add_column(width=name_cells, overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    shown = options
    if len(options) > MAX_OPTIONS:
        shown = sorted(options, key=lambda option: -option.probability)[:MAX_OPTIONS]
    marker = "  >" if ascii_only else "  ▸"
    for option in shown:
        style = "bold green" if option.best else "default"
        table.add_row(
            Text(marker if option.best else "", style),
            Text(option.name, style),
            Text(f"{option.probability:.{decimals}f}", style),
            Text(bar(option.probability, ascii_only), "green" if option.best else "blue"),
        )
    if len(shown) < len(options):
        rest = max(0.0, 1.0 - sum(option.probability for option in shown))
        others = f"{len(options) - len(shown)} others together"
        table.add_row("", Text(others, "dim"), Text(f"{rest:.{decimals}f}", "dim"))
    return table


def _basis(response: Response) -> list[str]:
    bases = [answer.basis for answer in response.answers.values()]
    calibrated = sum(basis.calibration is not None for basis in bases)
    return [
        printable(response.model),
        response.audit.layout_name,
        "+".join(dict.fromkeys(basis.readout for basis in bases)),
        *_depth(response),
        f"{response.usage.input_tokens:,} tokens",
        f"{response.timings.total_ms:,.0f} ms",
        "calibrated"
        if calibrated == len(bases)
        else f"{calibrated} of {len(bases)} calibrated"
        if calibrated
        else "uncalibrated",
    ]


def _depth(response: Response) -> list[str]:
    """How deep the answers went, where they might have left early."""
    *early, last = response.audit.exit_layers
    if not early:
        return []
    layers = [answer.basis.exit_layer for answer in response.answers.values()]
    return [f"{sum(layers) / len(layers):.1f} of {last} layers"]


def _join(facts: Sequence[str], ascii_only: bool) -> str:
    return (" | " if ascii_only else " · ").join(facts)
