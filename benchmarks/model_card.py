"""The card of a trained model: what people should know, and what it was made of.

    python -m benchmarks.model_card recipes/mini_card.md --build build/data \
        --recipe recipes/mini.toml --run build/mini --model src/steelyard/models/trained/mini

writes README.md into the model folder: the prose that is given, then tables of data, training,
validation, leak scan and files, from what the build, the run and the export wrote.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.record import portable
from benchmarks.tables import table
from steelyard.data.dataset import REPORT
from steelyard.models.directory import file_digest
from steelyard.models.manifest import read_manifest
from steelyard.training.config import TrainConfig, read_config
from steelyard.training.loop import LOG

CARD = "README.md"


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    path = options.model / CARD
    path.write_text(card(options), encoding="utf-8")
    print(path)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.model_card",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("prose", type=Path, help="Markdown that the card begins with")
    made.add_argument("--build", type=Path, required=True, help="the built data")
    made.add_argument("--recipe", type=Path, nargs="+", required=True, help="of each stage")
    made.add_argument("--run", type=Path, nargs="+", required=True, help="of each stage")
    made.add_argument("--model", type=Path, required=True, help="the exported model")
    return made


def card(options: argparse.Namespace) -> str:
    build = json.loads((options.build / REPORT).read_text(encoding="utf-8"))
    stages = list(zip(options.recipe, options.run, strict=True))
    parts = [
        options.prose.read_text(encoding="utf-8").rstrip(),
        f"## Data\n\n{sources(build, read_config(options.recipe[0]))}",
        f"## Leaks\n\n{leaks(build)}",
        *(f"## Training: `{portable(str(recipe))}`\n\n{stage(run)}" for recipe, run in stages),
        f"## Files\n\n{files(options.model)}",
    ]
    return "\n\n".join(parts) + "\n"


def sources(build: Mapping[str, Any], config: TrainConfig) -> str:
    """What was trained on, with licences and shares."""
    rows = [
        [
            source["name"],
            source["about"],
            ", ".join(source["licences"]),
            f"{source['train']:,}",
            f"{config.data.mix.get(source['name'], 1.0):g}",
        ]
        for source in build["sources"]
    ]
    digests = "\n".join(f"    {digest}  {name}" for name, digest in build["outputs"].items())
    return (
        f"Made by `steelyard data build DATA --seed {build['seed']} --cap {build['cap']} --eval "
        "EVALUATION`; sources under a licence that forbids commercial use, or under none, were "
        f'left out. "Share" is the part of a source\'s states that an epoch takes.\n\n'
        f"{table(['source', 'what', 'licence', 'examples', 'share'], rows)}\n\n"
        f"sha256 of what was built:\n\n{digests}"
    )


def leaks(build: Mapping[str, Any]) -> str:
    """What was removed because an evaluation file holds it too."""
    removed = {s["name"]: s["dropped"].get("leak", 0) for s in build["sources"]}
    told = ", ".join(f"{name} {number:,}" for name, number in removed.items() if number)
    return (
        f"Every example was compared with {len(build['evaluation'])} evaluation files by runs of "
        f"13 and of 8 words; {sum(removed.values()):,} examples were removed: {told}."
    )


def stage(run: Path) -> str:
    """How much a run saw, and its validation by kind at the step that was kept."""
    lines = [json.loads(one) for one in (run / LOG).read_text(encoding="utf-8").splitlines()]
    steps = [line for line in lines if "tokens" in line]
    measured = {line["step"]: line["valid"] for line in lines if "valid" in line}
    best = [line for line in lines if "valid" in line][-1]["best_step"]
    rows = [
        [layer, *(f"{kinds[kind][1]:.3f} / {kinds[kind][0]:.3f}" for kind in kinds)]
        for layer, kinds in measured[best].items()
    ]
    some = next(iter(measured[best].values()))
    head = ["layer", *(f"{kind} ({found[2]})" for kind, found in some.items())]
    return (
        f"{len(steps):,} steps of {sum(s['tokens'] for s in steps) / len(steps):,.0f} tokens and "
        f"{sum(s['questions'] for s in steps) / len(steps):.0f} questions, in "
        f"{sum(s['seconds'] for s in steps) / 3600:.1f} hours. Kept: step {best}. Accuracy and "
        f"cross entropy (nats) on a draw of the validation part, by layer:\n\n{table(head, rows)}"
    )


def files(model: Path) -> str:
    """Sizes and digests of the model's files."""
    rows = [
        [path.name, f"{path.stat().st_size / 1e6:.2f} MB", f"`{file_digest(path)}`"]
        for path in sorted(model.iterdir())
        if path.name != CARD
    ]
    manifest = read_manifest(model)
    return (
        f"{table(['file', 'size', 'sha256'], rows)}\n\nThe base is `{manifest.base}`, weights "
        f"`{manifest.base_digest}`."
    )


if __name__ == "__main__":
    main()
