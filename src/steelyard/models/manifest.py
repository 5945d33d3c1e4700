"""`steelyard.json`: what a model directory says about how it is to be asked."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from steelyard.errors import ModelFileError, RequestError
from steelyard.types.codec import loads

FILE_NAME = "steelyard.json"
KINDS = ("noul", "choice", "score")
SHA256 = re.compile(r"[0-9a-f]{64}")

COLDEST, HOTTEST = 0.05, 20.0
"""The bounds of a temperature: scores that separate everything, or nothing, have no finite
optimum, and beyond these a softmax is a hard choice or a guess."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedExits:
    """What was fitted on the model's answers, exit by exit.

    Attributes:
        layers: exits below the last layer, ascending; none for a model that is only calibrated.
        threshold: a question leaves where the largest probability is at least this, 0 to 1.
        temperatures: for each exit and the last layer: kind -> temperature, COLDEST to HOTTEST.
    """

    layers: tuple[int, ...]
    threshold: float
    temperatures: Mapping[int, Mapping[str, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """How a model wants to be asked. None leaves a point to the library's default.

    Attributes:
        name: what the model calls itself.
        readout: name of the readout it was made for, such as "continuation".
        layout: name of the prompt layout it was made for, such as "isolated-v1".
        wording: `layout_digest` of that layout when the model was trained.
        base: the named model or Hugging Face id whose weights the directory continues, with an
            adapter or as they are; None where the directory has weights of its own.
        base_digest: sha256 over the base's weights, hexadecimal.
        exits: of the readout and layout above.
        fitted_on: a sentence about the data that temperatures and threshold come from.
        parts: file name -> sha256 of the files beside `steelyard.json` that belong to the model;
            None where nobody has counted them.
        warnings: sentences that accompany every answer.
    """

    name: str | None = None
    readout: str | None = None
    layout: str | None = None
    wording: str | None = None
    base: str | None = None
    base_digest: str | None = None
    exits: FittedExits | None = None
    fitted_on: str | None = None
    parts: Mapping[str, str] | None = None
    warnings: tuple[str, ...] = ()


def read_manifest(folder: Path) -> Manifest:
    """Read the `steelyard.json` of a model directory; a directory without one says nothing.

    Raises:
        ModelFileError: not strict JSON, an unknown key (a newer steelyard's, or a typing error), a
            value of the wrong type.
    """
    path = folder / FILE_NAME
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Manifest()
    except (OSError, UnicodeDecodeError) as error:
        raise ModelFileError(f"{path} cannot be read: {error}") from error
    try:
        value = loads(text)
    except RequestError as error:
        raise ModelFileError(f"{path}: {error}") from error
    return _checked(value, path)


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """Write the `steelyard.json` of a model directory.

    Raises:
        ModelFileError: what `read_manifest` would refuse.
    """
    path = folder / FILE_NAME
    text = json.dumps(
        {key: value for key, value in asdict(manifest).items() if value not in (None, ())},
        indent=2,
        ensure_ascii=False,
    )
    _checked(json.loads(text), path)
    path.write_text(text + "\n", encoding="utf-8")


def _checked(value: object, path: Path) -> Manifest:
    if not isinstance(value, dict):
        raise ModelFileError(f"{path} holds {type(value).__name__}; allowed: an object")
    _check_keys(value, [item.name for item in fields(Manifest)], str(path))
    warnings = value.get("warnings", [])
    if not isinstance(warnings, list) or not all(isinstance(text, str) for text in warnings):
        raise ModelFileError(f"got {warnings!r}; allowed: an array of strings", field="warnings")
    manifest = Manifest(
        name=_text(value, "name"),
        readout=_text(value, "readout"),
        layout=_text(value, "layout"),
        wording=_sha256(value, "wording"),
        base=_text(value, "base"),
        base_digest=_sha256(value, "base_digest"),
        exits=None if value.get("exits") is None else _exits(value["exits"]),
        fitted_on=_text(value, "fitted_on"),
        parts=None if value.get("parts") is None else _parts(value["parts"]),
        warnings=tuple(warnings),
    )
    for given, needed in (
        ("wording", "layout"),
        ("base_digest", "base"),
        ("exits", "readout"),
        ("exits", "layout"),
    ):
        if getattr(manifest, given) is not None and getattr(manifest, needed) is None:
            raise ModelFileError(f"missing, and {given} needs it", field=f"{path}: {needed}")
    return manifest


def _parts(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ModelFileError(f"got {value!r}; allowed: an object", field="parts")
    for name, digest in value.items():
        if not isinstance(digest, str) or not SHA256.fullmatch(digest):
            raise ModelFileError(
                f"got {digest!r}; allowed: 64 hexadecimal digits", field=f"parts.{name}"
            )
    return dict(value)


def _exits(value: object) -> FittedExits:
    if not isinstance(value, dict):
        raise ModelFileError(f"got {value!r}; allowed: an object", field="exits")
    keys = [item.name for item in fields(FittedExits)]
    _check_keys(value, keys, "exits")
    for key in keys:
        if key not in value:
            raise ModelFileError("missing", field=f"exits.{key}")
    layers, temperatures = value["layers"], value["temperatures"]
    ascending = isinstance(layers, list) and all(
        type(layer) is int and layer > before
        for before, layer in zip([0, *layers], layers, strict=False)
    )
    if not ascending:
        raise ModelFileError(
            f"got {layers!r}; allowed: an array of ascending integers above 0", field="exits.layers"
        )
    threshold = _number(value["threshold"], "exits.threshold")
    if not 0.0 <= threshold <= 1.0:
        raise ModelFileError(f"got {threshold}; allowed: 0 to 1", field="exits.threshold")
    if not isinstance(temperatures, dict):
        raise ModelFileError(
            f"got {temperatures!r}; allowed: an object", field="exits.temperatures"
        )
    return FittedExits(
        layers=tuple(layers),
        threshold=threshold,
        temperatures={
            _layer(layer): _temperatures(of, f"exits.temperatures.{layer}")
            for layer, of in temperatures.items()
        },
    )


def _temperatures(value: object, field: str) -> dict[str, float]:
    if not isinstance(value, dict) or set(value) != set(KINDS):
        raise ModelFileError(
            f"got {value!r}; allowed: an object of {', '.join(KINDS)}", field=field
        )
    temperatures = {kind: _number(value[kind], f"{field}.{kind}") for kind in KINDS}
    for kind, temperature in temperatures.items():
        if not COLDEST <= temperature <= HOTTEST:
            raise ModelFileError(
                f"got {temperature}; allowed: {COLDEST} to {HOTTEST}", field=f"{field}.{kind}"
            )
    return temperatures


def _check_keys(value: dict[str, object], known: list[str], where: str) -> None:
    for key in value:
        if key not in known:
            raise ModelFileError(
                f"unknown key; allowed: {', '.join(known)}", field=f"{where}: {key}"
            )


def _layer(key: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,4}", key):
        raise ModelFileError(
            f"got the key {key!r}; allowed: the number of a layer", field="exits.temperatures"
        )
    return int(key)


def _number(value: object, field: str) -> float:
    try:
        number = float(value) if type(value) in (int, float) else math.nan  # type: ignore[arg-type]
    except OverflowError:  # an integer of hundreds of digits
        number = math.inf
    if not math.isfinite(number):
        raise ModelFileError(f"got {value!r:.80}; allowed: a finite number", field=field)
    return number


def _sha256(value: dict[str, object], key: str) -> str | None:
    text = _text(value, key)
    if text is not None and not SHA256.fullmatch(text):
        raise ModelFileError(f"got {text!r}; allowed: 64 hexadecimal digits", field=key)
    return text


def _text(value: dict[str, object], key: str) -> str | None:
    text = value.get(key)
    if text is not None and (not isinstance(text, str) or not text):
        raise ModelFileError(f"got {text!r}; allowed: a non-empty string or null", field=key)
    return text
