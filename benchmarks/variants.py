"""What each choice of the recipe is worth: short runs that differ in it alone.

    python -m benchmarks.variants --data build/data --eval DATA/eval --variant letters --seed 1 2

A run learns from the same examples in the same order as every other of its seed, for the same
number of steps of the same tokens (a readout that needs more tokens for a question learns from
fewer questions). It is measured on a draw of the validation set, on suites that nothing was chosen
by, and by asking the same questions with their options in other orders. Two seeds show how much
two runs of the same recipe differ: they draw other examples, other orders and other first weights.

One record for each variant and seed. Runs are kept under --folder, and a killed one goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch

import steelyard
from benchmarks.coded import Coded
from benchmarks.record import (
    ROOT,
    Provenance,
    add_record_arguments,
    portable,
    provenance,
    write_record,
)
from steelyard.data.dataset import TRAIN, VALID, read_examples, write_examples
from steelyard.engine.engine import Engine
from steelyard.evaluation.measures import Figure
from steelyard.evaluation.sample import sample
from steelyard.evaluation.suites.registry import SUITES
from steelyard.metrics.distances import cross_entropies, mode_hits, total_variations
from steelyard.metrics.intervals import bootstrap_interval
from steelyard.training.bundles import drawn
from steelyard.training.checkpoint import Progress
from steelyard.training.config import TrainConfig, read_config
from steelyard.training.export import export
from steelyard.training.loop import Run, restore_best, train
from steelyard.training.mine import MinePlan, mine, thinned
from steelyard.training.setup import set_up
from steelyard.training.shelf import shelved
from steelyard.types.answer import NoulAnswer
from steelyard.types.codec import dumps
from steelyard.types.example import Example, among
from steelyard.types.question import Choice, kind_of
from steelyard.types.request import Request

Change = Callable[[TrainConfig], TrainConfig]
Answers = Callable[[Sequence[Example]], list[np.ndarray]]
"""Examples to a distribution over the options of each."""

LETTERS_MOST = 26
ORDERS = 4
FULL_RATE = 1e-4
"""Of full fine-tuning: a tenth of the adapters' rate, as is usual."""

SECOND_RATE = 2e-4
SUITES_ASKED = {"clinc150-20": 100, "sys1bench": 150, "vader": 60, "banking77": 60, "clinc150": 60}
"""Suites and the size of their samples."""


def of_model(**changes: Any) -> Change:
    """A change of the model's settings."""
    return lambda config: replace(config, model=replace(config.model, **changes))


def of_layout(name: str) -> Change:
    return lambda config: replace(config, data=replace(config.data, layouts={name: 1.0}))


def full(config: TrainConfig) -> TrainConfig:
    config = replace(config, model=replace(config.model, method="full"))
    return replace(config, optim=replace(config.optim, lr=FULL_RATE))


