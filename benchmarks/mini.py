"""How well one model decides, on chosen suites of published questions.

    python -m benchmarks.mini --data DATA --model mini --mode untrained --sample 300

writes one record for each suite, `mini--MODEL-DTYPE-MODE--SUITE`, and keeps every answer, so a
killed run goes on where it stopped, and a larger sample asks only what is new. `--mode` is the name
under which the record appears in docs/mini.md; what makes it that mode is said by `--load` and
`--how`, arguments of `steelyard.load` and of the engine's calls:

    --mode continuation --how readout=continuation
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.record import (
    RECORDS,
    Provenance,
    add_model_arguments,
    add_record_arguments,
    load_model,
    model_name,
    model_settings,
    provenance,
    write_record,
)
from steelyard.evaluation.asking import Decider
from steelyard.evaluation.evaluate import evaluate
from steelyard.evaluation.run import Prediction
from steelyard.evaluation.suites.own import suite_of_file
from steelyard.evaluation.suites.registry import SUITES
from steelyard.evaluation.suites.suite import Suite

ANSWERS = RECORDS / "mini"


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    origin = provenance(options.allow_dirty)
    engine = load_model(options, **dict(options.load))
    chosen = [SUITES[name] for name in options.suites]
    for suite in (*chosen, *map(suite_of_file, options.examples)):
        print(record_suite(engine, suite, options, origin), flush=True)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.mini",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_model_arguments(made)
    made.add_argument("--data", type=Path, required=True, help="folder of the evaluation sets")
    made.add_argument(
        "--suites",
        nargs="*",
        choices=SUITES,
        default=list(SUITES),
        metavar="SUITE",
        help=f"any of {', '.join(SUITES)} (default: all)",
    )
    made.add_argument(
        "--examples",
        nargs="+",
        type=Path,
        default=[],
        metavar="JSONL",
        help="files of examples, such as a validation set, each a suite of its own",
    )
    made.add_argument(
        "--sample",
        type=int,
        help="stop drawing groups at this many questions a suite (default: all)",
    )
    made.add_argument("--seed", type=int, default=1, help="of the sample (default: 1)")
    made.add_argument("--mode", default="full", help="name of this way to ask (default: full)")
    for name, what in (("load", "steelyard.load"), ("how", "the engine's calls")):
        made.add_argument(
            f"--{name}",
            type=argument,
            nargs="+",
            default=[],
            metavar="NAME=VALUE",
            help=f"arguments of {what}",
        )
    made.add_argument(
        "--answers",
        type=Path,
        default=ANSWERS,
        help="folder of kept answers (default: %(default)s)",
    )
    add_record_arguments(made)
    return made


def argument(text: str) -> tuple[str, Any]:
    """`name=value`; a value that is no JSON is text, so that words need no quotes in a shell."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r}; allowed: NAME=VALUE, such as rotations=4")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def record_suite(
    engine: Decider, suite: Suite, options: argparse.Namespace, origin: Provenance
) -> Path:
    """Ask a sample of one suite, measure the answers and write the record."""
    cell = f"{model_name(options.model)}-{options.dtype}-{options.mode}"
    found = evaluate(
        engine,
        suite,
        options.data,
        options.answers / cell / f"{suite.name}.jsonl",
        limit=options.sample,
        seed=options.seed,
        how=dict(options.how),
        settings={"load": dict(options.load)},
        code=origin.commit[:12],
        progress=lambda done, total: show(f"{cell} {suite.name}", done, total),
        strict=True,
    )
    maker = found.maker
    assert maker is not None, f"{suite.name} has no questions"
    return write_record(
        options.records,
        f"mini--{cell}--{suite.name}",
        origin,
        seed=options.seed,
        settings=model_settings(options)
        | {
            "mode": options.mode,
            "suite": suite.name,
            "sample": options.sample,
            "questions": found.questions,
            "how": dict(options.how),
            "load": dict(options.load),
            "weights": maker.weights,
            "layout_digest": maker.layout,
            "calibrator": maker.calibrator,
            "exit_layers": maker.exit_layers,
            "commits": sorted({prediction.code for prediction in found.predictions}),
        },
        results={one.kind: asdict(one) for one in found.measures} | exits(found.predictions),
    )


def exits(predictions: Sequence[Prediction]) -> Mapping[str, object]:
    """How many answers each layer gave."""
    layers = sorted(prediction.exit_layer for prediction in predictions)
    return {
        "answers_by_layer": {str(layer): layers.count(layer) for layer in dict.fromkeys(layers)}
    }


def show(name: str, done: int, total: int) -> None:
    """One line on stderr, where somebody may be watching."""
    end = "\n" if done == total else ""
    print(f"\r{name}  {done}/{total} answers ", end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
