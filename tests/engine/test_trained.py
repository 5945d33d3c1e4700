"""Trained model directories: merged, or base and adapter; and parts that do not fit."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType
from safetensors.torch import save_file
from support.adapters import tiny_adapter, tiny_lens
from support.engines import tiny_head
from support.folders import write_model
from support.gguf_files import write_gguf
from support.reference import reference_model
from support.tokenizer import tiny_tokenizer
from support.wheels import tiny_entry

import steelyard
from steelyard.backbone.lens import write_lenses
from steelyard.backbone.weights.adapter import AdaptedWeights, write_adapter
from steelyard.backbone.weights.source import open_weights
from steelyard.cli.show import describe
from steelyard.errors import (
    CapabilityError,
    ModelFileError,
    UnsupportedModelError,
)
from steelyard.models import hub, packaged
from steelyard.models.catalog import CATALOG
from steelyard.models.directory import parts_of
from steelyard.models.manifest import FittedExits, Manifest, write_manifest
from steelyard.prompt.chat import chat_frame
from steelyard.prompt.layout import LAYOUTS, SYSTEM, layout_digest
from steelyard.readout.pointer_head import write_pointer_head
from steelyard.types.answer import Response
from steelyard.types.question import Choice, Noul, Score

STATE = "The export fails since Monday."
QUESTIONS = {
    "urgent": Noul("Is it urgent?"),
    "queue": Choice("Which team?", ["billing", "technical", "sales"]),
    "anger": Score("How angry?", ["calm", "annoyed", "furious"]),
}
KINDS = ("noul", "choice", "score")
CHAT = chat_frame(tiny_tokenizer().chat_template, SYSTEM, eos="<|im_end|>")
MANIFEST = Manifest(
    name="judge",
    readout="pointer-set",
    layout="isolated-v1",
    exits=FittedExits(
        layers=(1, 2),
        threshold=0.0,
        temperatures={n: dict.fromkeys(KINDS, float(n)) for n in (1, 2, 3)},
    ),
)


def numbers(response: Response) -> np.ndarray:
    found = []
    for answer in response.answers.values():
        found += [answer.noul] if isinstance(answer, steelyard.NoulAnswer) else []
        found += [] if isinstance(answer, steelyard.NoulAnswer) else answer.probabilities.values()
    return np.array(found)


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The model "org/base" in the hub's cache."""
    folder = write_model(tmp_path / "base")
    monkeypatch.setattr(hub, "cached", lambda name: folder if name == "org/base" else None)
    return folder


@pytest.fixture
def adapted(base: Path, tmp_path: Path) -> Path:
    """An adapter on it, with a head and exits."""
    folder = tmp_path / "adapted"
    folder.mkdir()
    write_adapter(tiny_adapter(), folder, base="org/base")
    write_pointer_head(tiny_head(32), folder / "pointer.safetensors")
    write_lenses({1: tiny_lens(1), 2: tiny_lens(2)}, folder / "exits.safetensors")
    manifest = replace(MANIFEST, base="org/base", base_digest=open_weights(base).digest)
    write_manifest(manifest, folder)
    return folder


@pytest.fixture
def merged(base: Path, adapted: Path, tmp_path: Path) -> Path:
    """The same with weights of its own."""
    folder = tmp_path / "merged"
    shutil.copytree(base, folder)
    weights = AdaptedWeights(open_weights(base), tiny_adapter())
    save_file(dict(weights.tensors()), folder / "model.safetensors")
    for name in ("pointer.safetensors", "exits.safetensors"):
        shutil.copy(adapted / name, folder)
    write_manifest(MANIFEST, folder)
    return folder


def test_merged_and_adapted_give_the_same_answers(adapted: Path, merged: Path, base: Path) -> None:
    one, other = (steelyard.load(folder) for folder in (adapted, merged))
    assert one.name == other.name == "judge"
    for depth in ("full", "adaptive"):
        here, there = (engine.decide(STATE, QUESTIONS, depth=depth) for engine in (one, other))
        np.testing.assert_allclose(numbers(here), numbers(there), atol=1e-6)
        assert here.audit.exit_layers == ((1, 2, 3) if depth == "adaptive" else (3,))
        layers = {answer.basis.exit_layer for answer in here.answers.values()}
        assert layers == ({1} if depth == "adaptive" else {3})
        assert {answer.basis.readout for answer in here.answers.values()} == {"pointer-set"}
        assert len(here.audit.calibrator or "") == 64
    letters = [
        numbers(steelyard.load(folder, readout="letters").decide(STATE, QUESTIONS))
        for folder in (adapted, base)
    ]
    assert np.abs(letters[0] - letters[1]).max() > 1e-3, "the adapter changes nothing"


