"""Runtimes and precisions side by side on one CPU, and transformers' plain loop beside them.

    python -m benchmarks.cpu_runtimes --model mini --states 4

Workloads: one short question (about 120 tokens); a state of 250, 1,000 and 4,000 tokens with 1, 5,
20 and 100 yes/no criteria; and long states with 21 criteria each (37 of them are the shape that
shared prefixes are for). In every round all variants compute a workload one after the other, so a
ratio compares times that stand side by side; what is given is the ratio of medians. Answers are
compared with torch in float32, question by question.

The plain loop computes each question by itself, as transformers does it: one causal text of as many
tokens as a question and its state have here. Of many questions it computes five, and counts the
rest like these.

Start-up and memory are measured in a process for each variant: from an interpreter to the first
answer, with whatever the runtime has kept from an earlier start.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from benchmarks.documents import document
from benchmarks.record import (
    ROOT,
    add_record_arguments,
    model_name,
    provenance,
    summarise,
    write_record,
)
from benchmarks.workloads import NUM_STATES, criteria, digest, shape777
from steelyard.models.locate import locate
from steelyard.types.answer import NoulAnswer, Response
from steelyard.types.question import Noul
from steelyard.types.request import Request

ENGINES = ("torch-float32", "torch-bfloat16", "openvino-float32", "openvino-bfloat16")
PLAIN = ("transformers-float32", "transformers-bfloat16")
REFERENCE = "torch-float32"
STATES = {250: 850, 1000: 3650, 4000: 14600}  # tokens of a contract -> its characters
QUESTIONS = (1, 5, 20, 100)
PLAIN_QUESTIONS = 5
SHORT = Request(
    state="I was charged twice this month and nobody answers my mails. I have been a customer for "
    "six years. Please look into it today, or I will take my business elsewhere for good.",
    questions={
        "urgent": Noul(
            "Does the writer need an answer today?",
            {"true": "They would be harmed by waiting", "false": "It can wait for a day or more"},
        )
    },
)

Run = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Workload:
    """What is asked in one measurement: requests, each of them one call."""

    name: str
    requests: tuple[Request, ...]


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    if options.child is not None:
        print(json.dumps(started(options)))
        return
    origin = provenance(options.allow_dirty)
    words = list(sys.argv[1:] if argv is None else argv)
    chosen = [variant for variant in (*ENGINES, *PLAIN) if variant in options.variants.split(",")]
    starts = {v: in_child(words, v) for v in chosen if v in ENGINES}
    planned = workloads(options.states)
    kinds = options.workloads.split(",")
    planned = [one for one in planned if one.name.split("-")[0] in kinds]
    path = write_record(
        options.records,
        f"cpu_runtimes--{model_name(options.model)}-{options.threads}",
        origin,
        settings={
            "model": model_name(options.model),
            "threads": options.threads,
            "rounds": options.rounds,
            "seconds": options.seconds,
            "states": options.states,
            "workloads": {one.name: digest(one.requests) for one in planned},
        },
        results={"start": starts, "workloads": measure(options, chosen, planned)},
    )
    print(path)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.cpu_runtimes",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--model", default="mini", help="name or path (default: %(default)s)")
    made.add_argument("--threads", type=int, default=2, help="CPU threads (default: 2)")
    made.add_argument(
        "--variants", default=",".join((*ENGINES, *PLAIN)), help="with commas between"
    )
    made.add_argument("--workloads", default="short,states,shape777", help="with commas between")
    made.add_argument("--rounds", type=int, default=7, help="at most so many of each")
    made.add_argument(
        "--seconds", type=float, default=40.0, help="no new round of a workload after this time"
    )
    made.add_argument("--states", type=int, default=2, help=f"long states, up to {NUM_STATES}")
    made.add_argument("--child", choices=ENGINES, help=argparse.SUPPRESS)
    add_record_arguments(made)
    return made


def workloads(num_states: int) -> list[Workload]:
    """All of them, the shortest first."""
    random = Random(0)
    found = [Workload("short", (SHORT,))]
    for tokens, characters in STATES.items():
        state = document("contract", random, characters)
        found += [
            Workload(f"states-{tokens}x{n}", (Request(state=state, questions=asked(n)),))
            for n in QUESTIONS
        ]
    return [*found, Workload(f"shape777-{num_states}x21", shape777()[:num_states])]


def asked(num_questions: int) -> dict[str, Noul]:
    """So many criteria, no two of the same words."""
    known = list(criteria().values())
    return {
        f"q{index:03d}": Noul(f"{question.instructions} (Point {index + 1}.)", question.criteria)
        for index, question in enumerate(islice(cycle(known), num_questions))
    }


def measure(
    options: argparse.Namespace, variants: Sequence[str], planned: Sequence[Workload]
) -> dict[str, object]:
    engines = {v: engine_of(v, options) for v in variants if v in ENGINES}
    loops = {v: PlainLoop(options.model, v, options.threads) for v in variants if v in PLAIN}
    assert REFERENCE in engines, f"{REFERENCE} is what the others are compared with"
    adaptive = locate(options.model).manifest.exits is not None
    results: dict[str, object] = {}
    for workload in planned:
        lengths = question_tokens(engines[REFERENCE], workload)
        runs: dict[str, Run] = {}
        for variant, engine in engines.items():
            runs[variant] = partial(decide, engine, workload.requests, "full")
            if adaptive:
                runs[f"{variant}-adaptive"] = partial(decide, engine, workload.requests, "adaptive")
        for variant, loop in loops.items():
            runs[variant] = partial(loop.run, lengths[:PLAIN_QUESTIONS])
        timings = timed(runs, options)
        for variant in loops:
            times, out = timings[variant]
            scale = sum(lengths) / sum(lengths[:PLAIN_QUESTIONS])
            timings[variant] = ([ms * scale for ms in times], out)
        results[workload.name] = compare(timings, lengths)
        print(json.dumps({workload.name: results[workload.name]}), file=sys.stderr, flush=True)
    return results


def decide(engine: Any, requests: Sequence[Request], depth: str) -> list[Response]:
    return [engine.decide(r.state, r.questions, depth=depth) for r in requests]


def question_tokens(engine: Any, workload: Workload) -> list[int]:
    """For each question how many tokens it is with its state, the mean over those of a state."""

    def computed(state: Any, questions: Mapping[str, Any]) -> int:
        return int(engine.decide(state, questions).audit.computed_tokens)

    lengths = []
    for request in workload.requests:
        first = next(iter(request.questions.values()))
        alone = computed(request.state, {"a": first})
        shared = 2 * alone - computed(request.state, {"a": first, "b": first})
        own = (computed(request.state, request.questions) - shared) / len(request.questions)
        lengths += [round(shared + own)] * len(request.questions)
    return lengths


def timed(
    runs: Mapping[str, Run], options: argparse.Namespace
) -> dict[str, tuple[list[float], Any]]:
    """Variant -> milliseconds of each round after a first one that warms up, and what came out."""
    found: dict[str, tuple[list[float], Any]] = {name: ([], run()) for name, run in runs.items()}
    begin = time.perf_counter()
    for done in range(options.rounds):
        if done and time.perf_counter() - begin > options.seconds:
            break
        for name, run in runs.items():
            started_at = time.perf_counter()
            run()
            found[name][0].append((time.perf_counter() - started_at) * 1e3)
    return found


def compare(
    timings: Mapping[str, tuple[Sequence[float], Any]], lengths: Sequence[int]
) -> dict[str, object]:
    """Times, how often faster than each plain loop and than the reference, and agreement."""
    faster = ratios({name: summarise(times).median for name, (times, _) in timings.items()})
    reference = nouls(timings[REFERENCE][1])
    return {
        "questions": len(lengths),
        "question_tokens": sum(lengths),
        "variants": {
            name: {
                "ms": asdict(summarise(times)),
                "times_faster_than": faster[name],
            }
            | ({} if name in PLAIN else {"agreement": agreement(nouls(out), reference)})
            for name, (times, out) in timings.items()
        },
    }


def ratios(medians: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Variant -> the reference and each plain loop -> how many times faster the variant is."""
    return {
        name: {
            other: medians[other] / mine
            for other in (REFERENCE, *PLAIN)
            if other in medians and other != name
        }
        for name, mine in medians.items()
    }


