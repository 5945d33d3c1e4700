"""The gated delta rule in chunks against itself token by token: time and memory of training.

    python -m benchmarks.delta_rule --tokens 1000

One recurrent layer's rule, forward and back, on one sequence. Memory is what autograd keeps for the
way back, counted tensor by tensor; time is the process's CPU time on one thread, so that others at
work on the machine count less. Both grow with the value heads alone (Qwen3.5-4B has 32 of them in
each of 24 layers), so a few are enough to measure.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from time import process_time

import torch
from torch import Tensor
from torch.nn import functional as F

from benchmarks.kept import kept_bytes
from benchmarks.record import add_record_arguments, provenance, summarise, write_record
from steelyard.backbone.delta_rule import cut, delta_rule, step

Rule = Callable[[Sequence[Tensor]], Tensor]


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    origin = provenance(options.allow_dirty)
    torch.set_num_threads(1)
    inputs = random_inputs(options.tokens, options.key_heads, options.value_heads, options.dim)
    rules = {"chunks": by_chunk, "recurrence": by_token}
    reads = {name: rule(inputs).detach() for name, rule in rules.items()}  # also warms up
    results: dict[str, object] = {
        "largest_difference": float((reads["chunks"] - reads["recurrence"]).abs().max())
    }
    for name, rule in rules.items():
        kept = kept_bytes(partial(rule, inputs), inputs)
        results[f"{name}_kept_bytes_per_token"] = kept / options.tokens
    seconds: dict[str, list[float]] = {name: [] for name in rules}
    for number in range(1, options.repeats + 1):
        for name, rule in rules.items():
            seconds[name].append(timed(rule, inputs))
        shown = ", ".join(f"{name} {each[-1]:.2f} s" for name, each in seconds.items())
        print(f"round {number}/{options.repeats}: {shown}", file=sys.stderr, flush=True)
    for name, each in seconds.items():
        per_token = [1e6 * one / options.tokens for one in each]
        results[f"{name}_us_per_token"] = asdict(summarise(per_token))
    ratios = [b / a for a, b in zip(seconds["chunks"], seconds["recurrence"], strict=True)]
    results["recurrence_by_chunks_time"] = asdict(summarise(ratios))
    path = write_record(
        options.records,
        f"delta_rule--{options.tokens}",
        origin,
        settings={
            "tokens": options.tokens,
            "key_heads": options.key_heads,
            "value_heads": options.value_heads,
            "dim": options.dim,
            "threads": 1,
            "dtype": "float32",
        },
        results=results,
        seed=0,
    )
    print(path)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.delta_rule",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--tokens", type=int, default=1000)
    made.add_argument("--key-heads", type=int, default=2)
    made.add_argument("--value-heads", type=int, default=4)
    made.add_argument("--dim", type=int, default=128, help="of keys and of values")
    made.add_argument("--repeats", type=int, default=5)
    add_record_arguments(made)
    return made


def random_inputs(tokens: int, key_heads: int, value_heads: int, dim: int) -> list[Tensor]:
    """Queries, unit keys, values, log decays, shares and a state, all with gradients."""
    generator = torch.Generator().manual_seed(0)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator)

    made = [
        F.normalize(normal(tokens, key_heads, dim), dim=-1) * dim**-0.5,
        F.normalize(normal(tokens, key_heads, dim), dim=-1),
        normal(tokens, value_heads, dim),
        -0.1 * normal(tokens, value_heads).exp(),
        normal(tokens, value_heads).sigmoid(),
        normal(1, value_heads, dim, dim),
    ]
    return [x.requires_grad_() for x in made]


def by_chunk(inputs: Sequence[Tensor]) -> Tensor:
    """What is read, (tokens, value_heads, dim)."""
    q, k, v, g, b, states = inputs
    read, _ = delta_rule(q, k, v, g, b, states, cut([(0, len(q))], q.device))
    return read


def by_token(inputs: Sequence[Tensor]) -> Tensor:
    q, k, v, g, b, states = inputs
    group = v.shape[1] // k.shape[1]
    q, k = (x.repeat_interleave(group, dim=1) for x in (q, k))
    state, reads = states[0], []
    for row in zip(q, k, v, g, b, strict=True):
        read, state = step(*row, state)
        reads.append(read)
    return torch.stack(reads)


def timed(rule: Rule, inputs: Sequence[Tensor]) -> float:
    """CPU seconds of forward and backward pass."""
    began = process_time()
    torch.autograd.grad(rule(inputs).square().mean(), list(inputs))
    return process_time() - began


if __name__ == "__main__":
    main()