VARIANTS: Mapping[str, Change] = {
    "pointer-set": of_model(readout="pointer-set"),
    "pointer": of_model(readout="pointer"),
    "letters": of_model(readout="letters"),
    "continuation": of_model(readout="continuation"),
    "codes": of_model(readout="letters"),  # the readout is exchanged in `prepared`
    "sandwich": of_layout("sandwich-v1"),
    "full": full,
    "longer": lambda config: config,  # as many steps as both stages of "second"
    "second": lambda config: config,
}
"""What each changes of the recipe without exits."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One run: a variant, a seed and what all have in common."""

    variant: str
    seed: int
    options: argparse.Namespace

    @property
    def folder(self) -> Path:
        return Path(self.options.folder) / f"{self.variant}-{self.seed}"

    def config(self) -> TrainConfig:
        """The recipe with the variant's change, for a short run without exits."""
        options = self.options
        steps = options.steps + (options.second_steps if self.variant == "longer" else 0)
        recipe = read_config(options.recipe)
        common = replace(
            recipe,
            seed=self.seed,
            threads=options.threads,
            validate_every=steps,
            model=replace(recipe.model, exits=(), compile=options.compile),
            data=replace(
                recipe.data, train=(str(options.data / TRAIN),), valid=str(self.valid), watch={}
            ),
            optim=replace(recipe.optim, steps=steps, warmup_steps=options.warmup_steps),
        )
        return VARIANTS[self.variant](common)

    @property
    def valid(self) -> Path:
        """See `draw_valid`."""
        return Path(self.options.folder) / f"valid-{self.options.questions}.jsonl"


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    origin = provenance(options.allow_dirty)
    draw_valid(options)
    for seed in options.seed:
        for variant in options.variant:
            print(measured(Setting(variant, seed, options), origin), flush=True)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.variants",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--data", type=Path, required=True, help="a built data set")
    made.add_argument("--eval", type=Path, required=True, help="folder of the evaluation sets")
    made.add_argument("--recipe", type=Path, default=ROOT / "recipes" / "mini.toml")
    made.add_argument("--variant", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    made.add_argument("--seed", type=int, nargs="+", default=[1, 2], help="(default: 1 2)")
    made.add_argument("--steps", type=int, default=80, help="(default: 80)")
    made.add_argument("--second-steps", type=int, default=30, help="(default: 30)")
    made.add_argument("--warmup-steps", type=int, default=10, help="(default: 10)")
    made.add_argument("--questions", type=int, default=600, help="of validation (default: 600)")
    made.add_argument("--pool", type=int, default=1500, help="examples mined from (default: 1500)")
    made.add_argument("--threads", type=int, default=2, help="CPU threads (default: 2)")
    made.add_argument("--compile", action=argparse.BooleanOptionalAction, default=True)
    made.add_argument("--folder", type=Path, default=Path("build/variants"), help="of the runs")
    add_record_arguments(made)
    return made


def draw_valid(options: argparse.Namespace) -> None:
    """Write the questions that all runs are measured on, if they are not written yet."""
    path = Path(options.folder) / f"valid-{options.questions}.jsonl"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = drawn(shelved(read_examples(options.data / VALID), ""), options.questions)
        write_examples(path, (one for bundle in kept for one in bundle.examples))


def measured(setting: Setting, origin: Provenance) -> Path:
    """Train one variant, measure it and write its record."""
    options = setting.options
    run = prepared(setting.config(), setting, setting.folder)
    progress = trained(run)
    if setting.variant == "second":
        run, progress = second_stage(run, setting)
    ask, ask_wide = by_trainee(run), by_trainee(run)
    if setting.variant == "letters":  # above 26 options its answers need the engine's tournament
        ask_wide = by_engine(exported(run, setting), run.config)
    return write_record(
        options.records,
        f"variants--{setting.variant}-s{setting.seed}",
        origin,
        seed=setting.seed,
        settings={
            "variant": setting.variant,
            "steps": run.config.optim.steps,
            "step_tokens": run.config.optim.step_tokens,
            "threads": options.threads,
            "config": asdict(run.config) | {"data": portable_data(run.config)},
        },
        results={
            "best_step": progress.best_step,
            **learned(setting.folder),
            **qualities(setting, ask, ask_wide),
            "order": order_sensitivity(setting, ask),
        },
    )


def portable_data(config: TrainConfig) -> Mapping[str, object]:
    data = asdict(config.data)
    return data | {"train": [portable(x) for x in config.data.train], "valid": "a draw of VALID"}


def prepared(config: TrainConfig, setting: Setting, folder: Path) -> Run:
    run = set_up(config, root=Path.cwd(), folder=folder)
    if setting.variant != "codes":
        return run
    readout = Coded(run.asker.tokenizer)
    return replace(
        run,
        trainee=replace(run.trainee, readout=readout),
        asker=replace(run.asker, readout=readout),
        identity=f"{run.identity}-codes",
    )


def trained(run: Run) -> Progress:
    """Train to the end, and set the weights to the best."""
    train(run, resume=True, report=lambda line: show(run.folder.name, line))
    return restore_best(run)


def second_stage(first: Run, setting: Setting) -> tuple[Run, Progress]:
    """Mine with the first stage's model and train it further on what was found."""
    options = setting.options
    path = setting.folder / "second.jsonl"
    if not path.exists():
        mix = first.config.data.mix
        pool = thinned(read_examples(options.data / TRAIN), mix, setting.seed)
        pool = sample(pool, options.pool, setting.seed)
        found = mine(
            pool, [p.tolist() for p in by_trainee(first)(pool)], MinePlan(), seed=setting.seed
        )
        write_examples(path, found.examples)
    model = exported(first, setting)
    config = replace(
        first.config,
        seed=setting.seed + 100,
        model=replace(first.config.model, start=str(model)),
        data=replace(first.config.data, train=(str(path),), mix={}),
        optim=replace(
            first.config.optim,
            steps=options.second_steps,
            lr=SECOND_RATE,
            head_lr=SECOND_RATE,
        ),
    )
    run = prepared(config, setting, setting.folder / "second")
    return run, trained(run)


def exported(run: Run, setting: Setting) -> Path:
    out = setting.folder / "model"
    if not out.exists():
        export(run, out, name=f"{setting.variant}-{setting.seed}")
    return out


def by_trainee(run: Run) -> Answers:
    """The model in training, asked as training asks it."""

    @torch.no_grad()
    def ask(examples: Sequence[Example]) -> list[np.ndarray]:
        layout = next(iter(run.config.data.layouts))
        places: dict[tuple[str, str], list[int]] = {}
        for place, example in enumerate(examples):
            key = dumps(example.state), repr(example.question)
            places.setdefault(key, []).append(place)
        found: list[np.ndarray] = [np.empty(0)] * len(examples)
        asked = [run.asker.ask(bundle) for bundle in shelved(examples, layout)]
        asked.sort(key=lambda one: one.num_tokens)
        for micro in run.asker.micro_batches(asked, run.config.optim.batch_tokens):
            last = run.trainee.scores(micro)[run.trainee.decoder.config.layers]
            for example, shares in zip(micro.examples, last.double().softmax(-1), strict=True):
                for place in places[dumps(example.state), repr(example.question)]:
                    found[place] = shares[: len(example.target)].numpy()
        return found

    return ask


def by_engine(model: Path, config: TrainConfig) -> Answers:
    """The exported model, asked as users ask it."""
    engine: Engine = steelyard.load(str(model), dtype=config.model.dtype, threads=config.threads)

    def ask(examples: Sequence[Example]) -> list[np.ndarray]:
        found = []
        for example in examples:
            (response,) = engine.decide_many([Request(example.state, {"q": example.question})])
            answer = response.answers["q"]
            if isinstance(answer, NoulAnswer):
                found.append(np.array([answer.noul, 1 - answer.noul]))
            else:
                found.append(np.array(list(answer.probabilities.values())))
        return found

    return ask


def qualities(setting: Setting, ask: Answers, ask_wide: Answers) -> dict[str, object]:
    """Accuracy and cross entropy on validation by kind, and on the suites."""
    valid = list(read_examples(setting.valid))
    few = [one for one in valid if len(one.target) <= LETTERS_MOST]
    found = {
        f"valid {kind}": quality(part, ask(part))
        for kind in ("noul", "choice", "score")
        if (part := [one for one in few if kind_of(one.question) == kind])
    }
    found["valid"] = quality(few, ask(few))
    for name, size in SUITES_ASKED.items():
        examples = sample(SUITES[name].load(setting.options.eval), size, seed=1)
        wide = max(len(one.target) for one in examples) > LETTERS_MOST
        found[name] = quality(examples, (ask_wide if wide else ask)(examples))
    return {"qualities": found}


def quality(examples: Sequence[Example], answers: Sequence[np.ndarray]) -> dict[str, object]:
    """Accuracy with its interval over groups, and the mean cross entropy in nats."""
    pairs = [(p[None], np.array([one.target])) for one, p in zip(examples, answers, strict=True)]
    hits = np.array([mode_hits(*pair)[0] for pair in pairs])
    losses = np.array([cross_entropies(p.clip(1e-9), target)[0] for p, target in pairs])
    groups = np.array([one.group for one in examples])
    return {
        "n": len(examples),
        "accuracy": asdict(Figure(float(hits.mean()), bootstrap_interval(hits, groups))),
        "cross_entropy": float(losses.mean()),
    }


def order_sensitivity(setting: Setting, ask: Answers) -> dict[str, object]:
    """How far answers move when a choice's options come in other orders.

    `distance` is the mean total variation between the answer in one order and in another, `flips`
    how often the most probable option is another.
    """
    choices = [
        one
        for one in read_examples(setting.valid)
        if isinstance(one.question, Choice) and 3 <= len(one.target) <= LETTERS_MOST
    ]
    rng = Random(0)
    first = ask(choices)
    distances, flips = [], []
    for _ in range(ORDERS - 1):
        orders = [rng.sample(range(len(one.target)), len(one.target)) for one in choices]
        others = ask([among(one, order) for one, order in zip(choices, orders, strict=True)])
        for before, after, order in zip(first, others, orders, strict=True):
            back = np.empty_like(after)
            back[order] = after
            distances.append(float(total_variations(back[None], before[None])[0]))
            flips.append(bool(back.argmax() != before.argmax()))
    return {
        "n": len(choices),
        "orders": ORDERS,
        "distance": float(np.mean(distances)),
        "largest_distance": max(distances),
        "flips": float(np.mean(flips)),
    }


def learned(folder: Path) -> dict[str, object]:
    """What the run's log says it saw."""
    lines = [
        json.loads(line)
        for path in sorted(folder.rglob("log.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    steps = [line for line in lines if "tokens" in line]
    return {
        "tokens": sum(line["tokens"] for line in steps),
        "questions_learned": sum(line["questions"] for line in steps),
        "seconds": round(sum(line["seconds"] for line in steps), 1),
    }


def show(name: str, line: Mapping[str, object]) -> None:
    """One line on stderr, where somebody may be watching."""
    print(f"\r{name}  step {line['step']} ", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
