"""Numbers as documents write them ("$ 1,200.5 million"), and wrong ones that look just like them.

A wrong number of another unit, precision or size gives itself away, and a model learns to tell the
look instead of the value (Trutina report, 6.5).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from random import Random

from steelyard.data.normal import decoded

FIGURE = re.compile(
    r"(?P<sign>-?)\s?(?P<prefix>(?:US)?[$€£]\s?|)(?P<inner>-?)"
    r"(?P<digits>\d{1,3}(?:,\d{3})+|\d+|(?=\.\d))(?P<fraction>\.\d+)?"
    r"(?P<suffix>\s?%|(?:[ -][A-Za-z]+){0,3})"
)
IN_TEXT = re.compile(r"(?<![\w.,])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\w|[.,]\d)")
FIRST_YEAR, LAST_YEAR = 1000, 2100
MOST_TRIES = 200
MOST_CHARACTERS = 24


@dataclass(frozen=True, slots=True)
class Figure:
    """A number and how it is written.

    Attributes:
        prefix: currency before the digits, with its space.
        suffix: unit after them, with its space.
        decimals: digits after the point.
        grouped: thousands are set apart by commas, where there are any.
    """

    value: Decimal
    prefix: str
    suffix: str
    decimals: int
    grouped: bool

    @property
    def step(self) -> Decimal:
        """The unit of the last place."""
        return Decimal(1).scaleb(-self.decimals)

    @property
    def is_year(self) -> bool:
        """Whether it could be one: bare, whole, ungrouped, 1000 to 2100."""
        bare = not (self.prefix or self.suffix or self.decimals or self.grouped)
        return bare and FIRST_YEAR <= self.value <= LAST_YEAR

    def write(self, value: Decimal) -> str:
        """Another value in this one's look."""
        rounded = value.quantize(self.step)
        digits = format(abs(rounded), f"{',' if self.grouped else ''}.{self.decimals}f")
        return f"{'-' if rounded < 0 else ''}{self.prefix}{digits}{self.suffix}"


def figure(text: str) -> Figure | None:
    """The figure that a text is, or None where it is anything else; brackets are no minus sign, and
    what has more digits than arithmetic here keeps is no figure."""
    match = FIGURE.fullmatch(decoded(text))
    if match is None or len(text) > MOST_CHARACTERS:
        return None
    fraction = match["fraction"] or ""
    sign = "-" if match["sign"] or match["inner"] else ""
    whole = match["digits"].replace(",", "")
    grouped = "," in match["digits"] or len(whole) < 4  # below 1,000 nothing shows; most do group
    value = Decimal(f"{sign}{whole or '0'}{fraction}")
    return Figure(value, match["prefix"], match["suffix"], max(len(fraction) - 1, 0), grouped)


def numbers_in(text: str) -> list[Decimal]:
    """The numbers that stand in running text, in order; parts of words and of dates with dots are
    none."""
    return [Decimal(found.replace(",", "")) for found in IN_TEXT.findall(text)]


def wrong_figures(
    gold: Figure,
    count: int,
    rng: Random,
    *,
    computed: Iterable[Decimal] = (),
    nearby: Iterable[Decimal] = (),
) -> list[str]:
    """Up to `count` other numbers in gold's look and of its magnitude.

    Args:
        computed: what wrong operations give; taken first.
        nearby: numbers of the document; taken next, years only where gold may be one. Where gold is
            below zero most of them change sign, or it would stand alone. What then lacks are
            small changes of gold and of the wrong values themselves.
    """
    near = [value for value in nearby if gold.is_year or not _may_be_year(value)]
    if gold.value < 0:
        near = [-value if rng.random() < 0.6 else value for value in near]
    found: dict[str, Decimal] = {}
    given = chain(_shuffled(computed, rng), _shuffled(near, rng))
    for value in chain(given, _neighbours(gold, found, rng)):
        if len(found) == count:
            break
        if _is_wrong(value, gold):
            found.setdefault(gold.write(value), value)
    return list(found)


def _is_wrong(value: Decimal, gold: Figure) -> bool:
    size = abs(gold.value)
    if size and not size / 10 < abs(value) < size * 10:
        return False
    if not size and abs(value) > gold.step * 20:
        return False
    if gold.is_year and not FIRST_YEAR <= value <= LAST_YEAR:
        return False
    written = value.quantize(gold.step)
    if _places(written) < _places(gold.value):
        return False  # "31.00%" beside "66.94%" shows that it was not computed
    # The last place of a gold value may itself be off by one: annotators round in several ways.
    return abs(written - gold.value) >= gold.step * (2 if gold.decimals else 1)


def _may_be_year(value: Decimal) -> bool:
    return value == value.to_integral_value() and 1900 <= value <= LAST_YEAR


def _places(value: Decimal) -> int:
    """Digits after the point, trailing zeros not counted."""
    exponent = value.normalize().as_tuple().exponent
    assert isinstance(exponent, int), "a finite number"
    return max(-exponent, 0)


def _neighbours(gold: Figure, found: Mapping[str, Decimal], rng: Random) -> Iterator[Decimal]:
    """Small changes of gold or, half of the time, of a wrong value that was found: else the right
    answer is the one that the others lie around."""
    for _ in range(MOST_TRIES):
        others = list(found.values())
        base = rng.choice(others) if others and rng.random() < 0.5 else gold.value
        value = _changed(base.quantize(gold.step), gold, rng)
        if value >= 0 or gold.value < 0 or gold.decimals or "%" in gold.suffix:
            yield value  # a whole number of things is not below zero


def _changed(base: Decimal, gold: Figure, rng: Random) -> Decimal:
    """One digit or a few units off, two digits swapped, some percent off, or the other sign."""
    ways = [base + rng.choice((-1, 1)) * rng.randint(1, 12) * gold.step]
    if not gold.is_year:
        ways.append(base * (1 + Decimal(rng.choice((-1, 1)) * rng.randint(1, 40)) / 100))
    if gold.value < 0 or "%" in gold.suffix:
        ways.append(-base)
    digits = str(abs(base))
    at = rng.randrange(len(digits))
    if digits[at : at + 2].isdigit() and at + 1 < len(digits):
        swapped = digits[:at] + digits[at + 1] + digits[at] + digits[at + 2 :]
        ways.append(Decimal(swapped).copy_sign(base))
    return rng.choice(ways)


def _shuffled(values: Iterable[Decimal], rng: Random) -> list[Decimal]:
    listed = list(dict.fromkeys(values))
    rng.shuffle(listed)
    return listed
