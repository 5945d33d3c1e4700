"""Options with stated costs, weights or limits: which is best, which are ruled out.

Ten markets with 4-5 attributes each; three rules (lowest total of price and stated costs; highest
weighted sum; best in one respect among those within limits), 2-7 options, 5 layouts, rule in the
state or in the question, about 35 question wordings: above 10^6 surface forms.
"""

# One market a line: this is a table, to be read across.
# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TypeAlias

from steelyard.data.ask import Origin
from steelyard.data.generate.render import padding
from steelyard.data.generate.rows import Query, graded, near, one_of, put, rows, yes_no
from steelyard.data.generate.words import COMPANIES
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

NAME = "tradeoffs"

Options: TypeAlias = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Market:
    """What is bought, and its attributes: name -> (unit with {}, low, high, step, cost each)."""

    what: str
    price: str
    attributes: Mapping[str, tuple[str, int, int, int, tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class Rule:
    """Lower is better. The value of an option is the sum of its attributes times their weights;
    an option outside a limit has none.

    Attributes:
        limits: attribute -> (relation, bound); the relation is "max" or "min".
    """

    weights: Mapping[str, int]
    limits: Mapping[str, tuple[str, int]]

    def allows(self, option: Mapping[str, int]) -> bool:
        return all(
            option[name] <= bound if relation == "max" else option[name] >= bound
            for name, (relation, bound) in self.limits.items()
        )

    def value(self, option: Mapping[str, int]) -> int:
        return sum(weight * option[name] for name, weight in self.weights.items())

    def ranked(self, options: Options) -> list[str]:
        """The options that are allowed, best first."""
        allowed = [name for name, option in options.items() if self.allows(option)]
        return sorted(allowed, key=lambda name: self.value(options[name]))


MakeRule: TypeAlias = Callable[[Market, Random], tuple[Rule, str, str | None]]


def read(folder: Path, rng: Random) -> Iterator[Example]:
    yield from rows(NAME, rng, row)


def row(origin: Origin, rng: Random) -> Iterator[Example]:
    market = rng.choice(MARKETS)
    make = rng.choice((cost_rule, point_rule, limit_rule))
    rule, told, unit, ranked, options = drawn(market, make, rng)
    text = table(market, options, rng)
    state: Content
    inside = rng.random() < 0.6
    if inside and not isinstance(text, str):
        state = {"rule": told, "offers": text}
    elif inside:
        parts = [told, text] if rng.random() < 0.5 else [text, told]
        state = "\n".join(str(part) for part in parts)
    else:
        state = text
    for query in questions(options, rule, ranked, unit, rng):
        asked = query.instructions if inside else f"{told} {query.instructions}"
        yield put(origin, state, Query(asked, query.options, query.gold, query.ordered))


def drawn(
    market: Market, make: MakeRule, rng: Random
) -> tuple[Rule, str, str | None, list[str], Options]:
    """A rule and options of which one is best, drawn again until there is no tie at the top."""
    names = rng.sample(COMPANIES, rng.choice((2, 3, 3, 4, 4, 5, 6, 7)))
    while True:
        options = {
            name: {key: rng.randrange(low, high + 1, step) for key, (_, low, high, step, _) in market.attributes.items()}
            for name in names
        }  # fmt: skip
        rule, told, unit = make(market, rng)
        ranked = rule.ranked(options)
        values = [rule.value(options[name]) for name in ranked]
        if ranked and len(set(values)) == len(values):
            return rule, told, unit, ranked, options


def cost_rule(market: Market, rng: Random) -> tuple[Rule, str, str | None]:
    """Total cost: the price, and so much for each unit of one or two other attributes."""
    names = [name for name, spec in market.attributes.items() if spec[4]]
    weights = {market.price: 1}
    parts = []
    for name in rng.sample(names, rng.randint(1, min(2, len(names)))):
        unit, *_, costs = market.attributes[name]
        weights[name] = rng.choice(costs)
        parts.append(f"${weights[name]} times the {name} (in {unit.format('').strip()})")
    told = rng.choice(COSTS).format(price=market.price, parts=" and ".join(parts), what=market.what)
    return Rule(weights, {}), told, "${}"


def point_rule(market: Market, rng: Random) -> tuple[Rule, str, str | None]:
    """Penalty points for two attributes."""
    names = rng.sample([name for name, spec in market.attributes.items() if spec[4]], 2)
    weights = {name: rng.choice((1, 2, 3, 5)) for name in names}
    parts = [f"{weights[name]} times the {name}" for name in names]
    told = rng.choice(PENALTIES).format(parts=", ".join(parts))
    return Rule(weights, {}), told, "{} points"


def limit_rule(market: Market, rng: Random) -> tuple[Rule, str, str | None]:
    """The best in one respect among those within one or two limits."""
    names = list(market.attributes)
    target = rng.choice(names)
    limits = {}
    parts = []
    for name in rng.sample([name for name in names if name != target], rng.randint(1, 2)):
        unit, low, high, step, _ = market.attributes[name]
        span = (high - low) // step
        relation = rng.choice(("max", "min"))
        share = (
            rng.randint(span // 2, span - 1)
            if relation == "max"
            else rng.randint(1, max(1, span // 2))
        )
        bound = low + step * share
        limits[name] = (relation, bound)
        words = rng.choice(UPPER if relation == "max" else LOWER)
        parts.append(words.format(name=name, bound=unit.format(bound)))
    least = rng.random() < 0.6
    told = rng.choice(LEAST if least else MOST).format(limits=" and ".join(parts), target=target)
    return Rule({target: 1 if least else -1}, limits), told, None


def table(market: Market, options: Options, rng: Random) -> Content:
    """The options in one of five layouts."""
    shown = {
        name: {key: market.attributes[key][0].format(value) for key, value in option.items()}
        for name, option in options.items()
    }
    layout = rng.randrange(5)
    if layout == 0:
        return [{"offer": name, **option} for name, option in shown.items()]
    keys = list(market.attributes)
    if layout == 1:
        lines = [["offer", *keys], ["---"] * (1 + len(keys))]
        lines += [[name, *(option[key] for key in keys)] for name, option in shown.items()]
        return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    said = []
    for name, option in shown.items():
        order = rng.sample(keys, len(keys))
        said.append(
            rng.choice(OFFER).format(
                name=name, parts=", ".join(f"{key} {option[key]}" for key in order)
            )
        )
    said += padding(rng)
    if layout == 2:
        return "\n".join([f"Offers ({market.what}):", *(f"- {line}" for line in said)])
    return " ".join([f"We need {market.what}.", *said])


def questions(
    options: Options, rule: Rule, ranked: Sequence[str], unit: str | None, rng: Random
) -> Iterator[Query]:
    names = list(options)
    best = ranked[0]
    others = [name for name in names if name != best]
    yield one_of(rng.choice(BEST), best, others, rng)
    right = rng.random() < 0.5
    claimed = best if right else rng.choice(others)
    yield yes_no(rng.choice(IS_BEST).format(name=claimed), right)
    if rule.limits:
        fits = rng.random() < 0.5
        pool = ranked if fits else [name for name in names if name not in ranked]
        name = rng.choice(list(pool or names))
        yield yes_no(rng.choice(FITS).format(name=name), name in ranked)
        levels = [str(k) for k in range(len(names) + 1)]
        yield graded(rng.choice(HOW_MANY), levels, len(ranked))
        return
    if len(ranked) > 1 and rng.random() < 0.7:
        a, b = rng.sample(list(ranked), 2)
        better = rule.value(options[a]) < rule.value(options[b])
        yield yes_no(rng.choice(BETTER).format(a=a, b=b), better)
    name = rng.choice(list(ranked))
    value = rule.value(options[name])
    assert unit is not None
    step = rng.choice((1, 2, 5, 10))
    wrong = [unit.format(k) for k in near(value, rng.randint(2, 5), step, rng)]
    yield one_of(rng.choice(TOTAL).format(name=name), unit.format(value), wrong, rng)
    if len(ranked) > 2:
        levels = ["best", *(f"place {k}" for k in range(2, len(ranked))), "worst"][::-1]
        yield graded(
            rng.choice(PLACE).format(name=name), levels, len(ranked) - 1 - ranked.index(name)
        )


MARKETS = (
    Market("a removal firm", "price", {"price": ("${}", 200, 1500, 50, ()), "wait": ("{} days", 1, 30, 1, (5, 10, 20)), "damage": ("{} reports", 0, 9, 1, (20, 50, 100)), "helpers": ("{} people", 1, 6, 1, ())}),
    Market("a printing press", "price", {"price": ("${}", 1000, 9000, 100, ()), "power": ("{} kW", 1, 12, 1, (50, 100)), "noise": ("{} dB", 40, 95, 1, (5, 10)), "speed": ("{} sheets", 20, 200, 10, ())}),
    Market("a route to the coast", "toll", {"toll": ("${}", 0, 60, 1, ()), "time": ("{} hours", 2, 15, 1, (5, 10, 20)), "changes": ("{} changes", 0, 6, 1, (3, 8)), "seats": ("{} seats", 1, 60, 1, ())}),
    Market("a storage hall", "rent", {"rent": ("${}", 300, 3000, 50, ()), "distance": ("{} km", 1, 60, 1, (5, 10, 15)), "repairs": ("{} repairs", 0, 8, 1, (40, 80)), "size": ("{} square metres", 50, 900, 10, ())}),
    Market("a caterer", "price", {"price": ("${}", 100, 900, 10, ()), "complaints": ("{} complaints", 0, 9, 1, (10, 25)), "dishes": ("{} dishes", 2, 14, 1, ()), "lead": ("{} days", 1, 21, 1, (4, 6))}),
    Market("a web host", "fee", {"fee": ("${}", 5, 120, 1, ()), "outages": ("{} outages", 0, 12, 1, (2, 5, 10)), "delay": ("{} ms", 10, 300, 10, (1, 2)), "space": ("{} GB", 10, 500, 10, ())}),
    Market("a used tractor", "price", {"price": ("${}", 2000, 20000, 250, ()), "age": ("{} years", 1, 30, 1, (50, 100, 200)), "faults": ("{} faults", 0, 8, 1, (100, 300)), "power": ("{} hp", 20, 150, 5, ())}),
    Market("a language course", "fee", {"fee": ("${}", 50, 800, 10, ()), "trip": ("{} minutes", 0, 90, 5, (1, 2, 3)), "class": ("{} learners", 2, 25, 1, (4, 10)), "lessons": ("{} lessons", 6, 60, 2, ())}),
    Market("a carrier for a crate", "price", {"price": ("${}", 20, 400, 5, ()), "transit": ("{} days", 1, 20, 1, (3, 5, 10)), "losses": ("{} losses", 0, 6, 1, (10, 30)), "insured": ("{} percent", 0, 100, 5, ())}),
    Market("a timber supplier", "price", {"price": ("${}", 500, 6000, 50, ()), "moisture": ("{} percent", 8, 35, 1, (10, 20)), "delay": ("{} weeks", 0, 12, 1, (50, 100)), "stock": ("{} planks", 100, 2000, 50, ())}),
)  # fmt: skip
COSTS = (
    "Cost of {what}: the {price} plus {parts}. The lowest total wins.",
    "Take the lowest total, where the total is {price} plus {parts}.",
    "To compare, add to the {price}: {parts}. Less is better.",
)
PENALTIES = (
    "Penalty points: {parts}, added up. The fewest points win.",
    "We count minus points, {parts}, and take whoever has fewest.",
    "Score each offer by {parts}, added up; the lower the sum, the better.",
)
UPPER = ("{name} of at most {bound}", "{name} not above {bound}", "{name} up to {bound}")
LOWER = ("{name} of at least {bound}", "{name} not below {bound}", "{name} from {bound} up")
LEAST = (
    "Among offers with {limits}, the lowest {target} wins.",
    "Only offers with {limits} count; of these take the one with the lowest {target}.",
    "We insist on {limits}. Then the smallest {target} decides.",
)
MOST = (
    "Among offers with {limits}, the highest {target} wins.",
    "Only offers with {limits} count; of these take the one with the highest {target}.",
    "We insist on {limits}. Then the largest {target} decides.",
)
OFFER = (
    "{name} offers: {parts}.",
    "{name}: {parts}.",
    "From {name} we have {parts}.",
    "At {name} it is {parts}.",
)
BEST = (
    "Which offer wins?", "Which one should be taken?", "Pick the best offer by the rule.",
    "Who gets the order?", "Which is the right choice?",
)  # fmt: skip
IS_BEST = (
    "Is {name} the best choice?", "Does {name} win by the rule?", "Should the order go to {name}?",
    "Somebody suggests {name}. Is it the right pick?",
)  # fmt: skip
FITS = (
    "Does {name} meet the limits?",
    "Is {name} within what is insisted on?",
    "May {name} be considered at all?",
)
HOW_MANY = (
    "How many offers meet the limits?",
    "How many can be considered?",
    "Number of offers within the limits?",
)
BETTER = (
    "Does {a} do better than {b}?",
    "Is {a} ahead of {b} by the rule?",
    "Is the total of {a} lower than that of {b}?",
)
TOTAL = (
    "What is the total for {name}?",
    "What does {name} come to under the rule?",
    "Sum for {name}?",
)
PLACE = (
    "Where does {name} rank?",
    "Which place has {name}, the last level being the best?",
    "Rank of {name}?",
)

SOURCE = Source(
    name=NAME,
    licence="CC0-1.0",
    read=read,
    about="our own generator: options with stated costs, penalties and limits",
    kind="generator",
    cap=20_000,
)
