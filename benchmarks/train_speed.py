"""How fast training is: ours beside a plain padded loop of transformers and peft.

    python -m benchmarks.train_speed --data build/data/train.jsonl.gz --threads 1

The steps are those of a recipe: whole states with all their questions, drawn as a run draws them.
Ours and the plain loop (see benchmarks/plain_loop.py) learn each step one after the other, so that
every ratio is of two times taken side by side under the same load; from step to step they differ
in length. Decisions a second is the fair unit: ours asks all questions of a state at once and
computes fewer tokens for them. What ours spends on turning examples into tokens counts, what the
plain loop does is left out. CPU seconds stand beside those of the clock, since on a busy machine
the clock also counts the others.

    python -m benchmarks.train_speed --data ... --profile

prints where the time of our step goes, and measures nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import torch
from torch.profiler import ProfilerActivity, profile

from benchmarks.plain_loop import PlainLoop, Row, rows_of
from benchmarks.record import ROOT, add_record_arguments, provenance, summarise, write_record
from steelyard.training.config import TrainConfig, read_config
from steelyard.training.loop import Run, learn, new_optimizer, training_steps
from steelyard.training.loss import LossWeights
from steelyard.training.micro_batch import Asked, Asker
from steelyard.training.readouts import Pointing
from steelyard.training.setup import set_up
from steelyard.training.stream import Cursor


@dataclass(frozen=True, slots=True)
class Took:
    """What something took, in seconds."""

    wall: float
    cpu: float


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    origin = None if options.profile else provenance(options.allow_dirty)
    config = config_of(options)
    with TemporaryDirectory() as folder:
        run = set_up(config, root=Path.cwd(), folder=Path(folder))
    if origin is None:
        print(profiled(run, options.warmups, options.pairs))
        return
    steps = list(measure(run, options))
    name = f"train_speed--{config.model.dtype}-{'compiled' if options.compile else 'eager'}"
    path = write_record(
        options.records,
        f"{name}-{options.order}-t{options.threads}",
        origin,
        seed=config.seed,
        settings={
            "recipe": Path(options.recipe).name,
            "data": Path(options.data).name,
            "model": config.model.base,
            "readout": config.model.readout,
            "plain_readout": "pointer",
            "rank": config.model.rank,
            "dtype": config.model.dtype,
            "plain_dtypes": options.plain,
            "plain_rows": options.rows,
            "plain_order": options.order,
            "step_tokens": config.optim.step_tokens,
            "compile": options.compile,
            "threads": options.threads,
            "warmups": options.warmups,
        },
        results=compare(steps, options.plain),
    )
    print(path)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.train_speed",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--data", required=True, help="the train file of a built data set")
    made.add_argument("--recipe", type=Path, default=ROOT / "recipes" / "mini.toml")
    made.add_argument("--dtype", default="bfloat16", help="of our products")
    made.add_argument(
        "--plain",
        nargs="+",
        default=["float32", "bfloat16"],
        choices=("float32", "bfloat16"),
        help="of the plain loop; each is measured (default: both)",
    )
    made.add_argument("--rows", type=int, default=8, help="of a batch of the plain loop")
    made.add_argument(
        "--order",
        default="drawn",
        choices=("drawn", "sorted"),
        help="whether the plain loop sorts the rows of a step by length before it batches them",
    )
    made.add_argument("--step-tokens", type=int, help="of our steps (default: the recipe's)")
    made.add_argument("--threads", type=int, default=2, help="CPU threads (default: 2)")
    made.add_argument("--compile", action=argparse.BooleanOptionalAction, default=True)
    made.add_argument("--pairs", type=int, default=5, help="steps that are measured")
    made.add_argument("--warmups", type=int, default=2, help="steps of ours before")
    made.add_argument("--profile", action="store_true", help="profile our steps instead")
    add_record_arguments(made)
    return made


def config_of(options: argparse.Namespace) -> TrainConfig:
    """The recipe on the given data, without exits, which the plain loop does not have."""
    recipe = read_config(options.recipe)
    step_tokens = options.step_tokens or recipe.optim.step_tokens
    data = str(Path(options.data).resolve())
    return replace(
        recipe,
        model=replace(
            recipe.model, dtype=options.dtype, compile=options.compile, exits=(), start=None
        ),
        data=replace(recipe.data, train=(data,), valid=data, watch={}),
        optim=replace(recipe.optim, step_tokens=step_tokens),
        threads=options.threads,
    )


def measure(run: Run, options: argparse.Namespace) -> Iterator[dict[str, object]]:
    """Each step's counts, and what it took ours and each plain loop."""
    model, optim = run.config.model, run.config.optim
    optimizer = new_optimizer(run.trainee, optim)
    lister = Pointing.new("pointer", run.trainee.decoder.config.width, torch.device("cpu"))
    asker = Asker(run.asker.tokenizer, run.asker.chat, lister)
    loss = LossWeights(brier=optim.brier, rps=optim.rps)
    plains = {
        dtype: PlainLoop(
            run.weights,
            rank=model.rank,
            alpha=model.alpha,
            lr=optim.lr,
            dtype=getattr(torch, dtype),
            rows=options.rows,
        )
        for dtype in options.plain
    }
    run.trainee.merge()
    coming = training_steps(run, Cursor())
    for asked, _ in islice(coming, options.warmups):
        learn(run, asked, optimizer, 1.0)
    for plain in plains.values():
        plain.step(rows_of(asked, asker)[: options.rows], loss, optim.clip)
    for index in range(options.pairs):
        began = now()
        asked, _ = next(coming)
        learn(run, asked, optimizer, 1.0)
        took = since(began)
        rows = rows_of(asked, asker)
        if options.order == "sorted":
            rows.sort(key=lambda row: len(row.ids))
        plain_took = {}
        for dtype, plain in plains.items():
            began = now()
            plain.step(rows, loss, optim.clip)
            plain_took[dtype] = since(began)
        step = counts(asked, rows, next(iter(plains.values())))
        shown = ", ".join(f"{dtype} {one.wall:.1f} s" for dtype, one in plain_took.items())
        print(
            f"step {index + 1}/{options.pairs}, {len(rows)} decisions: ours {took.wall:.1f} s, "
            f"plain {shown}",
            file=sys.stderr,
            flush=True,
        )
        yield {
            **step,
            "ours": asdict(took),
            **{dtype: asdict(one) for dtype, one in plain_took.items()},
        }


