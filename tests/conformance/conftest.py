"""Live servers that the suites and clients of this folder share, on random weights or on mini."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.folders import write_model

from benchmarks.conformance import KEY
from benchmarks.serving import Served, serving

HURRIED = "sk-hurried-0123456789"
PATIENT = ("--threads", "1", "--deadline-s", "600")  # a busy machine is not a fault


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="session")
def open_tiny(tiny: Path) -> Iterator[Served]:
    """One process without keys."""
    with serving("--model", str(tiny), *PATIENT) as server:
        yield server


@pytest.fixture(scope="session")
def two_with_keys(tiny: Path) -> Iterator[Served]:
    """Two processes that want a key."""
    keys = f"{KEY},{HURRIED} requests_per_min=1"
    with serving("--model", str(tiny), *PATIENT, num_workers=2, keys=keys) as server:
        yield server


@pytest.fixture
def hurried_key() -> str:
    """A key of `two_with_keys` that may ask once a minute."""
    return HURRIED


@pytest.fixture(scope="session", params=["tiny", pytest.param("mini", marks=pytest.mark.model)])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    """Where a server without keys answers."""
    if request.param == "tiny":
        server: Served = request.getfixturevalue("open_tiny")
        yield server.url
        return
    with serving("--model", "mini", *PATIENT) as server:
        yield server.url
