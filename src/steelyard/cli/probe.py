"""`steelyard probe`: what a model's or a server's answers depend on, and what they should not."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from steelyard.cli import model_options

if TYPE_CHECKING:
    from steelyard.probe.trial import Decider


def probe(
    out: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="DIR", help="For probe.html and probe.json."),
    ],
    url: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Probe this server, of whatever make, that speaks System One."
        ),
    ] = None,
    api_key: Annotated[
        str | None,
        typer.Option(
            envvar="STEELYARD_API_KEY",
            hidden=True,  # on a command line everybody on the machine could read it
            help="Sent to the server.",
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, metavar="S", help="Seconds to wait for a server's answer.")
    ] = 60.0,
    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions",
            "-q",
            metavar="FILE",
            help="JSONL of states and questions, for option-order and paraphrase.",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="This experiment only; may be given several times."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few and small requests.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same requests.")] = 0,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "-m",
            metavar="NAME",
            help="As for other commands; with --url a name that the server offers.",
            show_default="mini, or the server's first",
            rich_help_panel="Model",
        ),
    ] = None,
    readout: model_options.Readout = None,
    layout: model_options.Layout = None,
    runtime: model_options.Runtime = "auto",
    device: model_options.Device = "cpu",
    dtype: model_options.Dtype = "float32",
    threads: model_options.Threads = None,
) -> None:
    """Try what the answers of a model or server depend on, and what they should not.

    Isolation of questions, order and wording, irrelevant and forged options,
    the place of a fact, negation, tokens and time: each experiment states its
    null and says whether it holds, with an interval. docs/probe.md describes
    them. A key for --url is read from the variable STEELYARD_API_KEY.
    """
    from steelyard.cli.probe_table import print_run, request_bar
    from steelyard.probe.deciders import Local, Remote
    from steelyard.probe.experiment import Setting
    from steelyard.probe.experiments.registry import chosen
    from steelyard.probe.own import read_own
    from steelyard.probe.run import probe as run_probe
    from steelyard.probe.write import HTML_FILE, check_free, write_report

    experiments = chosen(only or ())
    own = () if questions is None else read_own(questions)
    setting = Setting(seed=seed, quick=quick, own=own)
    check_free(out)
    with ExitStack() as until:
        decider: Decider
        if url is None:
            engine = model_options.load_engine(
                model or "mini",
                runtime=runtime,
                device=device,
                dtype=dtype,
                threads=threads,
                readout=readout,
                layout=layout,
            )
            decider = Local(until.enter_context(engine))
        else:
            from steelyard.client import Client

            client = until.enter_context(Client(url, api_key=api_key, timeout=timeout))
            # An address may carry a password in front of the host; reports are passed on.
            decider = Remote(client, url.rpartition("@")[2], model)
        on_request = until.enter_context(request_bar())
        run = run_probe(
            decider,
            experiments,
            setting,
            questions=None if questions is None else questions.name,
            on_request=on_request,
        )
    write_report(run, out)
    print_run(run)
    typer.echo(f"The report is in {out / HTML_FILE}", err=True)