def test_exits_change_no_bit_at_full_depth(merged: Path) -> None:
    with_exits = steelyard.load(merged, readout="letters").decide(STATE, QUESTIONS)
    (merged / "exits.safetensors").unlink()
    write_manifest(replace(MANIFEST, exits=None), merged)
    without = steelyard.load(merged, readout="letters").decide(STATE, QUESTIONS)
    assert np.array_equal(numbers(with_exits), numbers(without))
    with pytest.raises(CapabilityError, match="depth: the model judge has no exits"):
        steelyard.load(merged).decide(STATE, QUESTIONS, depth="adaptive")


def test_a_depth_that_was_loaded_with_is_the_default(merged: Path, base: Path) -> None:
    early = steelyard.load(merged, depth="adaptive")
    assert early.decide(STATE, QUESTIONS).answers["urgent"].basis.exit_layer == 1
    assert early.decide(STATE, QUESTIONS, depth="full").answers["urgent"].basis.exit_layer == 3
    with pytest.raises(CapabilityError, match=r"depth: .*no exits"):
        steelyard.load(base, depth="adaptive")


def test_uncalibrated_answers_are_the_softmax_of_the_scores_at_full_depth(merged: Path) -> None:
    plain = steelyard.load(merged, calibrated=False)
    found = plain.decide(STATE, QUESTIONS)
    (merged / "exits.safetensors").unlink()
    write_manifest(replace(MANIFEST, exits=None), merged)
    expected = steelyard.load(merged).decide(STATE, QUESTIONS)
    assert np.array_equal(numbers(found), numbers(expected))
    assert found.audit.calibrator is None
    with pytest.raises(CapabilityError, match="depth: the model judge has no exits"):
        plain.decide(STATE, QUESTIONS, depth="adaptive")


def test_the_digest_covers_every_part(adapted: Path, merged: Path, base: Path) -> None:
    def digest(folder: Path) -> str:
        with steelyard.load(folder) as engine:
            assert engine.decide(STATE, QUESTIONS).audit.weights == engine.digest
            return engine.digest

    found = [digest(base), digest(adapted), digest(merged)]
    assert found[0] == open_weights(base).digest
    write_pointer_head(tiny_head(32, seed=1), adapted / "pointer.safetensors")
    found.append(digest(adapted))
    write_lenses({1: tiny_lens(1), 2: tiny_lens(3)}, adapted / "exits.safetensors")
    found.append(digest(adapted))
    write_adapter(replace(tiny_adapter(), alpha=9.0), adapted, base="org/base")
    found.append(digest(adapted))
    assert len(set(found)) == len(found)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def said(folder: Path, **changes: object) -> None:
    path = folder / "steelyard.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


EXITS = {"layers": [1, 2], "threshold": 0.5, "temperatures": {}}


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: cut(f / "adapter_model.safetensors"), r"adapter_model\.safetensors: cut short"),
        (
            lambda f: (f / "adapter_model.safetensors").unlink(),
            r"adapter_model\.safetensors: no su",
        ),
        (lambda f: (f / "adapter_config.json").unlink(), r"adapter_config\.json: no such file"),
        (lambda f: write_adapter(tiny_adapter(layers=2), f, base=""), "in 2 layers, 0 to 1; the b"),
        (lambda f: cut(f / "pointer.safetensors"), r"pointer\.safetensors: cut short"),
        (lambda f: (f / "pointer.safetensors").unlink(), r"pointer\.safetensors: no such file"),
        (
            lambda f: write_pointer_head(tiny_head(48), f / "pointer.safetensors"),
            "is for hidden states of 48; the model has 32",
        ),
        (lambda f: cut(f / "exits.safetensors"), r"exits\.safetensors: cut short"),
        (lambda f: (f / "exits.safetensors").unlink(), r"exits\.safetensors: no such file"),
        (
            lambda f: write_lenses({1: tiny_lens(1)}, f / "exits.safetensors"),
            r"the tensor '2\.bias' of an exit is missing",
        ),
        (
            lambda f: write_lenses(
                {n: tiny_lens(n, width=48) for n in (1, 2)}, f / "exits.safetensors"
            ),
            r"1\.weight is \(48, 48\); the model needs \(32, 32\)",
        ),
        (lambda f: said(f, exits=None), "belongs to none of the exits"),
        (lambda f: said(f, exits=EXITS), "temperatures: got layers none; needed: 1, 2, 3"),
        (lambda f: said(f, exits=EXITS | {"layers": [1, 3]}), "layers: got 3; the model has 3 lay"),
        (lambda f: said(f, base_digest="0" * 64), "base_digest: the base .* has the sha256"),
        (lambda f: said(f, wording="0" * 64), "wording: the layout isolated-v1 has the digest"),
    ],
)
def test_a_part_that_does_not_fit_is_named(
    adapted: Path, spoil: Callable[[Path], object], message: str
) -> None:
    spoil(adapted)
    with pytest.raises(ModelFileError, match=message):
        steelyard.load(adapted)


