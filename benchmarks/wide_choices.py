"""Many options: what 255 cost against 26, and whether the right one is found at any position.

    python -m benchmarks.wide_choices cost --model mini
    python -m benchmarks.wide_choices position --model mini --readout continuation

`cost` asks for one of 26, 64, 128 and 255 queues over the same state of about 1,800 tokens, with
nothing kept between requests; every round takes all sizes one after another, so that they share
the machine's mood. `position` puts the queue that the state names at places 1, 26, 27, 128 and 255
of 255, some tickets each.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from time import perf_counter

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
from benchmarks.workloads import directory, right_queue, shape777
from steelyard.types.answer import ChoiceAnswer, Response
from steelyard.types.request import Request

Ask = Callable[..., Response]
"""`Engine.decide` with its options filled in."""

SIZES = (26, 64, 128, 255)
POSITIONS = (1, 26, 27, 128, 255)


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    origin = provenance(options.allow_dirty)
    engine = load_model(options, readout=options.readout, layout=options.layout, store_bytes=0)
    measure = {"cost": cost, "position": position}[options.what]
    results = measure(partial(engine.decide, rotations=options.rotations), options.repeats)
    name = f"{model_name(options.model)}-{options.dtype}-{options.readout}"
    if options.rotations > 1:
        name += f"-r{options.rotations}"
    path = write_record(
        options.records,
        f"wide_choices_{options.what}--{name}",
        origin,
        settings=model_settings(options)
        | {
            "readout": options.readout,
            "layout": options.layout,
            "rotations": options.rotations,
            "repeats": options.repeats,
        },
        results=results,
    )
    print(path)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.wide_choices",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("what", choices=("cost", "position"))
    add_model_arguments(made)
    made.add_argument("--readout", default="letters")
    made.add_argument("--layout", default="isolated-v1")
    made.add_argument("--rotations", type=int, default=1)
    made.add_argument("--repeats", type=int, default=5, help="rounds, or tickets per position")
    add_record_arguments(made)
    return made


def cost(ask: Ask, repeats: int) -> dict[str, object]:
    """Seconds, tokens and passes for each number of options, and the ratios to 26."""
    state = shape777()[0].state
    assert isinstance(state, str)
    requests = {size: directory(size, size // 2, state=state) for size in SIZES}
    seconds: dict[int, list[float]] = {size: [] for size in SIZES}
    responses: dict[int, Response] = {}
    ask(directory(2, 1).state, directory(2, 1).questions)  # warms up
    for number in range(1, repeats + 1):
        for size, request in requests.items():
            started = perf_counter()
            responses[size] = ask(request.state, request.questions)
            seconds[size].append(perf_counter() - started)
        shown = ", ".join(f"{size}: {seconds[size][-1]:.2f} s" for size in SIZES)
        print(f"round {number}/{repeats}  {shown}", file=sys.stderr, flush=True)
    base = SIZES[0]
    return {
        str(size): {
            "seconds": asdict(summarise(seconds[size])),
            "computed_tokens": responses[size].audit.computed_tokens,
            "passes": responses[size].answers["queue"].basis.passes,
            "ratio": summarise(
                [now / then for now, then in zip(seconds[size], seconds[base], strict=True)]
            ).median,
            "tokens_ratio": responses[size].audit.computed_tokens
            / responses[base].audit.computed_tokens,
        }
        for size in SIZES
    }


def position(ask: Ask, repeats: int) -> dict[str, object]:
    """How often the named queue wins at each position of 255, and its mean probability."""
    return {
        str(place): finds(ask, [directory(255, place, seed) for seed in range(1, repeats + 1)])
        for place in POSITIONS
    }


def finds(ask: Ask, requests: Sequence[Request]) -> dict[str, object]:
    """Hits and mean probability of the right queue."""
    found = []
    for request in requests:
        answer = ask(request.state, request.questions).answers["queue"]
        assert isinstance(answer, ChoiceAnswer)
        right = right_queue(request)
        found.append((answer.choice == right, answer.probabilities[right]))
        print(f"{right}: {answer.choice} p={found[-1][1]:.3f}", file=sys.stderr, flush=True)
    return {
        "hits": sum(hit for hit, _ in found),
        "n": len(found),
        "probability": sum(p for _, p in found) / len(found),
    }


if __name__ == "__main__":
    main()
