"""`steelyard mcp`: decisions as a tool for agents, over stdin and stdout."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from steelyard.cli import model_options

if TYPE_CHECKING:
    from steelyard.agents.tool import Decide


def mcp(
    url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Ask this server, in place of a model in this process."),
    ] = None,
    api_key: Annotated[
        str | None,
        typer.Option(
            envvar="STEELYARD_API_KEY",
            hidden=True,  # on a command line everybody on the machine could read it
            help="Sent to the server.",
        ),
    ] = None,
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
    """Offer the tool `decide` to an agent, by the Model Context Protocol over stdin and stdout.

    Agents start it themselves: enter "steelyard mcp" as the command of a server.
    A key for --url is read from the variable STEELYARD_API_KEY.
    """
    from steelyard.errors import MissingExtraError

    try:
        from steelyard.agents.mcp_server import mcp_server
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("steelyard"):
            raise
        raise MissingExtraError("mcp", "mcp") from None

    with ExitStack() as until:
        decide: Decide
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
            decide = until.enter_context(engine).decide
        else:
            from steelyard.client import Client

            client = until.enter_context(Client(url, api_key=api_key))
            decide = partial(client.decide, model=model)
        mcp_server(decide).run()