def now() -> Took:
    """Both clocks."""
    return Took(perf_counter(), process_time())


def since(began: Took) -> Took:
    return Took(perf_counter() - began.wall, process_time() - began.cpu)


def counts(asked: Sequence[Asked], rows: Sequence[Row], plain: PlainLoop) -> dict[str, int]:
    """Decisions and tokens of a step; `repeated` counts state tokens after a state's first row."""
    plain_tokens = sum(len(row.ids) for row in rows)
    first = sum(len(one.prompts[0][0].plan.nodes[0].ids) for one in asked)
    return {
        "decisions": len(rows),
        "tokens": sum(one.num_tokens for one in asked),
        "plain_tokens": plain_tokens,
        "plain_padding": plain.padded_tokens(rows) - plain_tokens,
        "plain_repeated": max(0, sum(row.state_tokens for row in rows) - first),
    }


def compare(steps: Sequence[dict[str, object]], plain: Sequence[str]) -> dict[str, object]:
    """Rates of both sides over all steps, and the ratio of their times step by step."""

    def total(key: str) -> float:
        return sum(step[key] for step in steps)  # type: ignore[misc]

    def seconds(side: str, clock: str) -> list[float]:
        return [step[side][clock] for step in steps]  # type: ignore[index]

    def rates(side: str, tokens: str) -> dict[str, object]:
        wall = sum(seconds(side, "wall"))
        return {
            "tokens_per_second": total(tokens) / wall,
            "decisions_per_second": total("decisions") / wall,
            "decisions_per_cpu_second": total("decisions") / sum(seconds(side, "cpu")),
        }

    def ratios(side: str, clock: str) -> dict[str, object]:
        pairs = zip(seconds(side, clock), seconds("ours", clock), strict=True)
        overall = sum(seconds(side, clock)) / sum(seconds("ours", clock))
        return {"overall": overall, **asdict(summarise([a / b for a, b in pairs]))}

    padded = total("plain_tokens") + total("plain_padding")
    return {
        "decisions": total("decisions"),
        "tokens": total("tokens"),
        "plain_tokens": total("plain_tokens"),
        "padding_share": total("plain_padding") / padded,
        "repeated_share": total("plain_repeated") / total("plain_tokens"),
        "ours": rates("ours", "tokens"),
        "plain": {dtype: rates(dtype, "plain_tokens") for dtype in plain},
        "ratio": {dtype: ratios(dtype, "wall") for dtype in plain},
        "ratio_cpu": {dtype: ratios(dtype, "cpu") for dtype in plain},
        "steps": list(steps),
    }


def profiled(run: Run, warmups: int, steps: int) -> str:
    """A table of the operations in which our steps spend their time, the costliest first."""
    optimizer = new_optimizer(run.trainee, run.config.optim)
    run.trainee.merge()
    coming = training_steps(run, Cursor())
    for asked, _ in islice(coming, warmups):
        learn(run, asked, optimizer, 1.0)
    with profile(activities=[ProfilerActivity.CPU]) as seen:
        for asked, _ in islice(coming, steps):
            learn(run, asked, optimizer, 1.0)
    return str(seen.key_averages().table(sort_by="self_cpu_time_total", row_limit=25))


if __name__ == "__main__":
    main()
