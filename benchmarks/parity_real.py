"""Label probabilities against transformers, both in fp32, on 50 prompts of real questions.

    python -m benchmarks.parity_real --model mini --folder SMOLLM2 --data DATA

The prompts are letters questions of sys1bench, JevBench-240, BANKING77 (26 of its intents) and,
for length, of the generated documents. FOLDER is what transformers loads: the same weights,
dequantised by it. With --gguf it is made from that file first.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from statistics import median

import numpy as np

from benchmarks.answers import distribution
from benchmarks.plans import first_plans, path_and_targets
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
from benchmarks.suites import SUITES, sample
from benchmarks.workloads import shape777
from steelyard.readout.scores import softmax
from steelyard.types.answer import NoulAnswer
from steelyard.types.question import Choice
from steelyard.types.request import Request

LAYOUT = "isolated-v1"


@dataclass(frozen=True, slots=True)
class Compared:
    """One prompt: its tokens, the label tokens, and our probabilities of the labels."""

    ids: list[int]
    targets: tuple[int, ...]
    ours: np.ndarray


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    origin = provenance(options.allow_dirty)
    requests = prompts(options.data, options.prompts, options.seed)
    compared = our_side(options, requests)
    if options.gguf is not None:
        dequantise(options.gguf, options.folder)
    differences = their_side(options.folder, options.threads, compared)
    path = write_record(
        options.records,
        f"parity_real--{model_name(options.model)}",
        origin,
        seed=options.seed,
        settings=model_settings(options) | {"readout": "letters", "layout": LAYOUT},
        results={
            "prompts": len(compared),
            "tokens": asdict(summarise([len(one.ids) for one in compared])),
            "options": asdict(summarise([len(one.targets) for one in compared])),
            "largest_difference": max(differences),
            "median_difference": median(differences),
        },
    )
    print(path)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.parity_real",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_model_arguments(made)
    made.add_argument("--folder", type=Path, required=True, help="Hugging Face folder")
    made.add_argument("--gguf", type=Path, help="make the folder from this file")
    made.add_argument("--data", type=Path, required=True, help="folder that holds the suites")
    made.add_argument("--prompts", type=int, default=50)
    made.add_argument("--seed", type=int, default=1)
    add_record_arguments(made)
    return made


def prompts(folder: Path, num_prompts: int, seed: int) -> list[Request]:
    """Requests of one question each: two fifths from each suite, the rest wide or long."""
    per_suite, rest = num_prompts * 2 // 5, num_prompts - 2 * (num_prompts * 2 // 5)
    found = [
        Request(case.state, {item.id: item.question})
        for suite in SUITES.values()
        for case in sample(suite(folder), 2 * per_suite, seed)[:per_suite]
        for item in case.items[:1]
    ]
    long = [
        Request(request.state, {name: request.questions[name]})
        for request in shape777()[: rest // 2]
        for name in ("medium-00",)
    ]
    return found + long + banking(folder, rest - len(long), seed)


def banking(folder: Path, num_prompts: int, seed: int) -> list[Request]:
    """Customers' questions with 26 of the 77 intents, the right one among them."""
    random = Random(seed)
    with gzip.open(folder / "banking77" / "test.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    intents = sorted({row["category"] for row in rows})
    made = []
    for row in random.sample(rows, num_prompts):
        others = [intent for intent in intents if intent != row["category"]]
        options = [row["category"], *random.sample(others, 25)]
        question = Choice("What is the customer asking about?", sorted(options))
        made.append(Request(row["text"], {"intent": question}))
    return made


def our_side(options: argparse.Namespace, requests: Sequence[Request]) -> list[Compared]:
    engine = load_model(options)
    compared = []
    for index, request in enumerate(requests, start=1):
        (plan,) = first_plans(engine, request, readout="letters", layout=LAYOUT)
        response = engine.decide(request.state, request.questions, readout="letters", layout=LAYOUT)
        (answer,) = response.answers.values()
        ours = list(distribution(answer).values())
        if isinstance(answer, NoulAnswer):
            ours.reverse()  # the prompt lists yes before no
        ids, targets = path_and_targets(plan)
        compared.append(Compared(ids, targets, np.array(ours)))
        print(f"\rours {index}/{len(requests)}", end="", file=sys.stderr, flush=True)
    return compared


def their_side(folder: Path, threads: int, compared: Sequence[Compared]) -> list[float]:
    """The largest difference of a probability, prompt by prompt."""
    import torch
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(threads)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    found = []
    for index, one in enumerate(compared, start=1):
        with torch.inference_mode():
            logits = model(torch.tensor([one.ids]), logits_to_keep=1).logits[0, -1]
        theirs = softmax(logits[list(one.targets)].double().numpy())
        found.append(float(np.abs(theirs - one.ours).max()))
        print(f"\rtheirs {index}/{len(compared)} {max(found):.1e} ", end="", file=sys.stderr)
    print(file=sys.stderr)
    return found


def dequantise(gguf: Path, folder: Path) -> None:
    """Let transformers read a GGUF file and write it as a Hugging Face folder in fp32."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(
        gguf.parent, gguf_file=gguf.name, dtype=torch.float32
    )
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name).save_pretrained(folder)


if __name__ == "__main__":
    main()
