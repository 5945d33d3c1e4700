"""Maps of slots as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, fields
from itertools import pairwise

from steelyard.calibration.isotonic import Isotonic
from steelyard.calibration.maps import Map
from steelyard.calibration.matrix import MatrixScaling
from steelyard.calibration.platt import Platt
from steelyard.calibration.slots import Slot
from steelyard.calibration.slotted import SlottedCalibrator
from steelyard.calibration.strict import (
    as_count,
    as_list,
    as_number,
    as_numbers,
    as_object,
    as_string,
    as_temperature,
)
from steelyard.calibration.temperature import SmoothTemperature, Temperature
from steelyard.calibration.tied import TiedScaling
from steelyard.errors import InputFileError
from steelyard.types.content import Json
from steelyard.types.question import KINDS

FORMS: dict[str, type[Map]] = {
    "temperature": Temperature,
    "smooth_temperature": SmoothTemperature,
    "tied": TiedScaling,
    "matrix": MatrixScaling,
    "platt": Platt,
    "isotonic": Isotonic,
}
"""The name of each kind of map in a file."""


def encode_maps(calibrator: SlottedCalibrator) -> list[Json]:
    """The JSON array of which `decode_maps` makes an equal calibrator."""
    names = {form: name for name, form in FORMS.items()}
    return [
        {"slot": asdict(slot), "form": names[type(fitted)], **_plain(fitted)}
        for slot, fitted in calibrator.maps.items()
    ]


def decode_maps(value: object, field: str = "maps") -> SlottedCalibrator:
    """The calibrator that a parsed JSON value spells.

    Raises:
        InputFileError: a missing or unknown key, or a value that no fit gives.
    """
    maps: dict[Slot, Map] = {}
    for index, item in enumerate(as_list(value, field)):
        at = f"{field}.{index}"
        if not isinstance(item, Mapping):
            raise InputFileError("allowed: an object", field=at)
        form = as_string(item.get("form"), f"{at}.form", tuple(FORMS))
        keys = [one.name for one in fields(FORMS[form])]
        body = as_object(item, ["slot", "form", *keys], at)
        slot = decode_slot(body["slot"], f"{at}.slot", maps)
        maps[slot] = _READ[form](body, at)
    return SlottedCalibrator(maps)


def decode_slot(value: object, field: str, taken: Iterable[Slot]) -> Slot:
    """The slot that a parsed JSON value spells.

    Raises:
        InputFileError: a missing or unknown key, a wrong value, or a slot that shares questions
            with one of `taken`.
    """
    body = as_object(value, [one.name for one in fields(Slot)], field)
    fewest = as_count(body["fewest"], f"{field}.fewest", least=1)
    most = body["most"]
    slot = Slot(
        exit_layer=as_count(body["exit_layer"], f"{field}.exit_layer", least=1),
        kind=as_string(body["kind"], f"{field}.kind", KINDS),
        fewest=fewest,
        most=None if most is None else as_count(most, f"{field}.most", least=fewest),
    )
    for other in taken:
        if slot.overlaps(other):
            raise InputFileError(f"{slot} overlaps {other}", field=field)
    return slot


def _plain(fitted: Map) -> dict[str, Json]:
    """Numbers and lists of numbers: what JSON gives back."""

    def listed(value: object) -> Json:
        if isinstance(value, tuple):
            return [listed(one) for one in value]
        assert isinstance(value, float), "maps hold numbers"
        return value

    return {one.name: listed(getattr(fitted, one.name)) for one in fields(fitted)}


def _temperature(body: Mapping[str, object], at: str) -> Map:
    return Temperature(as_temperature(body["temperature"], f"{at}.temperature"))


def _smooth(body: Mapping[str, object], at: str) -> Map:
    return SmoothTemperature(as_number(body["a"], f"{at}.a"), as_number(body["b"], f"{at}.b"))


def _tied(body: Mapping[str, object], at: str) -> Map:
    return TiedScaling(
        as_number(body["a"], f"{at}.a"),
        as_number(body["c"], f"{at}.c"),
        as_numbers(body["biases"], f"{at}.biases"),
    )


def _matrix(body: Mapping[str, object], at: str) -> Map:
    biases = as_numbers(body["biases"], f"{at}.biases")
    weights = tuple(
        as_numbers(row, f"{at}.weights.{i}")
        for i, row in enumerate(as_list(body["weights"], f"{at}.weights"))
    )
    if [len(row) for row in weights] != [len(biases)] * len(biases) or not biases:
        raise InputFileError(
            f"rows of {[len(row) for row in weights]}; allowed: {len(biases)} of {len(biases)}, "
            "like the biases, and at least one",
            field=f"{at}.weights",
        )
    return MatrixScaling(weights, biases)


def _platt(body: Mapping[str, object], at: str) -> Map:
    return Platt(as_number(body["slope"], f"{at}.slope"), as_number(body["shift"], f"{at}.shift"))


def _isotonic(body: Mapping[str, object], at: str) -> Map:
    odds = as_numbers(body["odds"], f"{at}.odds")
    shares = as_numbers(body["shares"], f"{at}.shares")
    rising = all(low < high for low, high in pairwise(odds))
    if not odds or not rising:
        raise InputFileError("allowed: one or more numbers, ascending", field=f"{at}.odds")
    if len(shares) != len(odds) or list(shares) != sorted(shares) or not _inside(shares):
        raise InputFileError(
            f"allowed: {len(odds)} numbers from 0 to 1, none below the one before",
            field=f"{at}.shares",
        )
    return Isotonic(odds, shares)


def _inside(shares: tuple[float, ...]) -> bool:
    return all(0 <= share <= 1 for share in shares)


_READ: dict[str, Callable[[Mapping[str, object], str], Map]] = {
    "temperature": _temperature,
    "smooth_temperature": _smooth,
    "tied": _tied,
    "matrix": _matrix,
    "platt": _platt,
    "isotonic": _isotonic,
}
