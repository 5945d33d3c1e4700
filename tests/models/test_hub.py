"""The hub's errors come out in one type, and its cache is asked without a network."""

from __future__ import annotations

from pathlib import Path

import huggingface_hub
import pytest
from huggingface_hub import constants

from steelyard.errors import DownloadError
from steelyard.models import hub


def test_ids_are_told_from_paths() -> None:
    assert hub.is_id("Qwen/Qwen3.5-0.8B")
    for name in ("mini", "./a", "../a", "/a/b", "a/b/c", "a/", "~/a", "a b/c", ""):
        assert not hub.is_id(name), name


def test_a_hub_out_of_reach_is_told_in_plain_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(DownloadError, match="org/name did not come from the Hugging Face hub"):
        hub.download("org/name")


def test_only_weights_configuration_and_tokenizer_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def snapshot_download(name: str, *, allow_patterns: list[str]) -> str:
        asked.append(allow_patterns)
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    with pytest.raises(DownloadError, match="no weights in safetensors format"):
        hub.download("org/name")
    (tmp_path / "model.safetensors").touch()
    assert hub.download("org/name") == tmp_path
    assert not any(pattern.endswith((".py", ".bin", ".pt")) for pattern in asked[0])


def test_a_cached_model_needs_its_configuration_and_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.json"
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda name, file: str(config))
    assert hub.cached("org/name") is None
    (tmp_path / "model.safetensors").touch()
    assert hub.cached("org/name") == tmp_path
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda name, file: None)
    assert hub.cached("org/name") is None
