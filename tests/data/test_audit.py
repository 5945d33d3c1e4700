import gzip
import json

import pytest
from support.examples import LICENCE, choice, noul, score, source

from steelyard.data.audit import audit, audit_source, balance
from steelyard.data.build import build
from steelyard.data.leaks import read_eval_index
from steelyard.data.sheet import section, write_sheet
from steelyard.errors import InputFileError, OutputError
from steelyard.types import encode_example

ROWS = [choice(f"state {number}") for number in range(50)]


@pytest.fixture
def built(tmp_path):
    (tmp_path / "data").mkdir()
    build(tmp_path / "data", tmp_path / "out", [source(ROWS)], seed=1)
    return tmp_path / "out"


def test_a_fresh_build_has_no_findings(built):
    report = audit(built)
    assert report["findings"] == []
    (row,) = report["sources"]
    assert (row["train"], row["valid"], row["leaks"]) == (45, 5, None)


def test_a_changed_file_is_found(built):
    file = built / "train.jsonl.gz"
    lines = gzip.decompress(file.read_bytes())
    bad = json.dumps(encode_example(choice("new", ["x", "X"]))).encode()
    file.write_bytes(gzip.compress(lines + bad))
    assert audit(built)["findings"] == [
        "train.jsonl.gz is not what the build wrote: its sha256 differs",
        "made: 1 examples: two options are the same answer",
    ]


def test_a_folder_that_is_no_build_is_refused(built):
    (built / "build.json").write_text("[]")
    with pytest.raises(InputFileError, match="not the report of a build"):
        audit(built)


def test_each_flaw_is_found(tmp_path):
    (tmp_path / "eval.txt").write_text("state 7\n")
    train = [*ROWS[:9], ROWS[0], choice("lic", licence="secret"), choice("twin", group="t")]
    valid = [ROWS[3], choice("TWIN!", group="u"), choice("lone", ["x", "x."])]
    found = audit_source("made", train, valid, read_eval_index(tmp_path))
    assert (found.train, found.valid, found.repeated) == (12, 3, 2)
    assert (found.shared_groups, found.shared_states) == (1, 1)
    assert found.findings(shippable=True) == [
        "made: 1 examples: two options are the same answer",
        "made: 2 examples are repeated",
        "made: 1 groups on both sides of the split",
        "made: 1 examples under the licence secret",
        "made: 1 examples are in the evaluation files",
    ]
    assert len(found.findings(shippable=False)) == 4


def test_balance_says_how_far_cheap_guesses_get():
    found = balance(
        [
            noul("a", yes=0.9),
            noul("b", yes=0.2),
            choice("c", ["short", "the longest"]),
            choice("d", ["the longest of all", "b", "c", "d"]),
            score("e", ["low", "high"]),
        ]
    )
    assert found.yes == pytest.approx(0.55)
    assert (found.first, found.longest, found.chance) == (1, 0.5, 0.375)
    assert found.levels == {"2": [1, 0]}
    assert balance([]).yes is None


def test_a_sheet_shows_rows_of_every_source(built, tmp_path):
    write_sheet(built, tmp_path / "sheet.md", rows=4)
    text = (tmp_path / "sheet.md").read_text()
    assert text.startswith("## made\n")
    assert text.count("### ") == 4 and f", {LICENCE}\n" in text
    assert "? Which is it?\n  1.000  one\n  0.000  two\n" in text
    with pytest.raises(OutputError, match="exists already"):
        write_sheet(built, tmp_path / "sheet.md")


def test_a_sheet_counts_what_it_has_no_room_for():
    text = section("made", [choice("s" * 5000, [str(number) for number in range(40)])])
    assert "[... 2,000 more characters]" in text and "[... 28 more options]" in text
    assert "1.000  0\n" in text


def test_a_state_cannot_close_its_fence():
    text = section("made", [choice("~~~~\n# not a heading")])
    assert text.count("~~~~~") == 2