def nouls(responses: Sequence[Response]) -> list[float]:
    found = []
    for response in responses:
        for answer in response.answers.values():
            assert isinstance(answer, NoulAnswer)
            found.append(answer.noul)
    return found


def agreement(found: Sequence[float], reference: Sequence[float]) -> dict[str, float]:
    """Of yes/no probabilities with those of the reference.

    Returns:
        flips: answers on the other side of one half. largest, mean: of the differences.
        divergence: mean of sum p log(p / q) over yes and no, p the reference's, in nats.
    """
    pairs = list(zip(found, reference, strict=True))
    differences = [abs(q - p) for q, p in pairs]
    return {
        "flips": sum((q > 0.5) != (p > 0.5) for q, p in pairs),
        "largest": max(differences),
        "mean": sum(differences) / len(differences),
        "divergence": sum(_divergence(p, q) + _divergence(1 - p, 1 - q) for q, p in pairs)
        / len(pairs),
    }


def _divergence(p: float, q: float) -> float:
    return p * math.log(p / q) if p > 0 and q > 0 else 0.0


class PlainLoop:
    """transformers' own network on the same weights, one causal text after the other."""

    def __init__(self, model: str, variant: str, threads: int) -> None:
        import torch
        import transformers

        from steelyard.engine.trained import trained_weights

        torch.set_num_threads(threads)
        weights = trained_weights(locate(model))
        config = transformers.AutoConfig.for_model(**weights.config)
        self.network: Any = transformers.AutoModel.from_config(config)
        tensors = {name.removeprefix("model."): x for name, x in weights.tensors(torch.float32)}
        missing, unknown = self.network.load_state_dict(tensors, strict=False)
        assert not missing and set(unknown) <= {"lm_head.weight"}, f"{missing}, {unknown}"
        self.network = self.network.to(getattr(torch, variant.partition("-")[2])).eval()
        self.vocab = int(config.vocab_size)

    def run(self, lengths: Sequence[int]) -> None:
        import torch

        random = np.random.default_rng(0)
        with torch.inference_mode():
            for length in lengths:
                ids = torch.from_numpy(random.integers(0, self.vocab, (1, length)))
                self.network(ids, use_cache=False)


