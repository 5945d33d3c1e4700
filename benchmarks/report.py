"""docs/measurements.md from the records.

python -m benchmarks.report           writes the page
python -m benchmarks.report --check   fails if the page is not what the records say
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks import ability_table, conformance_table, http_tables
from benchmarks.record import RECORDS, ROOT, read_records
from benchmarks.tables import source, table

Record: TypeAlias = Mapping[str, Any]

PAGE = ROOT / "docs" / "measurements.md"
HEAD = """# Measurements

Generated from `benchmarks/records` by `python -m benchmarks.report`; do not edit. Every figure
comes from a record, which names the commit, the machine, the versions and the command. Intervals
are 95 %, from a bootstrap that draws whole states. `--data` names a folder with the evaluation
sets.
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.report",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--check", action="store_true", help="write nothing, fail on a difference")
    options = parser.parse_args()
    page = render(RECORDS)
    if not options.check:
        PAGE.write_text(page, encoding="utf-8")
    elif page != PAGE.read_text(encoding="utf-8"):
        raise SystemExit(f"{PAGE.relative_to(ROOT)} is not what the records say; write it again")


def render(folder: Path) -> str:
    """The page for the records in `folder`; what has no record has no section."""
    parts = [HEAD]
    for title, benchmark, section in SECTIONS:
        records = read_records(folder, benchmark)
        if records:
            parts.append(f"## {title}\n\n{section(records, folder)}")
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def ability(records: Sequence[Record], folder: Path) -> str:
    commands = dict.fromkeys(record["provenance"]["command"] for record in records)
    made = "\n".join(commands)
    commits = sorted({commit for record in records for commit in record["settings"]["commits"]})
    return (
        "How often an answer is right, on questions with a known answer. JevBench's questions "
        'whose answer is "unknown" are left out. "Balanced" is the mean of the accuracies on true '
        "yes and on true no, and AUROC is the chance that a true yes gets more than a true no; "
        "both are 0.50 for an answer that does not depend on the state.\n\n"
        f"{ability_table.render(folder)}\n"
        f"`{_path('ability--*')}`, commits {', '.join(commits)}\n\n```\n{made}\n```"
    )


def shared_prefix(records: Sequence[Record], _: Path) -> str:
    rows = [
        [
            _model(record),
            str(record["settings"]["states"]),
            str(found["decisions"]),
            f"{found['largest_difference']:.1e}",
            str(found["flips"]),
            f"{found['shared_per_second']:.2f}",
            f"{found['fresh_per_second']:.2f}",
            f"{found['ratio']:.1f}",
            f"{found['ratio_by_state']['low']:.1f} to {found['ratio_by_state']['high']:.1f}",
        ]
        for record in records
        for found in (record["results"],)
    ]
    head = ["model", "states", "decisions", "largest difference", "flips", "shared, per second"]
    head += ["fresh, per second", "ratio", "ratio by state"]
    return _with_sources(
        "States of about 1,800 tokens, 21 yes/no criteria each: asked together (shared), and one "
        "by one with nothing kept in between (fresh).",
        table(head, rows),
        records,
    )


def isolation(records: Sequence[Record], _: Path) -> str:
    companies = list(next(iter(records[0]["results"].values())))
    rows = [
        [
            record["settings"]["model"],
            readout,
            str(record["settings"]["questions"]),
            *(f"{found[company]:.1e}" for company in companies),
        ]
        for record in records
        for readout, found in record["results"].items()
    ]
    return _with_sources(
        "Largest difference of a probability between asking all questions of a state together and "
        "asking again, one alone, in reverse order, or under other ids.",
        table(["model", "readout", "questions", *companies], rows),
        records,
    )


def packing(records: Sequence[Record], _: Path) -> str:
    rows = [
        [
            record["settings"]["model"],
            str(record["results"]["questions"]),
            str(record["results"]["needed_tokens"]),
            str(record["results"]["computed_tokens"]),
            f"{100 * record['results']['waste']:.2f} %",
            f"{100 * record['results']['padded_waste']:.0f} %",
        ]
        for record in records
    ]
    head = ["model", "questions", "tokens needed", "tokens computed", "waste", "waste if padded"]
    return _with_sources(
        "One state with 64 questions of 5 to 420 words. Needed: the shared root once and each "
        "branch once. Padded: every branch as long as the longest.",
        table(head, rows),
        records,
    )


def cost(records: Sequence[Record], _: Path) -> str:
    rows = [
        [
            _model(record),
            size,
            f"{found['seconds']['median']:.2f}",
            f"{found['seconds']['low']:.2f} to {found['seconds']['high']:.2f}",
            f"{found['ratio']:.2f}",
            str(found["computed_tokens"]),
            str(found["passes"]),
        ]
        for record in records
        for size, found in record["results"].items()
    ]
    head = ["model", "options", "seconds, median", "spread", "ratio to 26", "tokens", "passes"]
    return _with_sources(
        "One choice over a state of about 1,800 tokens, nothing kept between requests.",
        table(head, rows),
        records,
    )


