from itertools import product
from random import Random

import pytest

from steelyard.data.forward_chaining import (
    VARIABLE,
    ContradictionError,
    Literal,
    Rule,
    closure,
    verdict,
)

KIND, COLD = ("is", "kind"), ("is", "cold")


def lit(subject: str, what: tuple[str, str], positive: bool = True) -> Literal:
    return Literal(subject, *what, positive)


def test_chains_of_rules_are_followed() -> None:
    rules = [
        Rule((lit(VARIABLE, KIND),), lit(VARIABLE, COLD, False)),
        Rule((lit("Ann", COLD, False),), Literal("Ann", "likes", "Bob")),
        Rule((Literal(VARIABLE, "likes", "Bob"),), lit("Bob", KIND)),
    ]
    known = closure([lit("Ann", KIND)], rules)
    assert verdict(lit("Bob", KIND), known) == "true"
    assert verdict(lit("Bob", COLD), known) == "false"
    assert verdict(Literal("Bob", "likes", "Ann"), known) == "unknown"


def test_want_of_proof_is_no_proof_of_the_opposite() -> None:
    rule = Rule((lit("Ann", COLD, False),), lit("Ann", KIND))
    known = closure([lit("Bob", COLD)], [rule])
    assert verdict(lit("Ann", KIND), known) == "unknown"


def test_a_theory_that_contradicts_itself_is_an_error() -> None:
    with pytest.raises(ContradictionError):
        closure([lit("Ann", KIND)], [Rule((lit("Ann", KIND),), lit("Ann", KIND, False))])


def random_theory(rng: Random) -> tuple[list[Literal], list[Rule], list[Literal]]:
    names, verbs = ["Ann", "Bob"], [KIND, COLD, ("is", "big")]
    atoms = [lit(name, what, positive) for name, what, positive in
             product(names, verbs, (True, False))]  # fmt: skip
    rules = []
    for _ in range(rng.randint(1, 4)):
        subject = rng.choice([VARIABLE, *names])
        conditions = tuple(
            lit(subject, what, rng.random() < 0.8) for what in rng.sample(verbs, rng.randint(1, 2))
        )
        end = subject if subject == VARIABLE else rng.choice(names)
        rules.append(Rule(conditions, lit(end, rng.choice(verbs), rng.random() < 0.8)))
    return rng.sample(atoms, rng.randint(1, 3)), rules, atoms


def grounded(rules: list[Rule]) -> list[Rule]:
    """Each rule for each name, written apart from the solver."""
    made = []
    for rule in rules:
        for name in ("Ann", "Bob"):
            swap = [
                Literal(name if each.subject == VARIABLE else each.subject, each.verb,
                        each.object, each.positive)
                for each in (*rule.conditions, rule.conclusion)
            ]  # fmt: skip
            made.append(Rule(tuple(swap[:-1]), swap[-1]))
    return made


def test_what_follows_is_what_holds_in_every_closed_set_of_literals() -> None:
    """Brute force over all 4,096 sets of the twelve literals: those that hold the facts and are
    closed under the rules; what follows is their intersection."""
    rng = Random(0)
    settled = 0
    for _ in range(12):
        facts, rules, atoms = random_theory(rng)
        index = {atom: 1 << place for place, atom in enumerate(atoms)}
        base = sum(index[fact] for fact in set(facts))
        masks = [
            (sum(index[c] for c in set(rule.conditions)), index[rule.conclusion])
            for rule in grounded(rules)
        ]
        common = (1 << len(atoms)) - 1
        for chosen in range(1 << len(atoms)):
            if chosen & base == base and all(
                chosen & needs != needs or chosen & gives for needs, gives in masks
            ):
                common &= chosen
        follows = {atom for atom in atoms if common & index[atom]}
        if any(atom.opposite in follows for atom in follows):
            with pytest.raises(ContradictionError):
                closure(facts, rules)
        else:
            settled += 1
            assert closure(facts, rules) == follows
    assert settled > 4
