"""`steelyard serve`: a model behind HTTP, as the services that clients already speak to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from steelyard.cli import model_options

if TYPE_CHECKING:
    from steelyard.server.keys import KeyRing


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="0 takes a free port, and says which.")
    ] = 8000,
    api_key_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Who may ask: one a line, [NAME] KEY or [NAME] sha256:HEX."
        ),
    ] = None,
    api_keys: Annotated[
        str | None,
        typer.Option(
            envvar="STEELYARD_API_KEYS",
            hidden=True,  # on a command line everybody on the machine could read it
            help="The same, separated by commas.",
        ),
    ] = None,
    without_keys: Annotated[
        bool, typer.Option("--without-keys", help="Let other machines ask without a key.")
    ] = False,
    max_queue: Annotated[
        int, typer.Option(min=1, help="Requests that may wait; more are refused at once.")
    ] = 256,
    window_ms: Annotated[
        float, typer.Option(min=0.0, max=1000.0, help="How long a request waits for company.")
    ] = 1.0,
    batch_tokens: Annotated[
        int, typer.Option(min=1, help="About how many tokens are computed together.")
    ] = 8192,
    deadline_s: Annotated[
        float, typer.Option(min=0.001, help="A request that takes longer is given up.")
    ] = 30.0,
    max_body_mb: Annotated[
        float, typer.Option(min=0.001, help="Largest body, also once decompressed.")
    ] = 8.0,
    extras: Annotated[
        bool, typer.Option("--extras", help="Add x_ fields to every reply, not only on demand.")
    ] = False,
    digits: model_options.Digits = None,
    model: model_options.Model = "mini",
    readout: model_options.Readout = None,
    layout: model_options.Layout = None,
    runtime: model_options.Runtime = "auto",
    device: model_options.Device = "cpu",
    dtype: model_options.Dtype = "float32",
    threads: model_options.Threads = None,
) -> None:
    """Serve a model over HTTP until SIGTERM or Ctrl-C; what waits then is still answered.

    It speaks System One (/v1/systemone), OpenAI Decisions (/v1/decisions) and
    OpenRouter Decisions (/api/alpha/decisions). The address is printed once it
    listens; one line for each request is logged to stderr. API keys may also
    stand in the variable STEELYARD_API_KEYS, separated by commas.
    """
    from steelyard.errors import MissingExtraError
    from steelyard.server.config import ServeConfig
    from steelyard.server.keys import check_exposure

    try:
        from steelyard.server.run import run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("steelyard"):
            raise
        raise MissingExtraError("fastapi", "server") from None

    config = ServeConfig(
        window_ms=window_ms,
        batch_tokens=batch_tokens,
        max_queue=max_queue,
        deadline_s=deadline_s,
        max_body_bytes=int(max_body_mb * 2**20),
        extras=extras,
        digits=digits,
    )
    keys = _keys(api_key_file, api_keys)
    check_exposure(host, keys, without_keys=without_keys)
    with model_options.load_engine(
        model,
        runtime=runtime,
        device=device,
        dtype=dtype,
        threads=threads,
        readout=readout,
        layout=layout,
    ) as engine:
        for warning in engine.warnings:
            typer.echo(f"warning: {warning}", err=True)
        run(
            [engine],
            config,
            keys,
            host=host,
            port=port,
            announce=lambda url: typer.echo(f"{engine.name} on {url}"),
        )


def _keys(file: Path | None, listed: str | None) -> KeyRing:
    from steelyard.errors import RequestError
    from steelyard.server.keys import KeyRing, parse_keys, read_keys

    if file is not None and listed is not None:
        raise RequestError(
            "keys both in a file and in STEELYARD_API_KEYS; allowed: one of the two",
            field="api_key_file",
        )
    if file is not None:
        return read_keys(file)
    if listed is not None:
        return parse_keys(listed.split(","), "STEELYARD_API_KEYS")
    return KeyRing()
