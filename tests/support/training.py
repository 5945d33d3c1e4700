"""Training runs on tiny models."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from support.alone import path_of
from support.folders import write_model

from steelyard.backbone.forward import read_rows
from steelyard.training.config import DataConfig, ModelConfig, OptimConfig, TrainConfig
from steelyard.training.loop import Run
from steelyard.training.micro_batch import MicroBatch
from steelyard.training.setup import set_up
from steelyard.types import Choice, Example, Noul, Score, encode_example

COLOURS = ("red", "green", "blue", "black", "white")


def small_examples(number: int, seed: int = 0) -> list[Example]:
    """Three questions of different kinds about each of some short states."""
    rng = Random(seed)
    found = []
    for index in range(number):
        colour = rng.choice(COLOURS)
        shown = rng.sample(COLOURS, rng.choice((2, 3, 5)))
        if colour not in shown:
            shown[0] = colour
        level = rng.randrange(3)
        state = f"ball {index} is {colour}, {'very ' * level}big"
        origin = ("made", str(index), "MIT")
        one_hot = tuple(float(option == colour) for option in shown)
        described = {option: f"it is {option}" for option in shown}
        found += [
            Example(state, Choice("Which colour?", described), one_hot, *origin),
            Example(state, Noul(f"Is it {shown[-1]}?"), noul_target(shown[-1] == colour), *origin),
            Example(state, Score("How big?", ["a", "b", "c"]), level_target(level), *origin),
        ]
    return found


def noul_target(yes: bool) -> tuple[float, float]:
    return (0.95, 0.05) if yes else (0.05, 0.95)


def level_target(level: int) -> tuple[float, ...]:
    return tuple(0.8 if index == level else 0.1 for index in range(3))


def write_examples(path: Path, examples: Iterable[Example]) -> Path:
    path.write_text("".join(json.dumps(encode_example(one)) + "\n" for one in examples))
    return path


def small_config(
    folder: Path, write: Callable[[Path], Path] = write_model, **changes: Any
) -> TrainConfig:
    """A configuration on a tiny model and examples that are written into the folder.

    Args:
        write: makes the folder of the base.
        changes: `model`, `data` and `optim` are fields that differ in those parts.
    """
    base = folder / "base"
    if not base.exists():
        write(base)
        write_examples(folder / "train.jsonl", small_examples(12))
        write_examples(folder / "valid.jsonl", small_examples(4, seed=1))
    model = {"base": str(base), "rank": 4, "dtype": "float32", "exits": (1, 2)}
    data = {"train": ("train.jsonl",), "valid": "valid.jsonl"}
    optim = {"steps": 5, "step_tokens": 500, "batch_tokens": 300, "warmup_steps": 2}
    return TrainConfig(
        model=ModelConfig(**(model | changes.pop("model", {}))),
        data=DataConfig(**(data | changes.pop("data", {}))),
        optim=OptimConfig(**(optim | changes.pop("optim", {}))),
        **({"validate_every": 2, "checkpoint_minutes": 0.0, "seed": 3} | changes),
    )


def small_run(folder: Path, name: str = "run", **changes: Any) -> Run:
    """A run that is set up in the folder; see `small_config`."""
    config = small_config(folder, **changes)
    return set_up(config, root=folder, folder=folder / name)


def question_texts(micro: MicroBatch) -> Iterator[tuple[list[int], list[int]]]:
    """Of questions read by letters: all ids up to the read, and the labels that are read there."""
    rows = read_rows(micro.batch)
    segments = {read.row: read.segment for read in micro.batch.reads}
    for (((one,),),) in micro.reads:
        row = int(rows[one.row])
        path, segment = path_of(micro.batch, segments[row]), micro.batch.segments[segments[row]]
        yield path[: len(path) - (segment.end - 1 - row)], list(one.read.targets)
