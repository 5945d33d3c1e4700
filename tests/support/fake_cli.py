"""The command line, or a Python script, with a fake engine: `python -m support.fake_cli ARGS`.

FAKE_SECONDS makes every call of the engine take that long.
"""

from __future__ import annotations

import os
import runpy
import sys
import time

from support.fake_engine import FakeEngine

import steelyard
from steelyard.cli.main import run

if __name__ == "__main__":
    seconds = float(os.environ.get("FAKE_SECONDS", "0"))
    steelyard.load = lambda *args, **kwargs: FakeEngine(lambda requests: time.sleep(seconds))
    if sys.argv[1].endswith(".py"):
        sys.argv = sys.argv[1:]
        runpy.run_path(sys.argv[0], run_name="__main__")
    else:
        sys.exit(run(sys.argv[1:]))
