"""Peak resident memory for a state of 2,000 tokens with 21 questions, store on and off.

    python -m benchmarks.memory --model mini

Each setting runs in a process of its own, whose high-water mark the kernel keeps (VmHWM).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

from benchmarks.documents import document
from benchmarks.record import (
    ROOT,
    add_model_arguments,
    add_record_arguments,
    model_name,
    model_settings,
    provenance,
    write_record,
)
from benchmarks.workloads import criteria

CHARACTERS = 7300  # 2,000 tokens of a contract


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    if options.child is not None:
        print(json.dumps(peak(options)))
        return
    origin = provenance(options.allow_dirty)
    words = list(sys.argv[1:] if argv is None else argv)
    path = write_record(
        options.records,
        f"memory--{model_name(options.model)}-{options.dtype}-{options.readout}",
        origin,
        settings=model_settings(options)
        | {"readout": options.readout, "questions": 21, "states": options.states},
        results={store: in_child(words, store) for store in ("on", "off")},
    )
    print(path)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.memory",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_model_arguments(made)
    made.add_argument("--readout", default="letters")
    made.add_argument("--states", type=int, default=5, help="requests, to fill the store")
    made.add_argument("--child", choices=("on", "off"), help=argparse.SUPPRESS)
    add_record_arguments(made)
    return made


def in_child(words: Sequence[str], store: str) -> dict[str, object]:
    """What `peak` finds in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.memory", *words, "--child", store],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


def peak(options: argparse.Namespace) -> dict[str, object]:
    """Peak bytes after importing, loading, one state and several, and the tokens of one."""
    import steelyard
    from steelyard.engine.load import DEFAULT_STORE_BYTES

    imported = high_water_bytes()
    engine = steelyard.load(
        options.model,
        dtype=options.dtype,
        device=options.device,
        threads=options.threads,
        readout=options.readout,
        store_bytes=DEFAULT_STORE_BYTES if options.child == "on" else 0,
    )
    loaded = high_water_bytes()
    response = engine.decide(document("contract", Random(0), CHARACTERS), criteria())
    peak_bytes = high_water_bytes()
    for seed in range(1, options.states):
        engine.decide(document("contract", Random(seed), CHARACTERS), criteria())
    return {
        "imported_bytes": imported,
        "loaded_bytes": loaded,
        "peak_bytes": peak_bytes,
        "peak_later_bytes": high_water_bytes(),
        "input_tokens": response.usage.input_tokens,
    }


def high_water_bytes() -> int:
    """The largest resident set that this process has had."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise OSError("/proc/self/status has no VmHWM")


if __name__ == "__main__":
    main()
