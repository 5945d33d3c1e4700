"""`steelyard evaluate`: labelled questions put to a model or a server, and what came of them."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from steelyard.__about__ import __version__
from steelyard.cli import labelled_answers, model_options
from steelyard.cli.news import news
from steelyard.errors import RequestError

if TYPE_CHECKING:
    from steelyard import Engine
    from steelyard.engine.options import How
    from steelyard.evaluation.remote import Remote
    from steelyard.evaluation.suites.suite import Suite
    from steelyard.types.content import Json

_SERVER = "Server"
KEY_VARIABLE = "STEELYARD_API_KEY"
ALL = "all"
FAILED = 1


def evaluate(
    suites: Annotated[
        list[str] | None,
        typer.Option(
            "--suite",
            "-s",
            metavar="SUITE",
            help="A name from --list, all, or a file: JSONL of examples, or with --questions a CSV "
            "or JSONL table. May be repeated.",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", "-d", metavar="FOLDER", help="Where the named suites' files are."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="RUN", help="The run's folder.")
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Stop drawing groups at this many questions of a suite.",
            show_default="all",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Another seed draws another sample.")] = 1,
    alone: Annotated[
        bool, typer.Option("--alone", help="One question a call, so that its time is its own.")
    ] = False,
    worst: Annotated[
        int, typer.Option(min=0, help="Keep so many errors of a suite with their texts, to read.")
    ] = 20,
    costs: Annotated[
        str | None,
        typer.Option(metavar="YES:NO", help="What a wrong yes and a wrong no cost, such as 10:1."),
    ] = None,
    price: Annotated[
        float | None,
        typer.Option(metavar="USD", help="Of 1,000 decisions, for JevBench's Cost."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print result.json.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="Show the named suites.")] = False,
    questions: labelled_answers.Questions = None,
    state: labelled_answers.State = None,
    template: labelled_answers.Template = None,
    label: labelled_answers.Columns = None,
    group: labelled_answers.Group = None,
    url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Ask a System One server in place of a model.",
            rich_help_panel=_SERVER,
        ),
    ] = None,
    served: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The server's name of the model.",
            show_default="its first, or jev-latest",
            rich_help_panel=_SERVER,
        ),
    ] = None,
    key_variable: Annotated[
        str,
        typer.Option(
            "--key-env",
            metavar="NAME",
            help="The environment variable that holds the API key, if there is one.",
            rich_help_panel=_SERVER,
        ),
    ] = KEY_VARIABLE,
    timeout: Annotated[
        float, typer.Option(help="Seconds for each call.", rich_help_panel=_SERVER)
    ] = 60.0,
    concurrency: Annotated[
        int, typer.Option(min=1, max=8, help="Calls under way at once.", rich_help_panel=_SERVER)
    ] = 1,  # at most the states of which a run asks together
    model: model_options.Model = "mini",
    readout: model_options.Readout = None,
    layout: model_options.Layout = None,
    rotations: model_options.Rotations = 1,
    reread_below: model_options.RereadBelow = 0.0,
    depth: model_options.Depth = "full",
    calibration: model_options.Calibration = None,
    runtime: model_options.Runtime = "auto",
    device: model_options.Device = "cpu",
    dtype: model_options.Dtype = "float32",
    threads: model_options.Threads = None,
) -> None:
    """Put labelled questions to a model or a server and say what the answers are worth.

    Every answer is kept as it comes: the same command goes on after a kill, and a
    larger --sample asks only what is new. RUN gets answers/, result.json,
    failures.jsonl and worst.jsonl, for `steelyard compare` and `steelyard report`.
    Ends with 1 if a question has no answer.
    """
    from steelyard.cli.evaluation_tables import print_result, print_suites
    from steelyard.engine.options import How

    if listed:
        print_suites()
        return
    if not suites:
        raise RequestError("missing; allowed: a name from --list, or a file", field="--suite")
    if out is None:
        raise RequestError("missing; allowed: a folder for the run", field="--output")
    if price is not None and not (math.isfinite(price) and price > 0):
        raise RequestError(f"got {price}; allowed: a number above 0", field="--price")
    priced = _costs(costs)
    chosen = _suites(suites, data, questions, state, template, label or (), group)
    how = How()
    settings: dict[str, Json]
    asked: AbstractContextManager[Engine | Remote]
    if url is not None:
        from steelyard.evaluation.remote import Remote

        _refuse_model_options(model, calibration, rotations, reread_below, depth)
        asked = Remote(
            url,
            model=served,
            api_key=os.environ.get(key_variable) or None,
            timeout=timeout,
            concurrency=concurrency,
        )
    else:
        how = How(
            rotations=rotations,
            reread_below=reread_below,
            depth=model_options.depth_of(depth),
        )
        asked = model_options.load_engine(
            model,
            runtime=runtime,
            device=device,
            dtype=dtype,
            threads=threads,
            readout=readout,
            layout=layout,
            calibration=calibration,
        )
    with asked as decider:
        for warning in decider.warnings:
            typer.echo(f"warning: {warning}", err=True)
        if url is None:
            settings = {"readout": decider.readout, "layout": decider.layout}  # type: ignore[union-attr]
        else:
            settings = {"url": url, "model": decider.name}
        name = decider.name
        result = run_suites(
            decider,
            chosen,
            data or Path(),
            out,
            about={"model": name, "url": url, "sample": sample, "seed": seed, "how": how},
            limit=sample,
            seed=seed,
            how=how,
            settings={**settings, "alone": alone},
            alone=alone,
            worst=worst,
            usd_per_1000=price,
            costs=priced,
        )
    if as_json:
        typer.echo(json.dumps(result))
    else:
        print_result(result)
    if any(one["failed"] for one in result["suites"]):
        raise typer.Exit(FAILED)


def run_suites(
    decider: Engine | Remote,
    suites: Sequence[Suite],
    data: Path,
    out: Path,
    *,
    about: dict[str, Any],
    limit: int | None,
    seed: int,
    how: How,
    settings: Mapping[str, Json],
    alone: bool,
    worst: int,
    usd_per_1000: float | None,
    costs: tuple[float, float] | None,
) -> dict[str, Any]:
    """Evaluate suites one after another and write the run's folder; see `run_folder.py`."""
    from steelyard.evaluation.evaluate import evaluate as evaluate_suite
    from steelyard.evaluation.result import result_of
    from steelyard.evaluation.run_folder import FAILURES, RESULT, WORST, answers_path, write_rows
    from steelyard.evaluation.worst import worst_errors
    from steelyard.files import write_whole

    done = []
    for suite in suites:
        typer.echo(suite.name, err=True)
        done.append(
            evaluate_suite(
                decider,
                suite,
                data,
                answers_path(out, suite.name),
                limit=limit,
                seed=seed,
                how=how,
                settings=settings,
                code=__version__,
                progress=news(),
                alone=alone,
            )
        )
    result = result_of(done, about, alone=alone, usd_per_1000=usd_per_1000, costs=costs)
    write_rows(out / FAILURES, [asdict(one) for part in done for one in part.failures])
    write_rows(
        out / WORST,
        [row for one in done for row in worst_errors(one.predictions, one.examples, worst)],
    )
    write_whole(out / RESULT, json.dumps(result, indent=2) + "\n")
    return result


