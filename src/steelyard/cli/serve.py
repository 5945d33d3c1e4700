"""`steelyard serve`: a model behind HTTP, as the services that clients already speak to."""

from __future__ import annotations

import math
from functools import partial
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
            metavar="FILE", help="Who may ask, one a line: [NAME] KEY [requests_per_min=N] ..."
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
    workers: Annotated[
        int, typer.Option(min=1, max=256, help="Processes, each with its own models.")
    ] = 1,
    audit: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Record every decision in this SQLite file."),
    ] = None,
    audit_requests: Annotated[
        bool,
        typer.Option("--audit-requests", help="Record whole requests, not their digests only."),
    ] = False,
    otel: Annotated[
        bool,
        typer.Option(
            "--otel", help="Send OpenTelemetry spans; the OTEL_ variables say where and how."
        ),
    ] = False,
    max_queue: Annotated[
        int, typer.Option(min=1, help="Requests that may wait for a model; more are refused.")
    ] = 256,
    window_ms: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=1000.0,
            help="How long a request waits for company, where the last had some.",
        ),
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
    body_s: Annotated[
        float, typer.Option(min=0.001, help="How long a request may take to arrive.")
    ] = 10.0,
    extras: Annotated[
        bool, typer.Option("--extras", help="Add x_ fields to every reply, not only on demand.")
    ] = False,
    digits: model_options.Digits = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="NAME",
            help="As for other commands; may be repeated. The first is the default.",
            show_default="mini",
            rich_help_panel="Model",
        ),
    ] = None,
    max_loaded: Annotated[
        int,
        typer.Option(min=1, help="Models in memory at once, by process.", rich_help_panel="Model"),
    ] = 1,
    readout: model_options.Readout = None,
    layout: model_options.Layout = None,
    depth: model_options.Depth = "full",
    calibration: model_options.Calibration = None,
    runtime: model_options.Runtime = "auto",
    device: model_options.Device = "cpu",
    dtype: model_options.Dtype = "float32",
    threads: model_options.Threads = None,
) -> None:
    """Serve models over HTTP until SIGTERM or Ctrl-C; what waits then is still answered.

    It speaks System One (/v1/systemone), OpenAI Decisions (/v1/decisions) and
    OpenRouter Decisions (/api/alpha/decisions). The address is printed once it
    listens; one line for each request is logged to stderr. API keys may also
    stand in the variable STEELYARD_API_KEYS, separated by commas.
    """
    from steelyard.errors import MissingExtraError, RequestError
    from steelyard.models.locate import locate
    from steelyard.server.config import ServeConfig
    from steelyard.server.keys import check_exposure

    try:
        from steelyard.server.models import Offer
        from steelyard.server.run import Service, run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("steelyard"):
            raise
        raise MissingExtraError("fastapi", "server") from None
    if otel:
        try:
            import steelyard.server.spans  # noqa: F401 (workers import it, and cannot tell)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("steelyard"):
                raise
            raise MissingExtraError("opentelemetry-sdk", "otel") from None

    if not math.isfinite(max_body_mb):
        raise RequestError(f"{max_body_mb}; allowed: a finite number", field="max_body_mb")
    config = ServeConfig(
        window_ms=window_ms,
        batch_tokens=batch_tokens,
        max_loaded=max_loaded,
        max_queue=max_queue,
        deadline_s=deadline_s,
        max_body_bytes=int(max_body_mb * 2**20),
        body_s=body_s,
        extras=extras,
        digits=digits,
        audit_requests=audit_requests,
    )
    keys = _keys(api_key_file, api_keys)
    check_exposure(host, keys, without_keys=without_keys)
    names = [(locate(one).name, one) for one in model or ["mini"]]
    if len({name for name, _ in names}) < len(names):
        raise RequestError(f"two models of one name: {', '.join(model or ())}", field="model")
    if calibration is not None and len(names) > 1:
        raise RequestError("fitted on one model; allowed with one --model", field="calibration")
    load = partial(
        model_options.load_engine,
        runtime=runtime,
        device=device,
        dtype=dtype,
        threads=threads,
        readout=readout,
        layout=layout,
        depth=depth,
        calibration=calibration,
    )
    offers = [Offer(name, partial(load, one)) for name, one in names]
    run(
        Service(offers, config, keys, audit, otel),
        host=host,
        port=port,
        num_workers=workers,
        announce=lambda url: typer.echo(f"{', '.join(name for name, _ in names)} on {url}"),
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
