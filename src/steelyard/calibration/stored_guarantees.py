"""Prediction sets and thresholds as JSON."""

from __future__ import annotations

from dataclasses import asdict, fields

from steelyard.calibration.actions import ActionRule, Thresholds
from steelyard.calibration.conformal import ConformalSets, Cut
from steelyard.calibration.nonconformity import STRANGENESS
from steelyard.calibration.selective import SelectiveThreshold
from steelyard.calibration.slots import Slot
from steelyard.calibration.stored_maps import decode_slot
from steelyard.calibration.strict import (
    as_count,
    as_list,
    as_number,
    as_object,
    as_share,
    as_string,
)
from steelyard.errors import InputFileError, ShapeError
from steelyard.types.content import Json


def encode_sets(sets: ConformalSets) -> dict[str, Json]:
    """The JSON object of which `decode_sets` makes equal sets.

    Raises:
        ShapeError: randomised sets; the same question must get the same answer.
    """
    if sets.randomised:
        raise ShapeError("got randomised sets; allowed: those without a draw", field="sets")
    cuts: list[Json] = [{"slot": asdict(slot), **asdict(cut)} for slot, cut in sets.cuts.items()]
    return {"method": sets.method, "alpha": sets.alpha, "cuts": cuts}


def decode_sets(value: object, field: str = "sets") -> tuple[ConformalSets, ...]:
    """The sets that a parsed JSON array spells.

    Raises:
        InputFileError: a missing or unknown key, a wrong value, two thresholds for one question.
    """
    taken: list[Slot] = []
    found = []
    for index, item in enumerate(as_list(value, field)):
        at = f"{field}.{index}"
        body = as_object(item, ["method", "alpha", "cuts"], at)
        method = as_string(body["method"], f"{at}.method", tuple(STRANGENESS))
        cuts = {}
        for place, one in enumerate(as_list(body["cuts"], f"{at}.cuts")):
            here = f"{at}.cuts.{place}"
            cut = as_object(one, ["slot", *(part.name for part in fields(Cut))], here)
            slot = decode_slot(cut["slot"], f"{here}.slot", taken)
            if method == "interval" and slot.kind != "score":
                raise InputFileError(f"got a {slot.kind}; allowed: score", field=f"{here}.slot")
            taken.append(slot)
            cuts[slot] = Cut(
                strangeness=as_number(cut["strangeness"], f"{here}.strangeness"),
                rows=as_count(cut["rows"], f"{here}.rows", least=1),
            )
        alpha = as_share(body["alpha"], f"{at}.alpha")
        found.append(ConformalSets(method=method, randomised=False, alpha=alpha, cuts=cuts))
    return tuple(found)


def encode_actions(rule: ActionRule) -> list[Json]:
    """The JSON array of which `decode_actions` makes an equal rule."""
    return [
        {
            "slot": asdict(slot),
            "act": asdict(thresholds.act),
            "ask": asdict(thresholds.ask),
        }
        for slot, thresholds in rule.slots.items()
    ]


def decode_actions(value: object, field: str = "actions") -> ActionRule:
    """The rule that a parsed JSON array spells.

    Raises:
        InputFileError: a missing or unknown key, a wrong value, two thresholds for one question.
    """
    slots: dict[Slot, Thresholds] = {}
    for index, item in enumerate(as_list(value, field)):
        at = f"{field}.{index}"
        body = as_object(item, ["slot", "act", "ask"], at)
        slot = decode_slot(body["slot"], f"{at}.slot", slots)
        slots[slot] = Thresholds(
            act=_threshold(body["act"], f"{at}.act"), ask=_threshold(body["ask"], f"{at}.ask")
        )
    return ActionRule(slots)


def _threshold(value: object, at: str) -> SelectiveThreshold:
    body = as_object(value, [one.name for one in fields(SelectiveThreshold)], at)
    rows = as_count(body["rows"], f"{at}.rows", least=1)
    accepted = as_count(body["accepted"], f"{at}.accepted")
    errors = as_count(body["errors"], f"{at}.errors")
    if not errors <= accepted <= rows:
        raise InputFileError(
            f"{errors} errors of {accepted} accepted of {rows} rows; allowed: none above the next",
            field=at,
        )
    return SelectiveThreshold(
        threshold=_limit(body["threshold"], f"{at}.threshold"),
        risk=as_share(body["risk"], f"{at}.risk"),
        delta=as_share(body["delta"], f"{at}.delta"),
        rows=rows,
        accepted=accepted,
        errors=errors,
    )


def _limit(value: object, field: str) -> float | None:
    if value is None:
        return None
    number = as_number(value, field)
    if not 0 <= number < 1:
        raise InputFileError(f"got {number}; allowed: null, or 0 to below 1", field=field)
    return number
