"""A calibration as JSON: its card, the maps, the committed map of nouls, and the guarantees."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from steelyard.calibration.actions import ActionRule
from steelyard.calibration.card import Card, decode_card, encode_card
from steelyard.calibration.committed import CommittedNoul
from steelyard.calibration.conformal import ConformalSets
from steelyard.calibration.slotted import SlottedCalibrator
from steelyard.calibration.stored_guarantees import (
    decode_actions,
    decode_sets,
    encode_actions,
    encode_sets,
)
from steelyard.calibration.stored_maps import decode_maps, encode_maps
from steelyard.calibration.strict import (
    as_between,
    as_object,
    as_string,
    as_temperature,
)
from steelyard.errors import InputFileError, OutputError, RequestError
from steelyard.files import write_whole
from steelyard.types.codec import dumps, loads
from steelyard.types.content import Json

VERSION = 1
KEYS = ("version", "card", "maps", "committed", "sets", "actions")
FILE_NAME = "calibration.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """All that was fitted for a model at once.

    Attributes:
        card: on what, and for what.
        calibrator: from scores to probabilities; where it has no map, a softmax.
        committed: from a noul's probability to its committed value, or None.
        sets: prediction sets, each for other slots; none where they were not wanted.
        actions: thresholds to act, ask or escalate, or None.
        digest: sha256 over all of it, hexadecimal: what answers and audits name.
    """

    card: Card
    calibrator: SlottedCalibrator
    committed: CommittedNoul | None = None
    sets: tuple[ConformalSets, ...] = ()
    actions: ActionRule | None = None
    digest: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        digest = hashlib.sha256(dumps_calibration(self).encode("utf-8")).hexdigest()
        object.__setattr__(self, "digest", digest)


def dumps_calibration(calibration: Calibration) -> str:
    """The JSON text of which `loads_calibration` makes an equal calibration."""
    committed, actions = calibration.committed, calibration.actions
    body: dict[str, Json] = {
        "version": VERSION,
        "card": encode_card(calibration.card),
        "maps": encode_maps(calibration.calibrator),
        "committed": None if committed is None else asdict(committed),
        "sets": [encode_sets(one) for one in calibration.sets],
        "actions": None if actions is None else encode_actions(actions),
    }
    return dumps(body)


def loads_calibration(text: str | bytes) -> Calibration:
    """The calibration that strict JSON text spells.

    Raises:
        RequestError: not strict JSON (see `codec.loads`).
        InputFileError: a missing or unknown key, a wrong value, another version.
    """
    body = as_object(loads(text), KEYS, "calibration")
    version = body["version"]
    if type(version) is not int or version != VERSION:  # true and 1.0 equal 1
        raise InputFileError(f"got {version!r}; allowed: {VERSION}", field="version")
    calibrator = decode_maps(body["maps"])
    return Calibration(
        card=decode_card(body["card"]),
        calibrator=calibrator,
        committed=_committed(body["committed"], calibrator.digest),
        sets=decode_sets(body["sets"]),
        actions=None if body["actions"] is None else decode_actions(body["actions"]),
    )


def read_calibration(path: Path) -> Calibration:
    """The calibration in a file, or in the folder that `steelyard calibrate` wrote.

    Raises:
        InputFileError: it cannot be read, or is no calibration.
    """
    file = path / FILE_NAME if path.is_dir() else path
    try:
        return loads_calibration(file.read_bytes())
    except OSError as error:
        raise InputFileError(f"{file}: {error.strerror}") from None
    except (RequestError, InputFileError) as error:
        raise InputFileError(f"{file}: {error}") from None


def write_calibration(calibration: Calibration, path: Path) -> None:
    """Write a new file.

    Raises:
        OutputError: it is there already, or cannot be written.
    """
    if path.exists():
        raise OutputError(f"{path} exists already; nothing is overwritten")
    write_whole(path, dumps_calibration(calibration) + "\n")


def _committed(value: object, calibrator: str) -> CommittedNoul | None:
    if value is None:
        return None
    body = as_object(value, [one.name for one in fields(CommittedNoul)], "committed")
    return CommittedNoul(
        temperature=as_temperature(body["temperature"], "committed.temperature"),
        boundary=as_between(body["boundary"], "committed.boundary", 0.2, 0.5),
        # fitted on what these maps say, and on nothing else
        after=as_string(body["after"], "committed.after", (calibrator,)),
    )
