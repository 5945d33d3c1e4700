"""A name, a path or an id leads to one model, or to words that help."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.wheels import FakeFetch, tiny_entry

from steelyard.errors import ModelFileError, UnknownModelError
from steelyard.models import hub
from steelyard.models.catalog import CATALOG
from steelyard.models.locate import locate
from steelyard.models.manifest import Manifest
from steelyard.models.pull import pull


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(CATALOG, "tiny", tiny_entry())  # type: ignore[misc]
    monkeypatch.setattr(hub, "cached", lambda name: None)
    monkeypatch.chdir(tmp_path)


def test_a_pulled_model_is_found_with_its_entry_and_manifest(tmp_path: Path) -> None:
    path = pull("tiny", home=tmp_path, fetch=FakeFetch())
    model = locate("tiny", home=tmp_path)
    assert (model.name, model.path, model.entry) == ("tiny", path, tiny_entry())
    assert model.manifest.warnings == ("a test",)


def test_a_named_model_that_was_not_pulled_says_the_command(tmp_path: Path) -> None:
    with pytest.raises(UnknownModelError, match=r"98 MB come with: steelyard pull mini"):
        locate("mini", home=tmp_path)


def test_a_named_model_cut_short_says_the_remedy(tmp_path: Path) -> None:
    path = pull("tiny", home=tmp_path, fetch=FakeFetch())
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ModelFileError, match=r"1,339 bytes instead of 1,340; mend it with: steely"):
        locate("tiny", home=tmp_path)


def test_a_folder_with_a_config_is_a_model_that_may_say_how_it_is_asked(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    assert locate(folder).name == "mine"
    assert locate("mine").manifest == Manifest()
    (folder / "steelyard.json").write_text(json.dumps({"name": "ours", "readout": "pairwise"}))
    model = locate(folder)
    assert (model.name, model.manifest.readout) == ("ours", "pairwise")


def test_a_named_model_goes_before_a_folder_of_that_name(tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    pull("tiny", home=tmp_path, fetch=FakeFetch())
    assert locate("tiny", home=tmp_path).entry is not None
    assert locate("./tiny", home=tmp_path).entry is None


def test_a_gguf_file_is_a_model(tmp_path: Path) -> None:
    (tmp_path / "some.Q4_K.gguf").write_bytes(b"GGUF")
    model = locate(tmp_path / "some.Q4_K.gguf")
    assert (model.name, model.entry, model.manifest) == ("some.Q4_K", None, Manifest())


def test_a_cached_hugging_face_id_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "cached", lambda name: tmp_path)
    assert (locate("org/name").name, locate("org/name").path) == ("org/name", tmp_path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("minni", "did you mean 'mini'"),
        ("org/name", "fetch it with: steelyard pull org/name"),
        ("gone.gguf", "there is no file gone.gguf"),
        ("./gone", "no model, folder or file named './gone'"),
    ],
)
def test_what_is_not_there_is_unknown(name: str, message: str) -> None:
    with pytest.raises(UnknownModelError) as caught:
        locate(name)
    assert message in str(caught.value)


def test_a_folder_or_file_that_is_no_model_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(ModelFileError, match=r"has no config\.json"):
        locate("empty")
    with pytest.raises(ModelFileError, match=r"allowed: a \.gguf file or a model folder"):
        locate("notes.txt")


@pytest.mark.parametrize("name", ["", "~nosuchuser/x", "a" * 300, "nul\0byte"])
def test_names_that_no_file_can_have_are_unknown(name):
    with pytest.raises(UnknownModelError):
        locate(name)
