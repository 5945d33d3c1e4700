"""`steelyard calibrate`: labelled rows to probabilities that mean something, and guarantees."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from steelyard.cli import labelled_answers, model_options
from steelyard.errors import OutputError, RequestError


def calibrate(
    data: labelled_answers.Data,
    out: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the calibration goes.")
    ],
    questions: labelled_answers.Questions = None,
    state: labelled_answers.State = None,
    template: labelled_answers.Template = None,
    label: labelled_answers.Columns = None,
    group: labelled_answers.Group = None,
    maps: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="MAP",
            help="Of all kinds, or KIND=MAP: temperature, smooth, tied, vector, dirichlet, none; "
            "of nouls platt, isotonic.",
            show_default="temperature",
        ),
    ] = None,
    targets: Annotated[
        str, typer.Option(help="soft: follow votes; hard: how often the likeliest is right.")
    ] = "soft",
    committed: Annotated[
        bool, typer.Option("--committed", help="Fit the committed value of nouls as well.")
    ] = False,
    sets: Annotated[
        str | None, typer.Option(help="Prediction sets: lac, aps or raps.", show_default="none")
    ] = None,
    alpha: Annotated[float, typer.Option(help="How often a set may miss the right option.")] = 0.1,
    act_risk: Annotated[
        float | None,
        typer.Option(help="Most errors among answers to act on.", show_default="none"),
    ] = None,
    ask_risk: Annotated[
        float | None,
        typer.Option(help="Most errors among answers to propose.", show_default="none"),
    ] = None,
    delta: Annotated[
        float, typer.Option(help="How often a threshold's bound may be wrong.")
    ] = 0.05,
    share: Annotated[
        float, typer.Option(help="Of the groups, for the maps, where there are guarantees too.")
    ] = 0.5,
    seed: Annotated[int, typer.Option(min=0, help="Another seed draws another split.")] = 0,
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Where answers are kept.", show_default="FOLDER/answers.jsonl"
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print effect.json.")] = False,
    model: model_options.Model = "mini",
    readout: model_options.Readout = None,
    layout: model_options.Layout = None,
    rotations: model_options.Rotations = 1,
    reread_below: model_options.RereadBelow = 0.0,
    runtime: model_options.Runtime = "auto",
    device: model_options.Device = "cpu",
    dtype: model_options.Dtype = "float32",
    threads: model_options.Threads = None,
) -> None:
    """Fit what a model's answers mean, on rows whose answer is known.

    Writes calibration.json, for --calibration, and effect.json: what it changed
    on rows that it had not seen, with intervals. With --sets, or with --act-risk
    and --ask-risk, half of the rows teach guarantees and not maps. Answers are
    kept as they come: a killed run goes on, and another choice from the same
    --answers costs nothing. Too few rows are refused with the number needed.
    """
    from steelyard.calibration.recipe import Recipe, fit_calibration
    from steelyard.calibration.stored import FILE_NAME, write_calibration
    from steelyard.cli.trust_tables import print_card, print_effects
    from steelyard.evaluation.effects import EFFECT_NAME, effect_report, write_report

    recipe = Recipe(
        maps=read_maps(maps or ()),
        targets=targets,
        committed=committed,
        sets=sets,
        alpha=alpha,
        act_risk=act_risk,
        ask_risk=ask_risk,
        delta=delta,
        share=share,
        seed=seed,
    )
    file = out / FILE_NAME
    if file.exists():  # before the time that answering takes
        raise OutputError(f"{file} exists already; nothing is overwritten")
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
        readings, origin = labelled_answers.answer_labelled(
            engine,
            examples,
            answers or out / "answers.jsonl",
            name=data.name,
            rotations=rotations,
            reread_below=reread_below,
        )
    fitted = fit_calibration(readings, recipe, origin)
    report = effect_report(fitted.effects)
    out.mkdir(parents=True, exist_ok=True)
    write_report(report, out / EFFECT_NAME)
    write_calibration(fitted.calibration, file)
    if as_json:
        typer.echo((out / EFFECT_NAME).read_bytes(), nl=False)
    else:
        print_effects(report)
        print_card(fitted.calibration)


def read_maps(texts: Sequence[str]) -> dict[str, str]:
    """Kind -> map, from `MAP` for all kinds and `KIND=MAP` for one; a map of nouls alone is theirs.

    Raises:
        RequestError: a kind that is none.
    """
    from steelyard.calibration.recipe import WAYS
    from steelyard.types.question import KINDS

    found: dict[str, str] = dict.fromkeys(KINDS, "temperature")
    for text in texts:
        kind, equals, name = text.rpartition("=")
        if equals and kind not in KINDS:
            raise RequestError(f"got {text!r}; allowed: {', '.join(KINDS)} before =", field="--map")
        theirs = WAYS[name].kinds if name in WAYS else KINDS
        for one in [kind] if equals else theirs:
            found[one] = name
    return found
