"""What the published licences allow, and what each converter says when its files are missing."""

import importlib
from pathlib import Path
from random import Random

import pytest

from steelyard.data.source import Source, is_shippable
from steelyard.errors import InputFileError

SHIPPED = [
    "aokvqa", "boardgameqa", "boolq_passage", "cuad", "drop", "finqa", "helpsteer", "hotpotqa",
    "maud", "measuring_hate_speech", "mind2web", "mt_bench_human", "musique", "prm800k",
    "proofwriter_owa", "ropes", "sbic", "sharc", "summeval", "tatqa_train", "tempreason",
    "wikimultihop", "wikisql",
]  # fmt: skip
WATCHED_ONLY = ["chaosnli", "hitab", "scienceqa", "test_of_time"]


def source(module: str) -> Source:
    found = importlib.import_module(f"steelyard.data.convert.{module}").SOURCE
    assert isinstance(found, Source)
    return found


@pytest.mark.parametrize("module", SHIPPED + WATCHED_ONLY)
def test_the_rule_lets_through_what_the_licence_allows(module: str) -> None:
    assert is_shippable(source(module).licence) == (module in SHIPPED)


@pytest.mark.parametrize("module", SHIPPED + WATCHED_ONLY)
def test_a_corpus_that_is_not_there_is_an_error_that_names_the_file(
    module: str, tmp_path: Path
) -> None:
    with pytest.raises(InputFileError, match=str(tmp_path)):
        next(source(module).read(tmp_path, Random(0)))


def test_names_are_unique() -> None:
    names = [source(module).name for module in SHIPPED + WATCHED_ONLY]
    assert len(set(names)) == len(names)