def _suites(
    names: Sequence[str],
    data: Path | None,
    questions: Path | None,
    state: str | None,
    template: str | None,
    columns: Sequence[str],
    group: str | None,
) -> list[Suite]:
    """The suites that the options name.

    Raises:
        RequestError: a name that is neither a suite nor a file, or a suite whose folder is missing.
    """
    from steelyard.evaluation.suites.registry import SUITES

    found: dict[str, Suite] = {}
    for name in names:
        if Path(name).is_file():
            one = _own(Path(name), questions, state, template, columns, group)
            parts = [one]
        elif name == ALL or name in SUITES:
            if data is None:
                raise RequestError(f"the suite {name!r} needs it", field="--data")
            parts = list(SUITES.values()) if name == ALL else [SUITES[name]]
        else:
            raise RequestError(
                f"got {name!r}; allowed: a file, all, {', '.join(SUITES)}", field="--suite"
            )
        for part in parts:
            if part.name in found:
                raise RequestError(f"{part.name!r} is there twice", field="--suite")
            found[part.name] = part
    return list(found.values())


def _own(
    path: Path,
    questions: Path | None,
    state: str | None,
    template: str | None,
    columns: Sequence[str],
    group: str | None,
) -> Suite:
    from steelyard.evaluation.suites.own import suite_name, suite_of_file
    from steelyard.evaluation.suites.suite import Suite

    if questions is None and not (state or template or columns or group):
        return suite_of_file(path)
    examples = labelled_answers.read_labelled(path, questions, state, template, columns, group)
    return Suite(
        name=suite_name(path),
        load=lambda _: examples,
        what=f"the rows of {path.name}",
        licence="mixed",
    )


def _costs(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        false_yes, false_no = map(float, text.split(":"))
    except ValueError:
        raise RequestError(
            f"got {text!r}; allowed: YES:NO, such as 10:1", field="--costs"
        ) from None
    if not (0 < false_yes < float("inf") and 0 < false_no < float("inf")):
        raise RequestError(f"got {text!r}; allowed: numbers above 0", field="--costs")
    return false_yes, false_no


def _refuse_model_options(
    model: str, calibration: Path | None, rotations: int, reread_below: float, depth: str
) -> None:
    """A server decides these itself; taken silently they would look as if they had counted."""
    for option, given, usual in (
        ("--model", model, "mini"),
        ("--calibration", calibration, None),
        ("--rotations", rotations, 1),
        ("--reread-below", reread_below, 0.0),
        ("--depth", depth, "full"),
    ):
        if given != usual:
            raise RequestError("given together with --url; see --served", field=option)
