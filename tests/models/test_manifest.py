"""steelyard.json is read strictly."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import ModelFileError
from steelyard.models.manifest import FittedExits, Manifest, read_manifest, write_manifest


def test_a_folder_without_a_manifest_says_nothing(tmp_path: Path) -> None:
    assert read_manifest(tmp_path) == Manifest()


def test_every_key_is_read(tmp_path: Path) -> None:
    (tmp_path / "steelyard.json").write_text(
        '{"name": "a", "readout": "letters", "layout": "isolated-v1", "warnings": ["w"]}'
    )
    assert read_manifest(tmp_path) == Manifest(
        name="a", readout="letters", layout="isolated-v1", warnings=("w",)
    )


TEMPERATURES = {"noul": 1.5, "choice": 0.5, "score": 1.0}
EXITS = FittedExits(
    layers=(11, 19), threshold=0.9, temperatures={19: TEMPERATURES, 30: TEMPERATURES}
)
WHOLE = Manifest(
    name="a",
    readout="pointer",
    layout="isolated-v1",
    wording="0" * 64,
    base="mini",
    base_digest="a" * 64,
    exits=EXITS,
    fitted_on="1,000 held-out examples",
    parts={"pointer.safetensors": "b" * 64},
    warnings=("w\u00e9",),
)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    assert all(getattr(WHOLE, item.name) for item in fields(Manifest))
    for manifest in (WHOLE, Manifest(), replace(WHOLE, exits=replace(EXITS, layers=()))):
        write_manifest(manifest, tmp_path)
        assert read_manifest(tmp_path) == manifest
    assert "w\u00e9" in (tmp_path / "steelyard.json").read_text(encoding="utf-8")


def test_what_would_not_be_read_is_not_written(tmp_path: Path) -> None:
    for manifest in (replace(WHOLE, layout=None), replace(WHOLE, wording="abc")):
        with pytest.raises(ModelFileError):
            write_manifest(manifest, tmp_path)
    assert not (tmp_path / "steelyard.json").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parts": []}, "parts: got []; allowed: an object"),
        ({"parts": {"a": "b"}}, "parts.a: got 'b'; allowed: 64 hexadecimal digits"),
        ({"wording": "x"}, "wording: got 'x'; allowed: 64 hexadecimal digits"),
        ({"layout": None}, "steelyard.json: layout: missing, and wording needs it"),
        ({"readout": None}, "steelyard.json: readout: missing, and exits needs it"),
        ({"base": None}, "steelyard.json: base: missing, and base_digest needs it"),
        ({"exits": [1]}, "exits: got [1]; allowed: an object"),
        ({"exits": {"layers": []}}, "exits.threshold: missing"),
        ({"layers": [19, 11]}, "exits.layers: got [19, 11]; allowed: an array of ascending"),
        ({"layers": [0]}, "exits.layers: got [0]"),
        ({"layers": [True]}, "exits.layers: got [True]"),
        ({"layers": 3}, "exits.layers: got 3"),
        ({"threshold": 1.5}, "exits.threshold: got 1.5; allowed: 0 to 1"),
        ({"threshold": "x"}, "exits.threshold: got 'x'; allowed: a finite number"),
        ({"temperature": 1}, "exits: temperature: unknown key; allowed: layers, threshold"),
        ({"temperatures": 1}, "exits.temperatures: got 1; allowed: an object"),
        ({"temperatures": {"x": TEMPERATURES}}, "got the key 'x'; allowed: the number of a layer"),
        ({"temperatures": {"3": {"noul": 1}}}, "exits.temperatures.3: got {'noul': 1}; allowed"),
        ({"temperatures": {"3": TEMPERATURES | {"noul": 0}}}, "exits.temperatures.3.noul: got 0.0"),
        ({"temperatures": {"3": TEMPERATURES | {"noul": 1e-9}}}, "got 1e-09; allowed: 0.05 to 20"),
        ({"threshold": 10**400}, "exits.threshold: got 1000"),
    ],
)
def test_exits_and_digests_are_checked(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    write_manifest(WHOLE, tmp_path)
    path = tmp_path / "steelyard.json"
    body = json.loads(path.read_text(encoding="utf-8"))
    inner = {k: v for k, v in changes.items() if k not in body}
    body |= {k: v for k, v in changes.items() if k in body}
    if inner:
        body["exits"] |= inner
    path.write_text(json.dumps(body))
    with pytest.raises(ModelFileError) as caught:
        read_manifest(tmp_path)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"readout": "letters", "treshold": 1}', "treshold: unknown key; allowed: name, readout"),
        ("{", "not JSON"),
        ('{"name": "a", "name": "b"}', "name"),
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


def test_brackets_without_end_are_no_json(tmp_path: Path) -> None:
    (tmp_path / "steelyard.json").write_text("[" * 100_000)
    with pytest.raises(ModelFileError, match=r"steelyard\.json: nested too deeply"):
        read_manifest(tmp_path)
