"""jevcompat and JevBench pass a server on random weights: what they check is not ability."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest
from jevcompat.mock import MockConfig, Running

from benchmarks.conformance import KEY, JavaScript, coherent, jevcompat, shortcomings
from benchmarks.serving import Served

AUTHENTICATION = {"auth.bearer", "auth.missing", "auth.invalid"}


def test_every_requirement_holds_in_one_process_without_keys(open_tiny: Served) -> None:
    found = jevcompat(open_tiny)
    assert (found.verdict, found.failed) == ("conformant", {})
    assert (found.must, found.should) == ((32, 32), (13, 13))
    assert set(found.untested) == AUTHENTICATION


def test_every_requirement_holds_in_two_processes_with_keys(two_with_keys: Served) -> None:
    found = jevcompat(two_with_keys, KEY)
    assert (found.verdict, found.failed) == ("conformant", {})
    assert (found.must, found.should) == ((32, 32), (15, 15))
    assert set(found.untested) == {"auth.ignored-when-off"}
    assert len(found.worker_cpu_s) == 2 and min(found.worker_cpu_s) > 0.05  # both have answered


def test_company_in_a_batch_changes_no_answer(open_tiny: Served) -> None:
    found = coherent(open_tiny, "examples")
    assert found.dimensions["BAT"] == 1.0 and found.errors == 0
    assert found.largest_batch_difference < 1e-6  # the engine's own bound in float32
    assert shortcomings({}, {"examples": found}) == []
    worse = dataclasses.replace(found, dimensions={"BAT": 0.99}, errors=1)
    assert len(shortcomings({}, {"examples": worse}, JavaScript("sdk", False, "a fault"))) == 3


@pytest.mark.parametrize(
    ("fault", "requirement", "verdict"),
    [
        ("choice-second", "choice.argmax", "not conformant"),
        ("confidence-margin", "confidence.formula", "conformant"),  # a SHOULD
    ],
)
def test_what_does_not_hold_is_a_shortcoming(
    tmp_path: Path, fault: str, requirement: str, verdict: str
) -> None:
    with Running(MockConfig(faults=frozenset({fault}))) as mock:
        found = jevcompat(Served(mock.url, os.getpid(), 1, tmp_path))
    assert (found.verdict, set(found.failed)) == (verdict, {requirement})
    [told] = shortcomings({"a mock": found}, {})
    assert "a mock" in told and requirement in told
