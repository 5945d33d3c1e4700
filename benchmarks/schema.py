"""Schemathesis on a server: what its OpenAPI document allows is answered, the rest refused.

    python -m benchmarks.schema --examples 200

starts `steelyard serve` with an engine without a model. Every reply must have a status, a type,
headers and a body that the document knows; it must be an answer where the schema of the body holds,
a refusal where it does not, and never a 5xx.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.record import add_record_arguments, provenance, write_record
from benchmarks.serving import serving

CONFIG = Path(__file__).with_name("schemathesis.toml")
PHASES = "examples,coverage,fuzzing"


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    origin = provenance(options.allow_dirty)
    code, said, tracebacks = check(options.examples, options.seed, PHASES)
    print(said)
    generated = re.search(r"([\d,]+) generated", said)
    found = re.search(r"found ([\d,]+) unique failures", said)
    path = write_record(
        options.records,
        "schema",
        origin,
        seed=options.seed,
        settings={"examples": options.examples, "phases": PHASES},
        results={
            "generated": _number(generated),
            "failures": _number(found),
            "code": code,
            "tracebacks": tracebacks,
        },
    )
    print(path)
    if code or tracebacks:
        sys.exit(1)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.schema",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--examples", type=int, default=200, help="most for each route and phase")
    made.add_argument("--seed", type=int, default=1)
    add_record_arguments(made)
    return made


def check(examples: int, seed: int, phases: str) -> tuple[int, str, int]:
    """Schemathesis' exit code, what it said, and how many tracebacks the server has logged."""
    with serving(fake=True) as served, tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIG)),
                *("run", f"{served.url}/openapi.json"),
                *("--max-examples", str(examples), "--seed", str(seed), "--phases", phases),
                *("--request-timeout", "60", "--no-color"),
            ],
            cwd=folder,  # where it keeps what it found
            text=True,
            encoding="utf-8",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        return done.returncode, done.stdout, served.log.read_text("utf-8").count("Traceback")


def _number(found: re.Match[str] | None) -> int:
    return int(found[1].replace(",", "")) if found else 0


if __name__ == "__main__":
    main()