def engine_of(variant: str, options: argparse.Namespace) -> Any:
    import steelyard

    runtime, _, dtype = variant.partition("-")
    return steelyard.load(
        options.model, runtime=runtime, dtype=dtype, threads=options.threads, store_bytes=0
    )


def started(options: argparse.Namespace) -> dict[str, float]:
    """Of this process: seconds to load and to the first answer, and memory in MiB."""
    begin = time.perf_counter()
    engine = engine_of(options.child, options)
    loaded = time.perf_counter()
    decide(engine, [SHORT], "full")
    first = time.perf_counter()
    decide(engine, [SHORT], "full")
    return {
        "load_seconds": loaded - begin,
        "first_answer_seconds": first - loaded,
        "second_answer_seconds": time.perf_counter() - first,
        **memory(),
    }


def memory() -> dict[str, float]:
    """Resident memory of this process now and at its highest, MiB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    fields = dict(line.split(":", 1) for line in status.splitlines())
    names = {"resident_mib": "VmRSS", "own_mib": "RssAnon", "highest_mib": "VmHWM"}
    return {name: int(fields[field].split()[0]) / 1024 for name, field in names.items()}


def in_child(words: Sequence[str], variant: str) -> dict[str, float]:
    """`started` in a new process, the second of two: the first may compile and keep."""
    command = [sys.executable, "-m", "benchmarks.cpu_runtimes", *words, "--child", variant]
    for _ in range(2):
        begin = time.perf_counter()
        done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
        whole = time.perf_counter() - begin
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found | {"process_seconds": whole}


if __name__ == "__main__":
    main()
