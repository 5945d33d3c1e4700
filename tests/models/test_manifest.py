"""steelyard.json is read strictly."""

from __future__ import annotations

from pathlib import Path

import pytest

from steelyard.errors import ModelFileError
from steelyard.models.manifest import Manifest, read_manifest


def test_a_folder_without_a_manifest_says_nothing(tmp_path: Path) -> None:
    assert read_manifest(tmp_path) == Manifest()


def test_every_key_is_read(tmp_path: Path) -> None:
    (tmp_path / "steelyard.json").write_text(
        '{"name": "a", "readout": "letters", "layout": "isolated-v1", "warnings": ["w"]}'
    )
    assert read_manifest(tmp_path) == Manifest(
        name="a", readout="letters", layout="isolated-v1", warnings=("w",)
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"readout": "letters", "treshold": 1}', "treshold: unknown key; allowed: name, readout"),
        ("{", "is not JSON"),
        ("[]", "holds list; allowed: an object"),
        ('{"readout": 3}', "readout: got 3; allowed: a non-empty string or null"),
        ('{"layout": ""}', "layout: got ''; allowed"),
        ('{"warnings": "w"}', "warnings: got 'w'; allowed: an array of strings"),
        ('{"warnings": [1]}', "an array of strings"),
    ],
)
def test_what_it_does_not_know_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "steelyard.json").write_text(text)
    with pytest.raises(ModelFileError) as caught:
        read_manifest(tmp_path)
    assert message in str(caught.value)


def test_bytes_that_are_not_utf8_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "steelyard.json").write_bytes(b'{"name": "\xff"}')
    with pytest.raises(ModelFileError, match="cannot be read"):
        read_manifest(tmp_path)
