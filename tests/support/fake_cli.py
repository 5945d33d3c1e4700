"""The command line, or a Python script, with a fake engine: `python -m support.fake_cli ARGS`.

FAKE_SECONDS makes every call of the engine take that long.
"""

from __future__ import annotations

import os
import runpy
import sys
import time
from collections import deque
from types import SimpleNamespace

from support.fake_engine import FakeEngine

import steelyard
from steelyard.cli.main import run
from steelyard.models import locate

if __name__ == "__main__":
    seconds = float(os.environ.get("FAKE_SECONDS", "0"))
    names = {"mini": "fake"}

    def load(model: str = "mini", **_: object) -> FakeEngine:
        engine = FakeEngine(lambda requests: time.sleep(seconds), names.get(model, model))
        engine.calls, engine.partitions = deque(maxlen=1), deque(maxlen=1)  # type: ignore[assignment]
        return engine

    steelyard.load = load
    locate.locate = lambda model: SimpleNamespace(name=names.get(model, model))
    if sys.argv[1].endswith(".py"):
        sys.argv = sys.argv[1:]
        runpy.run_path(sys.argv[0], run_name="__main__")
    else:
        sys.exit(run(sys.argv[1:]))
