"""From a folder on disk to an engine, and what `load` refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.folders import write_model

import steelyard
from steelyard.errors import (
    ModelFileError,
    RequestError,
    SteelyardError,
    UnknownModelError,
    UnsupportedModelError,
)
from steelyard.types.question import Noul


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("models") / "small")


def test_a_folder_becomes_an_engine_named_after_it(folder: Path) -> None:
    with steelyard.load(folder) as engine:
        response = engine.decide("It burns.", {"urgent": Noul("Is it urgent?")})
    assert engine.name == response.model == "small"
    assert response.audit.runtime == "torch" and response.audit.dtype == "float32"
    assert response.audit.layout_name == "isolated-v1"
    assert response.answers["urgent"].basis.readout == "letters"
    assert response.warnings == ()


def test_the_directory_says_how_it_wants_to_be_asked_and_the_caller_overrules_it(
    folder: Path, tmp_path: Path
) -> None:
    own = write_model(tmp_path / "own")
    manifest = {"name": "judge", "readout": "pairwise", "warnings": ["young"]}
    (own / "steelyard.json").write_text(json.dumps(manifest))
    question = {"urgent": Noul("Is it urgent?")}
    response = steelyard.load(own).decide("It burns.", question)
    assert response.model == "judge" and response.warnings == ("young",)
    assert response.answers["urgent"].basis.readout == "pairwise"
    other = steelyard.load(own, readout="letters", layout="sandwich-v1").decide("Hot.", question)
    assert other.answers["urgent"].basis.readout == "letters"
    assert other.audit.layout_name == "sandwich-v1"


def test_transformers_and_torch_give_the_same_answer(folder: Path) -> None:
    question = {"urgent": Noul("Is it urgent?"), "late": Noul("Is it late?")}
    ours, theirs = (
        steelyard.load(folder, runtime=runtime).decide("It burns.", question)
        for runtime in ("torch", "transformers")
    )
    assert theirs.audit.runtime == "transformers"
    assert ours.audit.weights == theirs.audit.weights
    for name, answer in ours.answers.items():
        other = theirs.answers[name]
        assert isinstance(answer, steelyard.NoulAnswer) and isinstance(other, steelyard.NoulAnswer)
        assert answer.noul == pytest.approx(other.noul, abs=1e-4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"runtime": "onnx"}, "runtime: 'onnx'; allowed: auto, torch, openvino, transformers"),
        ({"dtype": "int8"}, "dtype: 'int8'; allowed: float32, bfloat16"),
        ({"device": "gpu"}, "device: 'gpu'; allowed: cpu, cuda, cuda:N"),
        ({"device": "meta"}, "device: 'meta'; allowed: cpu"),
        ({"runtime": "openvino", "device": "cuda"}, "device: 'cuda'; the openvino runtime allows"),
        ({"threads": 0}, "threads: 0; allowed: an integer, 1 or more"),
        ({"threads": "2"}, "threads: '2'; allowed: an integer"),
        ({"threads": True}, "threads: True; allowed: an integer"),
        ({"store_bytes": -1}, "store_bytes: -1; allowed: an integer, 0 or more"),
        ({"store_bytes": 1.5}, "store_bytes: 1.5; allowed: an integer"),
        ({"readout": "tea"}, "readout: 'tea'; allowed: letters"),
        ({"layout": "tea"}, "layout: 'tea'; allowed: isolated-v1"),
    ],
)
def test_arguments_that_are_not_allowed_are_named(
    folder: Path, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(RequestError) as caught:
        steelyard.load(folder, **arguments)
    assert message in str(caught.value)


def test_a_model_decides_where_torch_is_not_installed(folder: Path, tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "sys.modules['torch'] = None\n"  # as good as not installed
        "import steelyard\n"
        f"engine = steelyard.load({str(folder)!r}, threads=1)\n"
        "response = engine.decide('It burns.', {'urgent': steelyard.Noul('Is it urgent?')})\n"
        "print(response.audit.runtime, response.answers['urgent'].noul)\n"
        f"try: steelyard.load({str(folder)!r}, runtime='torch')\n"
        "except steelyard.MissingExtraError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"STEELYARD_HOME": str(tmp_path)},
    )
    first, second = done.stdout.splitlines()
    runtime, noul = first.split()
    expected = steelyard.load(folder).decide("It burns.", {"urgent": Noul("Is it urgent?")})
    answer = expected.answers["urgent"]
    assert isinstance(answer, steelyard.NoulAnswer)
    assert runtime == "openvino" and float(noul) == pytest.approx(answer.noul, abs=1e-5)
    assert "pip install 'steelyard[torch]'" in second


def test_a_runtime_that_does_not_read_the_format_says_which_one_does(folder: Path) -> None:
    with pytest.raises(UnsupportedModelError, match="llamacpp runtime reads GGUF files"):
        steelyard.load(folder, runtime="llamacpp")


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"hidden_size": "wide"}, ModelFileError, "hidden_size"),
        ({"rope_theta": "x"}, ModelFileError, "could not convert"),
        ({"num_key_value_heads": [2]}, ModelFileError, "configuration"),
        ({"intermediate_size": 99}, ModelFileError, "the configuration says"),
        ({"hidden_act": "gelu"}, UnsupportedModelError, "hidden_act"),
    ],
)
def test_a_configuration_that_does_not_fit_is_named(
    tmp_path: Path, changes: dict[str, Any], error: type[SteelyardError], message: str
) -> None:
    with pytest.raises(error, match=message):
        steelyard.load(write_model(tmp_path / "odd", **changes))


def test_what_is_not_there_is_unknown(tmp_path: Path) -> None:
    with pytest.raises(UnknownModelError, match="nowhere"):
        steelyard.load(tmp_path / "nowhere")