def test_the_wording_that_it_was_trained_on_is_accepted(adapted: Path) -> None:
    said(adapted, wording=layout_digest(LAYOUTS["isolated-v1"], CHAT))
    assert steelyard.load(adapted).name == "judge"


def test_an_adapter_of_another_model_is_refused(adapted: Path) -> None:
    wide = tiny_adapter()
    pairs = {name: (np.concatenate([a, a], axis=1), b) for name, (a, b) in wide.pairs.items()}
    write_adapter(replace(wide, pairs=pairs), adapted, base="org/other")
    with pytest.raises(ModelFileError, match="it belongs to another model"):
        steelyard.load(adapted)


def test_openvino_gives_the_answers_of_torch_and_starts_again_without_weights(
    adapted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEELYARD_HOME", str(tmp_path / "home"))
    theirs = steelyard.load(adapted)
    first = steelyard.load(adapted, runtime="openvino", threads=1)
    monkeypatch.setattr(AdaptedWeights, "arrays", None)  # what was compiled is kept
    again = steelyard.load(adapted, runtime="openvino", threads=1)
    for depth in ("full", "adaptive", 1):
        here, there, later = (
            engine.decide(STATE, QUESTIONS, depth=depth) for engine in (first, theirs, again)
        )
        np.testing.assert_allclose(numbers(here), numbers(there), atol=1e-5)
        np.testing.assert_array_equal(numbers(here), numbers(later))
        assert here.audit.runtime == "openvino"
        assert here.audit.weights == there.audit.weights
        assert here.audit.exit_layers == there.audit.exit_layers


def test_other_runtimes_say_what_they_cannot_do(adapted: Path, merged: Path) -> None:
    with pytest.raises(UnsupportedModelError, match="a base with an adapter runs on torch"):
        steelyard.load(adapted, runtime="transformers")
    engine = steelyard.load(merged, runtime="transformers")
    with pytest.raises(CapabilityError, match="transformers"):
        engine.decide(STATE, QUESTIONS)
    with pytest.raises(CapabilityError, match="full depth only"):
        engine.decide(STATE, QUESTIONS, depth="adaptive")


def test_a_model_without_a_head_cannot_point(base: Path) -> None:
    with pytest.raises(CapabilityError, match="'pointer' needs a trained pointer head"):
        steelyard.load(base, readout="pointer")
    with pytest.raises(CapabilityError, match="'pointer' needs a trained pointer head"):
        steelyard.load(base).decide(STATE, QUESTIONS, readout="pointer")


def test_a_named_model_trained_by_the_package_stands_on_the_pulled_gguf(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEELYARD_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(packaged, "TRAINED", tmp_path / "trained")
    reference = reference_model("llama")
    file = tmp_path / "home/models/small/small.gguf"
    file.parent.mkdir(parents=True)
    write_gguf(file, reference.config, reference.state_dict(), kind=GGMLQuantizationType.F16)
    content = file.read_bytes()
    part = replace(tiny_entry().parts[0], size_bytes=len(content))
    digest = hashlib.sha256(content).hexdigest()
    entry = replace(
        tiny_entry(), name="small", file_name="small.gguf", parts=(part,), sha256=digest
    )
    monkeypatch.setitem(CATALOG, "small", entry)  # type: ignore[misc]
    plain = steelyard.load("small")
    assert (plain.digest, plain.warnings) == (digest, ("a test",))

    folder = tmp_path / "trained/small"
    folder.mkdir(parents=True)
    write_adapter(tiny_adapter(), folder, base="small")
    write_pointer_head(tiny_head(32), folder / "pointer.safetensors")
    write_lenses({1: tiny_lens(1), 2: tiny_lens(2)}, folder / "exits.safetensors")
    write_manifest(replace(MANIFEST, base="small", base_digest=digest), folder)
    trained = steelyard.load("small")
    response = trained.decide(STATE, QUESTIONS, depth="adaptive")
    assert (response.model, trained.warnings) == ("small", ())
    assert {answer.basis.exit_layer for answer in response.answers.values()} == {1}
    before, after = (
        numbers(steelyard.load(*source, readout="letters").decide(STATE, QUESTIONS))
        for source in ((file,), ("small",))
    )
    assert np.abs(before - after).max() > 1e-3
    with pytest.raises(UnsupportedModelError, match="a base with an adapter runs on torch"):
        steelyard.load("small", runtime="llamacpp")

    facts = describe("small")
    assert facts["sha256"] == digest and facts["base"] == "small"
    assert facts["exits"] == ["layer 1", "layer 2"] and facts["exit_threshold"] == 0.0
    assert list(facts["parts"]) == [path.name for path in parts_of(folder)]  # type: ignore[call-overload]
    assert (facts["readout"], facts["warnings"]) == ("pointer-set", [])
    file.unlink()
    assert describe("small")["readout"] == "pointer-set"
