import gzip
import json

import pytest

from steelyard.data.evaltexts import eval_files, eval_texts
from steelyard.errors import InputFileError

VALUES = ["first text", "second, with \u00e9", "7"]


def packed(path, text):
    path.write_bytes(gzip.compress(text.encode()))
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", json.dumps({"k": VALUES[0], "l": [{"m": VALUES[1], "n": 7}, None, True]})),
        ("a.json", "\n".join(json.dumps(value) for value in [VALUES[:1], VALUES[1], 7])),
        ("a.jsonl", "".join(json.dumps({"t": value}) + "\n" for value in VALUES)),
        ("a.csv", 'first text,"second, with \u00e9"\n7\n'),
        ("a.txt", "first text\tsecond, with \u00e9\n7\n"),
        ("a.md", "first text\nsecond, with \u00e9\n7"),
        ("a.yaml", "k: first text\nl:\n- second, with \u00e9\n- 7\n"),
    ],
)
def test_every_value_is_read_plain_and_packed(tmp_path, name, text):
    plain = tmp_path / name
    plain.write_text(text, encoding="utf-8")
    for path in (plain, packed(tmp_path / f"{name}.gz", text)):
        assert [value.strip() for value in eval_texts(path)] == VALUES


def test_a_format_that_cannot_be_scanned_is_refused(tmp_path):
    (tmp_path / ".hidden").write_text("")
    (tmp_path / "b").mkdir()
    (tmp_path / "b/a.txt").write_text("x")
    assert eval_files(tmp_path) == [tmp_path / "b/a.txt"]
    (tmp_path / "b/a.parquet.gz").write_text("x")
    with pytest.raises(InputFileError, match=r"a\.parquet\.gz: unknown format"):
        eval_files(tmp_path)


def test_a_folder_without_files_is_refused(tmp_path):
    with pytest.raises(InputFileError, match="no folder with files"):
        eval_files(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [("a.jsonl", "1\n{\n", "a.jsonl:2 is not JSON"), ("a.yaml", "a: [", "a.yaml is not YAML")],
)
def test_a_file_that_is_not_what_its_name_says_is_named(tmp_path, name, text, said):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputFileError, match=said):
        list(eval_texts(tmp_path / name))
