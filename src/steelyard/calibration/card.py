"""What was fitted on what, and for which model."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields

from steelyard.calibration.readings import Reading
from steelyard.calibration.strict import as_between, as_count, as_list, as_object, as_string
from steelyard.errors import CapabilityError, InputFileError
from steelyard.types.content import Json

TARGETS = ("soft", "hard")
DIGEST = 64
MOST_ROTATIONS = 26
"""As the engine takes them, which stands above."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The origin of a calibration, and what it may be applied to.

    Attributes:
        data: `data_digest` of the rows it was fitted on.
        rows, groups: how many; groups are what is independent.
        teaching: how many of the rows taught the maps; the others, which the maps have not seen,
            taught sets and thresholds.
        targets: "soft": probabilities follow votes or a teacher; "hard": they say how often the
            answer is right.
        model: sha256 over the weights whose scores were read.
        layout: `layout_digest` of the prompts.
        readout: by which scores were read, such as "letters".
        rotations, reread_below: how often they were read, as the engine takes it.
        exit_layers: at which, ascending; the last is the model's depth.
    """

    data: str
    rows: int
    groups: int
    teaching: int
    targets: str
    model: str
    layout: str
    readout: str
    rotations: int
    reread_below: float
    exit_layers: tuple[int, ...]

    def check(self, *, model: str, layout: str, readout: str) -> None:
        """Refuse to calibrate what this was not fitted on.

        Raises:
            CapabilityError: another model, layout or readout.
        """
        for name, now in (("model", model), ("layout", layout), ("readout", readout)):
            fitted = getattr(self, name)
            if now != fitted:
                raise CapabilityError(
                    f"the calibration was fitted on {fitted}; this is {now}", field=name
                )


def data_digest(readings: Iterable[Reading]) -> str:
    """sha256 over what a fit sees, hexadecimal, whatever the order of the rows."""
    rows = sorted(
        hashlib.sha256(
            f"{one.exit_layer}\0{one.kind}\0{one.group}\0".encode()
            + one.scores.astype("<f8").tobytes()
            + one.target.astype("<f8").tobytes()
        ).hexdigest()
        for one in readings
    )
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def encode_card(card: Card) -> dict[str, Json]:
    """The JSON object of which `decode_card` makes an equal card."""
    return asdict(card) | {"exit_layers": list(card.exit_layers)}


def decode_card(value: object, field: str = "card") -> Card:
    """The card that a parsed JSON value spells.

    Raises:
        InputFileError: a missing or unknown key, or a value that no fit gives.
    """
    body = as_object(value, [item.name for item in fields(Card)], field)
    layers = tuple(
        as_count(layer, f"{field}.exit_layers.{i}", least=1)
        for i, layer in enumerate(as_list(body["exit_layers"], f"{field}.exit_layers"))
    )
    if not layers or list(layers) != sorted(set(layers)):
        raise InputFileError(
            f"got {list(layers)}; allowed: one or more, ascending", field=f"{field}.exit_layers"
        )
    rows = as_count(body["rows"], f"{field}.rows", least=1)
    return Card(
        data=_digest(body, "data", field),
        rows=rows,
        groups=as_count(body["groups"], f"{field}.groups", least=1, most=rows),
        teaching=as_count(body["teaching"], f"{field}.teaching", most=rows),
        targets=as_string(body["targets"], f"{field}.targets", TARGETS),
        model=_digest(body, "model", field),
        layout=_digest(body, "layout", field),
        readout=as_string(body["readout"], f"{field}.readout"),
        rotations=as_count(body["rotations"], f"{field}.rotations", least=1, most=MOST_ROTATIONS),
        reread_below=as_between(body["reread_below"], f"{field}.reread_below", 0.0, 1.0),
        exit_layers=layers,
    )


def _digest(body: Mapping[str, object], name: str, field: str) -> str:
    text = as_string(body[name], f"{field}.{name}")
    if len(text) != DIGEST or not set(text) <= set("0123456789abcdef"):
        raise InputFileError(
            f"got {text!r}; allowed: {DIGEST} hexadecimal digits", field=f"{field}.{name}"
        )
    return text
