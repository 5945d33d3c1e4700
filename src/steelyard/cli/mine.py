"""`steelyard mine`: labelled examples to those that a second stage of training learns from."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from steelyard.__about__ import __version__
from steelyard.cli import model_options
from steelyard.cli.news import news
from steelyard.errors import InputFileError, OutputError

if TYPE_CHECKING:
    from steelyard.training.mine import Mined
    from steelyard.types.example import Example


def mine(
    model: Annotated[
        str,
        typer.Argument(
            help="The first stage: a model folder, or whatever --model takes elsewhere."
        ),
    ],
    files: Annotated[
        list[Path], typer.Argument(metavar="EXAMPLES...", help="Files that `data build` wrote.")
    ],
    out: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="OUT", help="A new file: .jsonl or .jsonl.gz."),
    ],
    seed: Annotated[int, typer.Option(help="Another seed draws others, where not all are kept.")],
    below: Annotated[
        float, typer.Option(help="Hard is what is answered wrong, or right with less than this.")
    ] = 0.8,
    easy: Annotated[float, typer.Option(help="Easy examples for each hard one.")] = 0.25,
    replay: Annotated[
        float, typer.Option(help="Examples that hold the model for each hard or easy one.")
    ] = 1.0,
    replay_weight: Annotated[float, typer.Option(help="Their weight in the loss.")] = 1.0,
    most_hard: Annotated[
        int | None, typer.Option(metavar="N", help="Keep at most N hard ones.", show_default="all")
    ] = None,
    mix: Annotated[
        Path | None,
        typer.Option(
            metavar="CONFIG", help="Read of each source the share that this training run takes."
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Read about N, drawn by group.", show_default="all"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    readout: model_options.Readout = None,
    layout: model_options.Layout = None,
    runtime: model_options.Runtime = "auto",
    device: model_options.Device = "cpu",
    dtype: model_options.Dtype = "float32",
    threads: model_options.Threads = None,
) -> None:
    """Choose what a second stage of training learns from.

    The model reads the examples, without its temperatures. Kept are those that
    it gets wrong or is unsure of, some easy ones, and examples to hold it where
    it was, whose target is the model's own answer. OUT.report.json counts them
    by source. Answers are kept in OUT.answers.jsonl as they come (both without
    OUT's ending): the same command goes on after a kill, and another choice from
    the same answers costs nothing.
    """
    from steelyard.data.dataset import write_examples
    from steelyard.evaluation.run import run
    from steelyard.training.mine import MinePlan
    from steelyard.training.mine import mine as choose

    plan = MinePlan(
        below=below, easy=easy, replay=replay, replay_weight=replay_weight, most_hard=most_hard
    )
    if out.exists():
        raise OutputError(f"{out} exists already; nothing is overwritten")
    pool = _pool(files, mix, limit, seed)
    with model_options.load_engine(
        model,
        runtime=runtime,
        device=device,
        dtype=dtype,
        threads=threads,
        readout=readout,
        layout=layout,
        calibrated=False,
    ) as engine:
        for warning in engine.warnings:
            typer.echo(f"warning: {warning}", err=True)
        predictions = run(
            engine,
            "mine",
            pool,
            _beside(out, ".answers.jsonl"),
            settings={"readout": readout, "layout": layout},
            code=__version__,
            progress=news(),
        )
        weights = engine.digest
    mined = choose(pool, [one.probabilities for one in predictions], plan, seed=seed)
    report = {
        "steelyard": __version__,
        "model": model,
        "weights": weights,
        "seed": seed,
        "mix": None if mix is None else mix.name,
        "limit": limit,
        "plan": asdict(plan),
        "inputs": _digests(files),
        **_counted(mined),
    }
    text = json.dumps(report, ensure_ascii=False, indent=2) + "\n"
    _beside(out, ".report.json").write_text(text, encoding="utf-8")
    write_examples(out, mined.examples)
    if as_json:
        typer.echo(json.dumps(report, ensure_ascii=False).encode("utf-8"))
    else:
        _print(report)
    for name in ("easy", "replay"):
        if report[name] < report["wanted"][name]:
            typer.echo(
                f"warning: {report[name]:,} {name} of {report['wanted'][name]:,} wanted: the pool "
                "has no more; read more, or keep fewer by --most-hard",
                err=True,
            )


def _pool(files: list[Path], mix: Path | None, limit: int | None, seed: int) -> list[Example]:
    """What the model reads: the examples of the files, each once, thinned and drawn.

    Raises:
        InputFileError: there are none, or a file cannot be read.
        RequestError: `mix` is no training configuration.
    """
    from steelyard.data.dataset import read_examples
    from steelyard.evaluation.run import example_id
    from steelyard.evaluation.sample import sample
    from steelyard.training.config import read_config
    from steelyard.training.mine import thinned

    shares = {} if mix is None else read_config(mix).data.mix
    examples = (one for path in files for one in read_examples(path))
    found = {example_id(one): one for one in thinned(examples, shares, seed)}
    if not found:
        raise InputFileError(f"{', '.join(map(str, files))}: no examples")
    return sample(list(found.values()), limit, seed)


def _beside(out: Path, ending: str) -> Path:
    return out.with_name(out.name.removesuffix(".gz").removesuffix(".jsonl") + ending)


def _digests(files: list[Path]) -> dict[str, str]:
    from steelyard.models.directory import file_digest

    return {path.name: file_digest(path) for path in files}


def _counted(mined: Mined) -> dict[str, Any]:
    """The counts of the report, altogether and by source."""
    sources = [asdict(one) for one in mined.sources]
    names = [name for name in sources[0] if name != "name"]
    return {
        **{name: sum(one[name] for one in sources) for name in names},
        "wanted": {"easy": mined.wanted_easy, "replay": mined.wanted_replay},
        "sources": sources,
    }


def _print(report: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    names = [name for name in report["sources"][0] if name != "name"]
    table = Table("source", box=None)
    for name in names:
        table.add_column(name.replace("_", " "), justify="right")
    for row in (*report["sources"], {"name": "all", **report}):
        table.add_row(row["name"], *(f"{row[name]:,}" for name in names))
    Console().print(table)
