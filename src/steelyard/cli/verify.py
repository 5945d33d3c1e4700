"""`steelyard verify`: a calibration's promises against fresh rows."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from steelyard.cli import labelled_answers, model_options

if TYPE_CHECKING:
    from steelyard.evaluation.verify import Kept


def verify(
    calibration: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="What `steelyard calibrate` wrote.")
    ],
    data: labelled_answers.Data,
    answers: Annotated[
        Path, typer.Option("--answers", metavar="FILE", help="Where answers are kept.")
    ],
    questions: labelled_answers.Questions = None,
    state: labelled_answers.State = None,
    template: labelled_answers.Template = None,
    label: labelled_answers.Columns = None,
    group: labelled_answers.Group = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    model: model_options.Model = "mini",
    readout: model_options.Readout = None,
    layout: model_options.Layout = None,
    runtime: model_options.Runtime = "auto",
    device: model_options.Device = "cpu",
    dtype: model_options.Dtype = "float32",
    threads: model_options.Threads = None,
) -> None:
    """Check a calibration's sets and thresholds on rows that it has not seen.

    Shows how often the right option was missing from a set, what share of the
    rows is acted on, and how much of that is wrong, each beside what was
    promised. A row that taught the calibration proves nothing.
    """
    from steelyard.calibration.stored import read_calibration
    from steelyard.cli.trust_tables import print_kept
    from steelyard.evaluation.verify import taught
    from steelyard.evaluation.verify import verify as check

    fitted = read_calibration(calibration)
    examples = labelled_answers.read_labelled(data, questions, state, template, label or (), group)
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
        fitted.card.check(model=engine.digest, layout=engine.layout_digest, readout=engine.readout)
        readings, origin = labelled_answers.answer_labelled(
            engine,
            examples,
            answers,
            name=data.name,
            rotations=fitted.card.rotations,
            reread_below=fitted.card.reread_below,
        )
    fitted.card.check(model=origin.model, layout=origin.layout, readout=origin.readout)
    if taught(fitted, readings):
        typer.echo(
            f"warning: {data} taught this calibration, as its card says: that it keeps its "
            "promises there proves nothing",
            err=True,
        )
    kept = check(fitted, readings)
    if as_json:
        typer.echo(json.dumps([_shown(one) for one in kept]))
    else:
        print_kept(kept)


def _shown(kept: Kept) -> dict[str, Any]:
    """As JSON; a share with its interval."""

    def with_interval(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        if value.keys() == {"count", "n"}:
            from steelyard.evaluation.verify import Share

            share = Share(**value)
            return {**value, "value": share.value, "interval": list(share.interval)}
        return {key: with_interval(inner) for key, inner in value.items()}

    shown: dict[str, Any] = with_interval(asdict(kept))
    return shown
