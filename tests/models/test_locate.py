"""A name, a path or an id leads to one model, or to words that help."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.wheels import FakeFetch, tiny_entry

from steelyard.errors import ModelFileError, UnknownModelError
from steelyard.models import hub, packaged
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
    (tmp_path / "config.json").write_text("{}")
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


def write_manifest(folder: Path, **said: object) -> Path:
    folder.mkdir(parents=True)
    (folder / "steelyard.json").write_text(json.dumps(said))
    return folder


def test_a_directory_with_a_base_stands_on_the_named_models_weights(tmp_path: Path) -> None:
    folder = write_manifest(tmp_path / "ours", base="tiny", readout="letters")
    with pytest.raises(UnknownModelError, match="steelyard pull tiny"):
        locate(folder, home=tmp_path)
    path = pull("tiny", home=tmp_path, fetch=FakeFetch())
    model = locate(folder, home=tmp_path)
    assert (model.name, model.path, model.folder, model.entry) == ("ours", path, folder, None)
    assert model.manifest.warnings == ()  # those of the base are not its own


def test_a_base_may_be_a_hugging_face_id_and_no_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_manifest(tmp_path / "ours", base="org/name")
    with pytest.raises(UnknownModelError, match="steelyard pull org/name"):
        locate(folder)
    monkeypatch.setattr(hub, "cached", lambda name: tmp_path / name)
    assert locate(folder).path == tmp_path / "org/name"
    for base in ("../base", "/models/base", "minni"):
        odd = write_manifest(tmp_path / base.replace("/", "_"), base=base)
        with pytest.raises(ModelFileError, match=r"steelyard\.json: base: got '.*; allowed: mini"):
            locate(odd)


def test_a_base_beside_weights_of_its_own_is_refused(tmp_path: Path) -> None:
    folder = write_manifest(tmp_path / "ours", base="org/name")
    (folder / "model.safetensors").write_bytes(b"")
    with pytest.raises(ModelFileError, match="base: got 'org/name' beside weights of its own"):
        locate(folder)


def test_an_adapter_without_a_base_is_refused(tmp_path: Path) -> None:
    folder = write_manifest(tmp_path / "ours")
    (folder / "adapter_model.safetensors").write_bytes(b"")
    with pytest.raises(ModelFileError, match="base: missing; the adapter in the folder needs"):
        locate(folder)


def test_a_named_model_may_be_trained_by_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packaged, "TRAINED", tmp_path / "trained")
    path = pull("tiny", home=tmp_path, fetch=FakeFetch())
    assert locate("tiny", home=tmp_path).folder is None
    folder = write_manifest(tmp_path / "trained/tiny", base="tiny", readout="pointer")
    model = locate("tiny", home=tmp_path)
    assert (model.name, model.path, model.folder, model.entry) == (
        "tiny", path, folder, tiny_entry(),
    )  # fmt: skip
    assert (model.manifest.readout, model.manifest.warnings) == ("pointer", ())
    (folder / "steelyard.json").write_text('{"base": "mini"}')
    with pytest.raises(ModelFileError, match="base: got 'mini'; allowed: 'tiny'"):
        locate("tiny", home=tmp_path)
