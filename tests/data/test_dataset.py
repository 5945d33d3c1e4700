"""Files of examples: what is written comes back, whole or not at all."""

import gzip

import pytest
from support.examples import choice, noul

from steelyard.data.dataset import read_examples, write_examples
from steelyard.errors import OutputError

EXAMPLES = [choice("a"), noul("naïve"), choice("a", instructions="Other?")]


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz"])
def test_what_is_written_comes_back_and_has_the_same_bytes_again(tmp_path, name):
    paths = [tmp_path / "one" / name, tmp_path / "two" / name]
    for path in paths:
        path.parent.mkdir()
        write_examples(path, EXAMPLES)
        assert list(read_examples(path)) == EXAMPLES
        assert [other.name for other in path.parent.iterdir()] == [name]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    opened = gzip.open if name.endswith(".gz") else open
    with opened(paths[0], "rt", encoding="utf-8") as file:
        assert len(file.readlines()) == 3


def test_a_file_that_is_not_finished_never_appears(tmp_path):
    def cut():
        yield EXAMPLES[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_examples(tmp_path / "x.jsonl.gz", cut())
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text("kept")
    with pytest.raises(OutputError, match="exists already"):
        write_examples(path, EXAMPLES)
    assert path.read_text() == "kept"
    with pytest.raises(OutputError, match="cannot be written: No such file"):
        write_examples(tmp_path / "nowhere" / "x.jsonl", EXAMPLES)
