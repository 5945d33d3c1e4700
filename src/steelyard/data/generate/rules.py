"""Policies with exceptions and thresholds, and cases to decide by them.

Twenty domains; policies are ordered lists of 2-5 rules (1-2 conditions, some with an exception;
four layouts, two ways to say that the first match wins) or decision trees of 2-6 leaves whose
outcomes are told in the options' descriptions or in the state; 36 outcomes; 1-3 cases in 11 forms
of render.py; about 40 question wordings: above 10^6 surface forms per policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from steelyard.data.ask import Origin
from steelyard.data.generate.domains import DOMAINS
from steelyard.data.generate.facts import (
    Condition,
    Domain,
    Facts,
    capital,
    check,
    draw_condition,
)
from steelyard.data.generate.render import as_text, code, padding, render
from steelyard.data.generate.rows import Query, one_of, put, rows, yes_no
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

NAME = "rules"


@dataclass(frozen=True, slots=True)
class Rule:
    """If all conditions hold, and the exception does not, then the outcome."""

    conditions: tuple[Condition, ...]
    exception: Condition | None
    outcome: str

    def applies(self, facts: Facts) -> bool:
        if self.exception is not None and self.exception.holds(facts):
            return False
        return all(condition.holds(facts) for condition in self.conditions)

    def words(self, rng: Random) -> str:
        clause = " and ".join(condition.words(rng) for condition in self.conditions)
        if self.exception is not None:
            clause += f", {rng.choice(('unless', 'except where', 'but not if'))} "
            clause += self.exception.words(rng)
        return rng.choice(RULE_WORDS).format(clause=clause, outcome=self.outcome)


@dataclass(frozen=True, slots=True)
class Policy:
    """Rules in order, the first that applies decides; `default` is the outcome if none does."""

    rules: tuple[Rule, ...]
    default: str

    @property
    def outcomes(self) -> list[str]:
        return list(dict.fromkeys([*(rule.outcome for rule in self.rules), self.default]))

    def decide(self, facts: Facts) -> str:
        return next((rule.outcome for rule in self.rules if rule.applies(facts)), self.default)

    def words(self, rng: Random) -> str:
        lines = [rule.words(rng) for rule in self.rules]
        last = rng.choice(DEFAULT_WORDS).format(outcome=self.default)
        first = rng.choice(FIRST_WINS)
        layout = rng.randrange(4)
        if layout == 0:
            numbered = [f"{index}. {line}" for index, line in enumerate([*lines, last], 1)]
            return "\n".join([first, *numbered])
        if layout == 1:
            return " ".join([first, *lines, last])
        if layout == 2:
            return "\n".join([*(f"- {line}" for line in lines), f"- {last}", first])
        lettered = [f"({chr(97 + index)}) {line}" for index, line in enumerate([*lines, last])]
        return "\n".join([*lettered, first])


@dataclass(frozen=True, slots=True)
class Leaf:
    """The end of a branch: all conditions on the way, none of which another leaf meets."""

    path: tuple[Condition, ...]
    outcome: str

    def words(self, rng: Random) -> str:
        return capital(" and ".join(condition.words(rng) for condition in self.path))


def read(folder: Path, rng: Random) -> Iterator[Example]:
    yield from rows(NAME, rng, row)


def row(origin: Origin, rng: Random) -> Iterator[Example]:
    domain = rng.choice(DOMAINS)
    if rng.random() < 0.45:
        yield from tree_row(origin, domain, rng)
    else:
        yield from policy_row(origin, domain, rng)


def draw_policy(domain: Domain, rng: Random) -> Policy:
    count = rng.randint(2, 5)
    outcomes = rng.sample(OUTCOMES, min(count, 4) + 1)
    made = []
    for index in range(count):
        attributes = rng.sample(domain.attributes, rng.choice((1, 1, 2)) + 1)
        *tests, exempt = (draw_condition(attribute, rng) for attribute in attributes)
        exception = exempt if rng.random() < 0.4 else None
        made.append(Rule(tuple(tests), exception, outcomes[min(index, 3)]))
    return Policy(tuple(made), outcomes[-1])


def draw_case(domain: Domain, policy: Policy, rng: Random) -> Facts:
    """Facts whose outcome was drawn first, so that all outcomes are about equally frequent."""
    wanted = rng.choice(policy.outcomes)
    facts = domain.draw(rng)
    for _ in range(40):
        if policy.decide(facts) == wanted:
            break
        facts = domain.draw(rng)
    return facts


def policy_row(origin: Origin, domain: Domain, rng: Random) -> Iterator[Example]:
    policy = draw_policy(domain, rng)
    told = policy.words(rng)
    count = rng.choice((1, 1, 1, 2, 3))
    cases: dict[str, Facts] = {}
    while len(cases) < count:
        cases[f"{domain.thing} {code(rng)}"] = draw_case(domain, policy, rng)
    bodies: list[Content] = [
        render(domain, facts, rng, name=name, extra=padding(rng) if count == 1 else ())
        for name, facts in cases.items()
    ]
    state: Content
    apart = count == 1 and rng.random() < 0.4
    if apart:
        state = bodies[0]
    elif count == 1 and isinstance(bodies[0], dict) and rng.random() < 0.7:
        state = {"policy": told, "case": bodies[0]}
    else:
        title = rng.choice(TITLES).format(domain=domain.name)
        texts = [as_text(body) for body in bodies]
        parts = [f"{title}\n{told}", *texts] if rng.random() < 0.7 else [*texts, f"{title}\n{told}"]
        state = "\n\n".join(parts)
    for query in policy_questions(domain, policy, cases, rng):
        asked = f"{told}\n\n{query.instructions}" if apart else query.instructions
        yield put(origin, state, Query(asked, query.options, query.gold, criteria=query.criteria))


def policy_questions(
    domain: Domain, policy: Policy, cases: dict[str, Facts], rng: Random
) -> Iterator[Query]:
    for name, facts in cases.items():
        short = name if len(cases) > 1 else f"the {domain.thing}"
        outcome = policy.decide(facts)
        others = [text for text in policy.outcomes if text != outcome]
        yield one_of(rng.choice(WHICH).format(name=short), outcome, others, rng)
        right = rng.random() < 0.5
        claimed = outcome if right else rng.choice(others)
        yield yes_no(rng.choice(IS_IT).format(name=short, outcome=claimed), right)
        if len(cases) == 1:
            rule = rng.choice(policy.rules)
            if rule.exception is not None:
                holds = rule.exception.holds(facts)
                clause = rule.exception.words(rng)
                yield yes_no(rng.choice(TRIGGERED).format(clause=clause, name=short), holds)
            yield check(rng.choice(domain.attributes), facts, short, rng)
    if len(cases) > 2:
        outcome = rng.choice(policy.outcomes)
        met = [name for name, facts in cases.items() if policy.decide(facts) == outcome]
        wrong = [str(k) for k in range(len(cases) + 1) if k != len(met)]
        asked = rng.choice(HOW_MANY).format(outcome=outcome)
        yield one_of(asked, str(len(met)), wrong, rng)


def draw_tree(domain: Domain, rng: Random) -> list[Leaf]:
    """Leaves that exclude one another and cover everything, each with its own outcome."""
    size = rng.choice((2, 3, 3, 4, 4, 5, 6))
    paths: list[tuple[Condition, ...]] = [()]
    while len(paths) < size:
        shortest = min(len(path) for path in paths)
        path = rng.choice([path for path in paths if len(path) <= shortest])
        used = {condition.attribute.key for condition in path}
        attribute = rng.choice([a for a in domain.attributes if a.key not in used])
        condition = draw_condition(attribute, rng)
        paths.remove(path)
        paths += [(*path, condition), (*path, condition.negated())]
    outcomes = rng.sample(OUTCOMES, size)
    return [Leaf(path, outcome) for path, outcome in zip(paths, outcomes, strict=True)]


def leaf_of(leaves: Sequence[Leaf], facts: Facts) -> Leaf:
    (met,) = [leaf for leaf in leaves if all(c.holds(facts) for c in leaf.path)]
    return met


def tree_row(origin: Origin, domain: Domain, rng: Random) -> Iterator[Example]:
    leaves = draw_tree(domain, rng)
    wanted = rng.choice(leaves)
    facts = domain.draw(rng)
    for _ in range(60):
        if leaf_of(leaves, facts) is wanted:
            break
        facts = domain.draw(rng)
    leaf = leaf_of(leaves, facts)
    thing = f"the {domain.thing}"
    state = render(domain, facts, rng, extra=padding(rng))
    described = {other.outcome: other.words(rng) for other in leaves}
    others = [other.outcome for other in leaves if other is not leaf]
    asked = rng.choice(WHICH).format(name=thing)
    yield put(origin, state, one_of(asked, leaf.outcome, others, rng, describe=described))
    if rng.random() < 0.5:
        told = [
            f"{capital(outcome)}: if {text[:1].lower() + text[1:]}."
            for outcome, text in described.items()
        ]
        rng.shuffle(told)
        asked = f"{' '.join(told)} {rng.choice(WHICH).format(name=thing)}"
        yield put(origin, state, one_of(asked, leaf.outcome, others, rng))
    right = rng.random() < 0.5
    claimed = leaf if right else rng.choice([other for other in leaves if other is not leaf])
    clause = claimed.words(rng)
    style = rng.randrange(3)
    if style == 0:
        criteria = {"true": f"{clause}.", "false": "One of these conditions fails."}
        asked = rng.choice(IS_IT_BARE).format(name=thing, outcome=claimed.outcome)
        yield put(origin, state, yes_no(asked, right, criteria=criteria))
    elif style == 1:
        asked = f"The rule: {claimed.outcome} exactly if {clause[:1].lower() + clause[1:]}. "
        asked += rng.choice(IS_IT_BARE).format(name=thing, outcome=claimed.outcome)
        yield put(origin, state, yes_no(asked, right))
    else:
        asked = f"Do all of these hold for {thing}: {clause[:1].lower() + clause[1:]}?"
        yield put(origin, state, yes_no(asked, right))
    for attribute in rng.sample(domain.attributes, rng.randint(0, 2)):
        yield put(origin, state, check(attribute, facts, thing, rng))


OUTCOMES = (
    "accept",
    "refuse",
    "accept with a surcharge",
    "ask for more papers",
    "pass to the supervisor",
    "put on the waiting list",
    "return to sender",
    "decide next week",
    "grant half",
    "call the person",
    "inspect on site",
    "give priority",
    "hand over to the night desk",
    "close without action",
    "send a warning",
    "charge a deposit",
    "offer another date",
    "request a second opinion",
    "apply the reduced rate",
    "log and watch",
    "stop at once",
    "escalate to the board",
    "use the fast lane",
    "archive",
    "start over",
    "take a sample",
    "lock for a day",
    "send a reminder",
    "waive the fee",
    "split into two",
    "notify the partner",
    "ship today",
    "keep in quarantine",
    "assign to the trainee",
    "book an expert",
    "issue a voucher",
)
RULE_WORDS = (
    "If {clause}: {outcome}.",
    "When {clause}, then {outcome}.",
    "In case {clause}, the decision is: {outcome}.",
    "Should it be that {clause} - {outcome}.",
    'The decision is "{outcome}" if {clause}.',
    "Where {clause}, we {outcome}.",
)
DEFAULT_WORDS = (
    "Everything else: {outcome}.",
    "If nothing above fits, {outcome}.",
    "In all other cases the decision is: {outcome}.",
    "Otherwise {outcome}.",
)
FIRST_WINS = (
    "The first rule that fits decides.",
    "Go through the rules from top to bottom and stop at the first that applies.",
    "Rules are read in order; an earlier one outranks a later one.",
)
TITLES = (
    "Policy ({domain})",
    "{domain} rules",
    "House rules, {domain}",
    "How we decide: {domain}",
    "Guideline for the {domain} desk",
    "POLICY",
)
WHICH = (
    "What is to be done with {name}?",
    "Which outcome follows for {name}?",
    "Decide {name}.",
    "What does the policy say about {name}?",
    "Which decision is right for {name}?",
    "Apply the rules to {name}.",
    "Choose the action for {name}.",
    "How is {name} handled?",
)
IS_IT = (
    'Is "{outcome}" the right decision for {name}?',
    "Do the rules lead to this for {name}: {outcome}?",
    'A clerk decided "{outcome}" for {name}. Was that correct?',
    'Should {name} get the outcome "{outcome}"?',
    'For {name}, does the policy say "{outcome}"?',
)
IS_IT_BARE = (
    'Is "{outcome}" right for {name}?',
    'Does "{outcome}" apply to {name}?',
    'Should "{outcome}" be chosen for {name}?',
)
TRIGGERED = (
    "One exception reads: {clause}. Is it met by {name}?",
    "Would {name} fall under an exception for cases where {clause}?",
    "Does it hold for {name} that {clause}?",
)
HOW_MANY = (
    'How many of the cases end with "{outcome}"?',
    'For how many of them is the decision "{outcome}"?',
)

SOURCE = Source(
    name=NAME,
    licence="CC0-1.0",
    read=read,
    about="our own generator: policies with exceptions and thresholds, and cases",
    kind="generator",
    cap=40_000,
)
