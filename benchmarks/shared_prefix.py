"""What a shared state saves: 37 states x 21 yes/no criteria, asked together and one by one.

    python -m benchmarks.shared_prefix --model mini --states 4

For each state all criteria are asked in one call (shared), then one by one with nothing kept
between the calls (fresh), so the two times stand side by side under the same load. The
probabilities must agree to 1e-5 in fp32, and no answer may flip. Rows are kept as they come: a
run that is started again goes on, with more states if more are asked for.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from time import perf_counter

import steelyard
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
from benchmarks.workloads import NUM_STATES, digest, shape777
from steelyard.evaluation.kept import Row, append_rows, read_rows
from steelyard.types.answer import NoulAnswer, Response
from steelyard.types.question import Noul
from steelyard.types.request import Request


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    origin = provenance(options.allow_dirty)
    name = f"shared_prefix--{model_name(options.model)}-{options.dtype}-{options.readout}"
    engine = load_model(options, readout=options.readout, layout="isolated-v1", store_bytes=0)
    kept = options.records / "shared_prefix" / f"{name}.jsonl"
    rows = list(measure(engine, shape777()[: options.states], kept, origin.commit))
    path = write_record(
        options.records,
        name,
        origin,
        settings=model_settings(options)
        | {
            "readout": options.readout,
            "layout": "isolated-v1",
            "states": options.states,
            "workload": digest(shape777()),
            "weights": rows[0]["weights"],
            "commits": sorted({row["commit"] for row in rows}),
        },
        results=compare(rows),
    )
    print(path)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.shared_prefix",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_model_arguments(made)
    made.add_argument("--readout", default="letters")
    made.add_argument("--states", type=int, default=NUM_STATES, help="so many of the 37 states")
    add_record_arguments(made)
    return made


def measure(
    engine: steelyard.Engine, requests: Sequence[Request], kept: Path, commit: str
) -> Iterator[Row]:
    """A row for each state, from the file or from the engine."""
    known = {row["state"]: row for row in read_rows(kept)}
    engine.decide("A warm-up.", {"warm": Noul("Is it warm?")})
    for index, request in enumerate(requests):
        row = known.get(index)
        if row is None:
            row = ask_both_ways(engine, request) | {"state": index, "commit": commit[:12]}
            append_rows(kept, [row])
        print(
            f"state {index + 1}/{len(requests)}: shared {row['shared_seconds']:.1f} s, "
            f"fresh {row['fresh_seconds']:.1f} s",
            file=sys.stderr,
            flush=True,
        )
        yield row


def ask_both_ways(engine: steelyard.Engine, request: Request) -> Row:
    """One state's P(yes) for each criterion, seconds and tokens, shared and fresh."""
    started = perf_counter()
    shared = engine.decide(request.state, request.questions)
    between = perf_counter()
    fresh = [
        engine.decide(request.state, {name: question})
        for name, question in request.questions.items()
    ]
    ended = perf_counter()
    return {
        "weights": shared.audit.weights[:16],
        "shared": nouls(shared),
        "fresh": {name: p for response in fresh for name, p in nouls(response).items()},
        "shared_seconds": between - started,
        "fresh_seconds": ended - between,
        "shared_tokens": shared.audit.computed_tokens,
        "fresh_tokens": sum(response.audit.computed_tokens for response in fresh),
    }


def nouls(response: Response) -> dict[str, float]:
    found = {}
    for name, answer in response.answers.items():
        assert isinstance(answer, NoulAnswer)
        found[name] = answer.noul
    return found


def compare(rows: Sequence[Row]) -> dict[str, object]:
    """Agreement, rates and the ratio of the rates, state by state."""
    pairs = [(p, row["fresh"][name]) for row in rows for name, p in row["shared"].items()]
    shared_seconds = sum(row["shared_seconds"] for row in rows)
    fresh_seconds = sum(row["fresh_seconds"] for row in rows)
    ratios = [row["fresh_seconds"] / row["shared_seconds"] for row in rows]
    return {
        "decisions": len(pairs),
        "largest_difference": max(abs(shared - fresh) for shared, fresh in pairs),
        "flips": sum((shared > 0.5) != (fresh > 0.5) for shared, fresh in pairs),
        "shared_per_second": len(pairs) / shared_seconds,
        "fresh_per_second": len(pairs) / fresh_seconds,
        "ratio": fresh_seconds / shared_seconds,
        "ratio_by_state": asdict(summarise(ratios)),
        "tokens_ratio": sum(row["fresh_tokens"] for row in rows)
        / sum(row["shared_tokens"] for row in rows),
    }


if __name__ == "__main__":
    main()
