import json
import random
import re
from pathlib import Path

import pytest
from support.examples import choice, noul

from steelyard.data.files import read_csv, read_json
from steelyard.data.leaks import SHARED, read_eval_index, remove_leaks

ROOT = Path(__file__).parents[3]
DATA = next((p for p in (ROOT / "shared/data", ROOT.parent / "shared/data") if p.is_dir()), None)


def w(first: int, last: int) -> str:
    """Words of a long text, by number."""
    return " ".join(f"w{number}" for number in range(first, last))


@pytest.fixture
def index(tmp_path):
    folder = tmp_path / "eval"
    folder.mkdir()
    rows = [
        {"text": w(0, 40)},
        {"text": "Question: Where is it?\nAnswer: here", "cells": ["a b", "c d"]},
        {"text": "What's this charge?"},
    ]
    (folder / "one.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "two.txt").write_text(w(100, 120) + "\n")
    return read_eval_index(folder)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (w(0, 40), "13-gram"),
        ("x " * 500 + w(20, 33), "13-gram"),
        ("x " * 5 + w(20, 32), "8-gram"),  # 12 of 17 words
        ("x " * 8 + w(20, 28), "8-gram"),  # 8 of 16: exactly half
        ("x " * 9 + w(20, 28), "partial"),
        (f"{w(0, 8)} {'x ' * 16} {w(30, 38)}", "8-gram"),  # two runs, half together
        (f"{w(0, 7)} {w(8, 15)}", None),
        ("WHAT&#39;S this, charge", "whole"),
        ("where is it", "whole"),
        ("Here.", "whole"),
        ("What's this charge on it?", None),
        ("???", None),
    ],
)
def test_the_rule(index, text, rule):
    match = index.match(text)
    assert (None if match is None else match.rule) == rule
    assert match is None or match.leak == (rule != "partial")


def test_a_match_names_its_files(index):
    assert index.names == ("one.jsonl", "two.txt")
    assert index.match(w(0, 40)).files == {0}
    assert index.match(w(100, 115)).files == {1}


def test_a_table_written_out_as_text_is_found_in_its_cells(tmp_path):
    cells = [[f"c{row}{column}" for column in range(4)] for row in range(5)]
    (tmp_path / "t.json").write_text(json.dumps({"table": cells}))
    text = "\n".join(" | ".join(row) for row in cells)
    assert read_eval_index(tmp_path).match(text).rule == "13-gram"


def test_leaks_are_removed_and_counted(index):
    examples = [
        choice("clean"),
        choice(w(0, 20)),
        choice({"a": [w(0, 10)], "b": w(10, 13)}, group="structured"),
        choice("x " * 9 + w(20, 28)),
        noul("clean too", w(100, 110)),
        choice("an answer", ["x", w(100, 113)]),
        choice("a short answer", ["x", "Where is it?"]),
        choice("an answer of 12 words", ["x", w(20, 32)]),
    ]
    kept, counts = remove_leaks(examples, index)
    assert kept == [examples[0], examples[3], examples[6], examples[7]]
    assert counts.removed == {"13-gram": 3, "8-gram": 1}
    assert counts.files == {"one.jsonl": 2, "two.txt": 2}
    assert (counts.partial, counts.excused) == (1, {})


def test_boilerplate_is_excused_and_counted(index):
    examples = [noul(f"state {number}", w(0, 20)) for number in range(SHARED + 1)]
    kept, counts = remove_leaks(examples, index)
    assert kept == examples
    assert counts.excused == {w(0, 20): SHARED + 1}
    assert remove_leaks(examples[1:], index)[0] == []  # no more groups than a text of its own
    one_group = [noul(f"state {number}", w(0, 20), group="1") for number in range(SHARED + 1)]
    assert remove_leaks(one_group, index)[0] == []


def test_a_scan_of_what_was_kept_finds_nothing(index):
    # The removal of the leaking state leaves the instructions with too few groups.
    examples = [noul(f"state {number}", w(0, 20)) for number in range(SHARED)]
    examples.append(noul(w(100, 120), w(0, 20)))
    kept, counts = remove_leaks(examples, index)
    assert kept == []
    assert counts.removed == {"13-gram": SHARED + 1}
    assert counts.excused == {}


def brute_force(text: str, files: list[list[str]]) -> str | None:
    """The rule of the module's docstring, on strings."""
    words = re.findall(r"\w+", text.lower())
    joined = [" " + " ".join(re.findall(r"\w+", " ".join(file).lower())) + " " for file in files]

    def stands(start, n):
        return any(f" {' '.join(words[start : start + n])} " in file for file in joined)

    if len(words) < 8:
        return (
            "whole" if any(words == value.lower().split() for f in files for value in f) else None
        )
    if any(stands(start, 13) for start in range(len(words) - 12)):
        return "13-gram"
    covered = {k for start in range(len(words) - 7) if stands(start, 8)
               for k in range(start, start + 8)}  # fmt: skip
    if not covered:
        return None
    return "8-gram" if len(covered) >= len(words) / 2 else "partial"


def test_the_scan_agrees_with_a_search_in_strings(tmp_path):
    rng = random.Random(0)
    files = [[" ".join(rng.choices("abc", k=rng.randint(1, 60))) for _ in range(9)]
             for _ in range(3)]  # fmt: skip
    for number, file in enumerate(files):
        (tmp_path / f"{number}.json").write_text(json.dumps(file))
    index = read_eval_index(tmp_path)
    seen = set()
    for _ in range(1500):
        text = " ".join(rng.choices("abc", k=rng.randint(1, 12)))
        if rng.random() < 0.6:
            source = rng.choice(rng.choice(files)).split()
            start = rng.randrange(len(source))
            text += " " + " ".join(source[start : start + rng.randint(1, 20)])
        if rng.random() < 0.5:
            text += " " + " ".join(rng.choices("cd", k=rng.randint(1, 30)))
        match = index.match(text)
        expected = brute_force(text, files)
        assert (None if match is None else match.rule) == expected, text
        seen.add(expected)
    assert seen == {None, "whole", "13-gram", "8-gram", "partial"}


def banking77(part: str) -> list[str]:
    folder = DATA / ("train" if part == "train" else "eval")
    return [row["text"] for row in read_csv(folder / f"banking77/{part}.csv.gz")]


def clinc150(part: str) -> list[str]:
    name = (
        "train/clinc150/data_full_train_val" if part == "train" else "eval/clinc150/data_full_test"
    )
    rows = read_json(DATA / f"{name}.json.gz")
    return [text for text, _ in rows[part]]


@pytest.mark.skipif(DATA is None, reason="the published data are not here")
@pytest.mark.parametrize(("texts", "published"), [(banking77, 25), (clinc150, 19)])
def test_the_overlap_that_was_published_is_found(tmp_path, texts, published):
    train, test = texts("train"), texts("test")
    (tmp_path / "test.json").write_text(json.dumps(test))

    def plain(text):
        return " ".join(re.findall(r"\w+", text.lower()))

    held = set(map(plain, test))
    assert len(held & set(map(plain, train))) >= published
    kept, _ = remove_leaks([choice(text) for text in train], read_eval_index(tmp_path))
    assert not held & {plain(example.state) for example in kept}
    assert len(kept) > 0.9 * len(train)
