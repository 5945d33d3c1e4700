"""Whether clients and suites of System One find in a server what they expect.

    python -m benchmarks.conformance --model mini

A server is started with and without a key, as one process and as two, and each is put through
jevcompat. Another one, without a key, is asked by TypeSafe's SDK for JavaScript, where there is
npm, and put through JevBench, whose batch relations (BAT) must hold without exception. The record
is written whatever comes out; a shortcoming then ends the program with status 1.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from importlib import metadata
from itertools import product

import jevbench
from jevbench import taxonomy
from jevbench.relations import REGISTRY
from jevcompat import runner

from benchmarks.record import (
    ROOT,
    add_model_arguments,
    add_record_arguments,
    model_name,
    model_settings,
    provenance,
    write_record,
)
from benchmarks.serving import Served, serving

KEY = "sk-conformance-0123456789"
TIMEOUT_S = 600.0  # a slow machine conforms, too
SUITES = ("examples", "jevbench-mini")
BATCHING = "BAT"
AT_ONCE = 4  # requests of JevBench under way together, so that the server batches them

PACKAGES = ("jevcompat", "jevbench", "typesafe-sdk")  # beside those of every record

SCRIPT = ROOT / "tests" / "conformance" / "typesafe_sdk.mjs"
JS_SDK = "@typesafe-ai/sdk@0.6.0"
JS_FOLDER = ROOT / "build" / "conformance"


@dataclass(frozen=True, slots=True)
class Compatibility:
    """What jevcompat found.

    Attributes:
        must, should: requirements that hold, of those that were tested.
        failed: those that do not hold, each with the first thing that shows it.
        untested: why each of the others was not tested.
        worker_cpu_s: of each process that answered, during the suite.
    """

    verdict: str
    must: tuple[int, int]
    should: tuple[int, int]
    failed: Mapping[str, str]
    untested: Mapping[str, str]
    requests: int
    seconds: float
    worker_cpu_s: Sequence[float]


@dataclass(frozen=True, slots=True)
class Coherence:
    """What JevBench found.

    Attributes:
        dimensions: share of the relations of each that hold; None where there are too few.
        largest_batch_difference: of a probability (total variation), over all relations of BAT.
        errors: requests that were refused or not understood.
    """

    overall: float | None
    dimensions: Mapping[str, float | None]
    largest_batch_difference: float
    relations: int
    requests: int
    errors: int
    seconds: float


@dataclass(frozen=True, slots=True)
class JavaScript:
    """What the script that uses TypeSafe's SDK for JavaScript found: in a line where it passed."""

    package: str
    passed: bool
    said: str


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    origin = provenance(options.allow_dirty)
    has_npm = shutil.which("npm") is not None
    if has_npm:
        install_javascript()
    flags = _serve_flags(options)
    compatibility: dict[str, Compatibility] = {}
    for num_workers, key in product((1, 2), (None, KEY)):
        name = (
            f"{'one process' if num_workers == 1 else 'two processes'}, {'a' if key else 'no'} key"
        )
        with serving("--model", options.model, *flags, num_workers=num_workers, keys=key) as server:
            compatibility[name] = jevcompat(server, key)
        _say(f"{name}: {compatibility[name]}")
    javascript: JavaScript | None = None
    coherence: dict[str, Coherence] = {}
    with serving("--model", options.model, *flags) as server:
        if has_npm:
            javascript = ask_from_javascript(server.url)
            _say(str(javascript))
        for suite in options.suites:
            coherence[suite] = coherent(server, suite)
            _say(f"{suite}: {coherence[suite]}")
    path = write_record(
        options.records,
        f"conformance--{model_name(options.model)}-{options.dtype}",
        origin,
        settings=model_settings(options)
        | {
            "suites": options.suites,
            "at_once": AT_ONCE,
            "versions": {name: metadata.version(name) for name in PACKAGES},
        },
        results={
            "jevcompat": {name: asdict(found) for name, found in compatibility.items()},
            "jevbench": {suite: asdict(found) for suite, found in coherence.items()},
            "javascript": None if javascript is None else asdict(javascript),
        },
    )
    print(path)
    if short := shortcomings(compatibility, coherence, javascript):
        raise SystemExit("\n".join(short))


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.conformance",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_model_arguments(made)
    made.add_argument(
        "--suites", nargs="*", default=list(SUITES), choices=SUITES, help="of JevBench"
    )
    add_record_arguments(made)
    return made


