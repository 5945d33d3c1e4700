"""A model with its adapter against the same model with merged weights, on real questions.

    steelyard export recipes/mini.toml build/mini -o build/mini-merged --name mini --merged float32
    python -m benchmarks.merged --merged build/mini-merged --examples build/data/valid.jsonl.gz

The adapter is merged when a model is loaded, so the two differ by the rounding of what was written:
nothing in float32, a few thousandths in bfloat16.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.answers import distribution
from benchmarks.record import (
    add_model_arguments,
    add_record_arguments,
    load_model,
    model_name,
    model_settings,
    provenance,
    write_record,
)
from steelyard.data.dataset import read_examples
from steelyard.evaluation.sample import sample
from steelyard.types.example import Example
from steelyard.types.request import Request


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    origin = provenance(options.allow_dirty)
    examples = sample(list(read_examples(options.examples)), options.sample, options.seed)
    here, there = (
        answers(path, examples, options) for path in (options.model, str(options.merged))
    )
    distances = [float(np.abs(a - b).max()) for a, b in zip(here, there, strict=True)]
    same = [a.argmax() == b.argmax() for a, b in zip(here, there, strict=True)]
    path = write_record(
        options.records,
        f"merged--{model_name(options.model)}-{options.dtype}",
        origin,
        seed=options.seed,
        settings=model_settings(options) | {"sample": options.sample},
        results={
            "questions": len(examples),
            "same_answer": float(np.mean(same)),
            "largest_difference": max(distances),
            "median_difference": float(np.median(distances)),
        },
    )
    print(path)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.merged",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_model_arguments(made)
    made.add_argument("--merged", type=Path, required=True, help="folder with merged weights")
    made.add_argument("--examples", type=Path, required=True, help="such as a validation file")
    made.add_argument("--sample", type=int, default=300, help="questions (default: 300)")
    made.add_argument("--seed", type=int, default=1, help="of the sample (default: 1)")
    add_record_arguments(made)
    return made


def answers(
    model: str, examples: Sequence[Example], options: argparse.Namespace
) -> list[np.ndarray]:
    """For each example the probabilities of its options."""
    engine = load_model(options, model=model)
    requests = [Request(one.state, {"q": one.question}) for one in examples]
    return [
        np.array(list(distribution(response.answers["q"]).values()))
        for start in range(0, len(requests), 32)
        for response in engine.decide_many(requests[start : start + 32])
    ]


if __name__ == "__main__":
    main()
