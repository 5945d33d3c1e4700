"""The named models are well formed and hold together."""

from __future__ import annotations

import re

import pytest

from steelyard.models.catalog import CATALOG, Entry, unknown
from steelyard.models.directory import file_digest
from steelyard.models.packaged import manifest_of, trained_folder

entries = pytest.mark.parametrize("entry", CATALOG.values(), ids=list(CATALOG))


@entries
def test_names_are_safe_folder_names(entry: Entry) -> None:
    assert re.fullmatch(r"[a-z0-9][a-z0-9.-]*", entry.name)
    assert CATALOG[entry.name] is entry


@entries
def test_every_digest_is_a_sha256_and_no_two_parts_share_one(entry: Entry) -> None:
    digests = [part.sha256 for part in entry.parts]
    assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in [*digests, entry.sha256])
    assert len(set(digests)) == len(digests)


@entries
def test_members_lie_in_the_module_of_their_package(entry: Entry) -> None:
    for part in entry.parts:
        assert part.member.startswith(part.package.replace("-", "_") + "/")
        assert part.size_bytes > 0


@entries
def test_the_manifest_names_the_entry(entry: Entry) -> None:
    assert entry.manifest.name == entry.name
    assert entry.manifest.readout == entry.readout
    assert entry.manifest.warnings == entry.warnings


def test_sizes_are_those_of_the_published_files() -> None:
    assert {name: entry.size_bytes for name, entry in CATALOG.items()} == {
        "mini": 98_362_432,
        "qwen2.5-coder-0.5b": 491_400_064,
        "qwen2.5-coder-1.5b": 1_117_320_768,
    }
    parts = [len(entry.parts) for entry in CATALOG.values()]
    assert parts == [1, 6, 22]


def test_the_bare_weights_of_mini_say_so_and_are_read_by_continuation() -> None:
    mini = CATALOG["mini"]
    assert mini.readout == "continuation"
    assert any("not trained" in warning for warning in mini.warnings)


def test_mini_is_trained_by_the_package() -> None:
    manifest = manifest_of(CATALOG["mini"])
    assert (manifest.readout, manifest.warnings) == ("pointer-set", ())
    assert manifest.exits is not None and len(manifest.exits.layers) == 4
    folder = trained_folder("mini")
    assert folder is not None
    assert manifest.parts is not None and len(manifest.parts) == 4
    for name, digest in manifest.parts.items():
        assert file_digest(folder / name) == digest
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 60 * 2**20
    assert "# mini" in (folder / "README.md").read_text(encoding="utf-8")


def test_a_name_that_comes_close_is_suggested() -> None:
    assert "did you mean 'mini'?" in str(unknown("minni"))
    assert "did you mean" not in str(unknown("zzz"))
    assert "qwen2.5-coder-1.5b" in str(unknown("zzz"))
