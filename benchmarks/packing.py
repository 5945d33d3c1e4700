"""How many computed tokens are waste: one state, 64 questions of 5 to 420 words.

    python -m benchmarks.packing --model mini

Needed are the tokens of the shared root once and of every branch once; computed are the rows of
the batches that `pack` lays, and those that the engine says it computed. As rows can still be
unequally expensive, the time is compared with that of 64 questions of equal length and the same
number of words.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from time import perf_counter

import steelyard
from benchmarks.plans import first_plans
from benchmarks.record import (
    add_model_arguments,
    add_record_arguments,
    load_model,
    model_name,
    model_settings,
    provenance,
    summarise,
    write_record,
)
from benchmarks.workloads import digest, equal64, unequal64
from steelyard.engine.pipeline import BUDGET_TOKENS
from steelyard.tokens.pack import pack
from steelyard.tokens.plan import TokenPlan
from steelyard.types.request import Request


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    origin = provenance(options.allow_dirty)
    engine = load_model(options, store_bytes=0)
    path = write_record(
        options.records,
        f"packing--{model_name(options.model)}-{options.readout}",
        origin,
        settings=model_settings(options)
        | {
            "readout": options.readout,
            "layout": "isolated-v1",
            "budget_tokens": BUDGET_TOKENS,
            "workload": digest([unequal64()]),
        },
        results=waste(
            first_plans(engine, unequal64(), readout=options.readout, layout="isolated-v1")
        )
        | times(engine, options.readout, options.repeats),
    )
    print(path)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.packing",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_model_arguments(made)
    made.add_argument("--readout", default="letters")
    made.add_argument("--repeats", type=int, default=3, help="timed rounds (default: 3)")
    add_record_arguments(made)
    return made


def waste(plans: Sequence[TokenPlan], budget_tokens: int = BUDGET_TOKENS) -> dict[str, object]:
    """Rows of the packed batches against the tokens that had to be computed."""
    needed = needed_tokens(plans)
    computed = sum(batch.num_rows for batch in pack(plans, budget_tokens=budget_tokens))
    longest = max(branch_tokens(plan) for plan in plans)
    padded = len(plans[0].nodes[0].ids) + len(plans) * longest
    return {
        "questions": len(plans),
        "needed_tokens": needed,
        "packed_tokens": computed,
        "waste": computed / needed - 1,
        "padded_waste": padded / needed - 1,
    }


def needed_tokens(plans: Sequence[TokenPlan]) -> int:
    """Tokens of each different root once, and of each branch once."""
    roots = {plan.nodes[0].ids for plan in plans}
    return sum(map(len, roots)) + sum(map(branch_tokens, plans))


def branch_tokens(plan: TokenPlan) -> int:
    return plan.num_tokens - len(plan.nodes[0].ids)


def times(engine: steelyard.Engine, readout: str, repeats: int) -> dict[str, object]:
    """Seconds for unequal and for equal questions, and the tokens that the engine reports."""
    workloads = {"unequal": unequal64(), "equal": equal64()}
    seconds: dict[str, list[float]] = {name: [] for name in workloads}
    tokens = {}
    for number in range(1, repeats + 1):
        for name, request in workloads.items():
            seconds[name].append(0.0)
            seconds[name][-1], tokens[name] = timed(engine, request, readout)
        shown = ", ".join(f"{name} {each[-1]:.1f} s" for name, each in seconds.items())
        print(f"round {number}/{repeats}: {shown}", file=sys.stderr, flush=True)
    per_token = [
        (unequal / tokens["unequal"]) / (equal / tokens["equal"])
        for unequal, equal in zip(seconds["unequal"], seconds["equal"], strict=True)
    ]
    return {
        "computed_tokens": tokens["unequal"],
        "computed_tokens_equal": tokens["equal"],
        "seconds": asdict(summarise(seconds["unequal"])),
        "seconds_equal": asdict(summarise(seconds["equal"])),
        "time_per_token_ratio": asdict(summarise(per_token)),
    }


def timed(engine: steelyard.Engine, request: Request, readout: str) -> tuple[float, int]:
    started = perf_counter()
    response = engine.decide(
        request.state, request.questions, readout=readout, layout="isolated-v1"
    )
    return perf_counter() - started, response.audit.computed_tokens


if __name__ == "__main__":
    main()