def jevcompat(server: Served, key: str | None = None) -> Compatibility:
    """All of jevcompat's requirements, tried on a server."""
    before = server.worker_cpu_s()
    report = runner.run(server.url, key=key, timeout=TIMEOUT_S)
    used = [
        round(later - earlier, 2)
        for earlier, later in zip(before, server.worker_cpu_s(), strict=True)
    ]
    summary = report.summary()
    return Compatibility(
        verdict=report.verdict,
        must=(summary["MUST"]["passed"], summary["MUST"]["tested"]),
        should=(summary["SHOULD"]["passed"], summary["SHOULD"]["tested"]),
        failed={one.id: one.findings[0].message for one in report.results if one.findings},
        untested={one.id: one.reason for one in report.results if one.status == "skip"},
        requests=len(report.exchanges),
        seconds=report.seconds,
        worker_cpu_s=used,
    )


def coherent(server: Served, suite: str) -> Coherence:
    """A suite of JevBench, asked several requests at a time and never from a cache."""
    model = jevbench.systemone(
        f"{server.url}/v1/systemone", "jev-latest", timeout=TIMEOUT_S, per_replica=AT_ONCE
    )
    begin = time.perf_counter()
    with closing(model.client):
        report = jevbench.evaluate(model, suite=suite, concurrency=AT_ONCE, cache=":memory:")
    seconds = time.perf_counter() - begin
    differences = [
        outcome["deviation"]
        for outcome in report.result["outcomes"]
        if REGISTRY[outcome["relation"]].group.startswith(f"{BATCHING}.")
    ]
    return Coherence(
        overall=report.overall,
        dimensions={pillar.id: report.dimensions[pillar.id] for pillar in taxonomy.PILLARS},
        largest_batch_difference=max(differences),
        relations=len(report.result["outcomes"]),
        requests=report.result["requests"],
        errors=len(report.errors),
        seconds=round(seconds, 1),
    )


def install_javascript() -> None:
    """Fetch TypeSafe's SDK for JavaScript, and put the script that uses it where node finds it.

    Raises:
        subprocess.CalledProcessError: npm cannot fetch it.
    """
    JS_FOLDER.mkdir(parents=True, exist_ok=True)
    shutil.copy(SCRIPT, JS_FOLDER)
    install = ["npm", "install", "--silent", "--no-save", "--prefix", str(JS_FOLDER), JS_SDK]
    subprocess.run(install, check=True)


def ask_from_javascript(url: str) -> JavaScript:
    """What the installed script finds in a server."""
    done = subprocess.run(
        ["node", str(JS_FOLDER / SCRIPT.name), url], check=False, capture_output=True, text=True
    )
    passed = done.returncode == 0
    return JavaScript(JS_SDK, passed, (done.stdout if passed else done.stderr).strip())


def shortcomings(
    compatibility: Mapping[str, Compatibility],
    coherence: Mapping[str, Coherence],
    javascript: JavaScript | None = None,
) -> list[str]:
    """What is not as it must be, a line each."""
    short = [
        f"jevcompat, {name}: {found.verdict}; {dict(found.failed)}"
        for name, found in compatibility.items()
        if found.verdict != "conformant" or found.failed
    ]
    if javascript is not None and not javascript.passed:
        short.append(f"{javascript.package}: {javascript.said}")
    for suite, found in coherence.items():
        if found.dimensions[BATCHING] != 1.0:
            short.append(f"{suite}: {BATCHING} is {found.dimensions[BATCHING]}, not 1")
        if found.errors:
            short.append(f"{suite}: {found.errors} requests without an answer")
    return short


def _serve_flags(options: argparse.Namespace) -> list[str]:
    return [
        *("--dtype", options.dtype, "--device", options.device),
        *("--threads", str(options.threads), "--deadline-s", str(TIMEOUT_S)),
    ]


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
