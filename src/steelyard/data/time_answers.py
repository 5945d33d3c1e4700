"""Wrong answers to questions on time, made from the right one by a small slip."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from random import Random

FORMATS = ("%Y-%m-%d", "%d %B, %Y", "%B %d, %Y", "%d %B %Y", "%b %d, %Y", "%m/%d/%Y", "%Y %B %d")
MONTHS = ("%B, %Y", "%b, %Y", "%B %Y", "%b %Y")
CLOCK = re.compile(r"(\d{1,2}):(\d{2})(:\d{2})?( ?[AP]M)?(.*)", re.IGNORECASE | re.DOTALL)
DAY_SLIPS = (-31, -30, -7, -2, -1, 1, 2, 7, 30, 31, 365, -365)
MONTH_SLIPS = (-13, -12, -11, -2, -1, 1, 2, 11, 12, 13)
MINUTE_SLIPS = (-60, -30, -10, -5, -1, 1, 5, 10, 30, 60, 120)
MOST = 5


def near_dates(gold: str, rng: Random) -> list[str]:
    """Dates, months or times of day a slip away, in gold's own form; [] where it is none."""
    for form in FORMATS:
        day = _read(gold, form)
        if day is not None:
            moved = [_write(day + timedelta(days=slip), form, gold) for slip in DAY_SLIPS]
            return _some(gold, moved, rng)
    for form in MONTHS:
        month = _read(gold, form)
        if month is not None:
            moved = [_write(_later(month, slip), form, gold) for slip in MONTH_SLIPS]
            return _some(gold, moved, rng)
    clock = CLOCK.fullmatch(gold)
    return [] if clock is None else _some(gold, _times(clock), rng)


def near_lists(names: list[str], rng: Random) -> list[str]:
    """Lists with one name missing, and with two neighbours swapped, as text."""
    gold = ", ".join(names)
    without = [", ".join(names[:at] + names[at + 1 :]) for at in range(len(names))]
    swapped = [
        ", ".join([*names[:at], names[at + 1], names[at], *names[at + 2 :]])
        for at in range(len(names) - 1)
    ]
    return _some(gold, [text for text in without + swapped if text], rng)


def _some(gold: str, wrong: list[str], rng: Random) -> list[str]:
    others = [text for text in dict.fromkeys(wrong) if text != gold]
    return rng.sample(others, min(rng.randint(2, MOST), len(others)))


def _read(text: str, form: str) -> date | None:
    try:
        return datetime.strptime(text, form).date()
    except ValueError:
        return None


def _write(day: date, form: str, like: str) -> str:
    # strftime pads with zeros, which a text like "3 May, 2001" does not.
    text = day.strftime(form)
    return text if re.search(r"\b0\d\b", like) else re.sub(r"\b0(\d)\b", r"\1", text)


def _later(month: date, slip: int) -> date:
    index = month.year * 12 + month.month - 1 + slip
    return date(index // 12, index % 12 + 1, 1)


def _times(clock: re.Match[str]) -> list[str]:
    half = 12 if clock[4] else 24
    minutes = int(clock[1]) * 60 + int(clock[2])
    width = 2 if clock[1].startswith("0") or half == 24 else 1
    moved = []
    for slip in MINUTE_SLIPS:
        hour, minute = divmod((minutes + slip) % (half * 60), 60)
        shown = hour or 12 if half == 12 else hour
        moved.append(f"{shown:0{width}d}:{minute:02d}{clock[3] or ''}{clock[4] or ''}{clock[5]}")
    return moved
