import pytest
from support.corpora import choices, drawn, gold_label, nouls, scores, write_text

from steelyard.data.convert import sst5
from steelyard.data.source import is_shippable
from steelyard.errors import InputFileError


def test_labels_are_levels(tmp_path):
    lines = [f"__label__{n}\tText {n} ." for n in range(1, 6)]
    write_text(tmp_path, "sst5/sst_train.txt.gz", "\n".join(lines) + "\n")
    examples = drawn(sst5.SOURCE, tmp_path)
    for example in scores(examples):
        assert example.gold == int(example.group)
    for example in choices(examples):
        level = int(example.group)
        assert gold_label(example) in {scale[level] for scale in sst5.SCALES}
    assert {e.group: e.target[0] > 0.5 for e in nouls(examples)} == {
        "0": False,
        "1": False,
        "3": True,
        "4": True,
    }


def test_a_line_without_a_label_is_an_error(tmp_path):
    write_text(tmp_path, "sst5/sst_train.txt.gz", "__label__6\tToo good\n")
    with pytest.raises(InputFileError, match=r"sst_train\.txt\.gz:1 has no label"):
        drawn(sst5.SOURCE, tmp_path)


def test_it_does_not_ship():
    assert not is_shippable(sst5.SOURCE.licence)