def position(records: Sequence[Record], _: Path) -> str:
    rows = [
        [_model(record), place, f"{found['hits']} of {found['n']}", f"{found['probability']:.3f}"]
        for record in records
        for place, found in record["results"].items()
    ]
    return _with_sources(
        "The state names one of 255 queues. How often it is found, by its place among the options.",
        table(["model", "position", "found", "mean probability"], rows),
        records,
    )


def parity(records: Sequence[Record], _: Path) -> str:
    rows = [
        [
            record["settings"]["model"],
            str(found["prompts"]),
            f"{found['tokens']['low']:.0f} to {found['tokens']['high']:.0f}",
            f"{found['largest_difference']:.1e}",
            f"{found['median_difference']:.1e}",
        ]
        for record in records
        for found in (record["results"],)
    ]
    head = ["model", "prompts", "tokens", "largest difference", "median difference"]
    return _with_sources(
        "Difference of the label probabilities to transformers, both in fp32, on prompts of real "
        "questions.",
        table(head, rows),
        records,
    )


def memory(records: Sequence[Record], _: Path) -> str:
    rows = [
        [
            _model(record),
            store,
            *(_mib(found[f"{at}_bytes"]) for at in ("loaded", "peak", "peak_later")),
            str(found["input_tokens"]),
        ]
        for record in records
        for store, found in record["results"].items()
    ]
    num_states = records[0]["settings"]["states"]
    head = ["model", "store", "after loading, MiB", "after one state, MiB"]
    head += [f"after {num_states} states, MiB", "tokens of a request"]
    return _with_sources(
        "Largest resident set (VmHWM) of a process that answers 21 questions on a state of about "
        "2,000 tokens, and then on others, which fill the store.",
        table(head, rows),
        records,
    )


def delta_rule(records: Sequence[Record], _: Path) -> str:
    rows = []
    for record in records:
        cell, found = record["settings"], record["results"]
        for name in ("chunks", "recurrence"):
            took = found[f"{name}_us_per_token"]
            rows.append(
                [
                    f"{cell['tokens']:,}",
                    name,
                    f"{found[f'{name}_kept_bytes_per_token'] / 1024:,.0f}",
                    f"{took['median']:,.0f} ({took['low']:,.0f} to {took['high']:,.0f})",
                ]
            )
    cell, found = records[0]["settings"], records[0]["results"]
    head = ["tokens", "computed", "kept for the way back, KiB a token", "CPU time, µs a token"]
    return _with_sources(
        "Gated DeltaNet's rule in training, forward and back: one layer with "
        f"{cell['value_heads']} value heads of {cell['dim']} by {cell['dim']} (Qwen3.5-4B has 32 "
        "in each of 24 layers; "
        "memory and time grow with their number), float32, one thread. What chunks and recurrence "
        f"read differs by at most {found['largest_difference']:.0e}.",
        table(head, rows),
        records,
    )


def train_memory(records: Sequence[Record], _: Path) -> str:
    (record,) = records
    cell, found = record["settings"], record["results"]
    layers = {
        f"a recurrent layer, of {cell['recurrent_layers']}": "recurrent",
        f"a layer of attention, of {cell['attention_layers']}": "attention",
        "all of them": "model",
        "all of them, recomputed": "recomputed",
    }
    kib = {name: found[f"{key}_bytes_per_token"] / 1024 for name, key in layers.items()}
    rows = [[name, f"{kept:,.0f}"] for name, kept in kib.items()]
    return _with_sources(
        "What autograd keeps for a token between forward and backward pass, in layers of the shape "
        f"of Qwen3.5-4B with low-rank terms of rank {cell['rank']}, products in bfloat16, measured "
        f"on {cell['tokens']} tokens on a CPU.",
        table(["", "KiB a token"], rows),
        records,
    )


def conformance(records: Sequence[Record], _: Path) -> str:
    return conformance_table.render(records)


SECTIONS: Sequence[tuple[str, str, Callable[[Sequence[Record], Path], str]]] = (
    ("Real ability", "ability", ability),
    ("A shared state", "shared_prefix", shared_prefix),
    ("Isolation", "isolation", isolation),
    ("Packing", "packing", packing),
    ("255 options: cost", "wide_choices_cost", cost),
    ("255 options: position", "wide_choices_position", position),
    ("Parity with transformers", "parity_real", parity),
    ("Memory", "memory", memory),
    ("The delta rule in chunks", "delta_rule", delta_rule),
    ("Memory in training", "train_memory", train_memory),
    ("Conformance", "conformance", conformance),
    ("What HTTP costs", "http_overhead", http_tables.overhead),
    ("The server under load", "http_load", http_tables.load),
    ("The server under hostile calls", "fuzz", http_tables.fuzz),
)


def _with_sources(sentence: str, shown: str, records: Sequence[Record]) -> str:
    return "\n\n".join([sentence, shown, *(source(record) for record in records)])


def _model(record: Record) -> str:
    cell = record["settings"]
    rotations = cell.get("rotations", 1)
    shown = f", {rotations} rotations" if rotations > 1 else ""
    return f"{cell['model']}, {cell['dtype']}, {cell['readout']}{shown}"


def _mib(num_bytes: int) -> str:
    return f"{num_bytes / 2**20:.0f}"


def _path(name: str) -> Path:
    return RECORDS.relative_to(ROOT) / f"{name}.json"


if __name__ == "__main__":
    main()
