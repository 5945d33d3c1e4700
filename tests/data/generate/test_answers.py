"""Answers of the generators, computed again in another way, most from the rendered text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from random import Random

import pytest
from support.generators import drawn

from steelyard.data.generate import (
    records,
    routing,
    rules,
    severity,
)
from steelyard.data.generate.domains import DOMAINS
from steelyard.data.generate.facts import Flag, Label, Number, about, check, draw_condition
from steelyard.data.generate.render import as_text, render
from steelyard.data.generate.unknowable import ABSTAIN
from steelyard.types.example import Example
from steelyard.types.question import Choice, Noul

SIGNS = {
    "above": ("is above", "is more than", "exceeds", "is over"),
    "from": ("is at least", "is no less than", "reaches"),
    "below": ("is below", "is less than", "is under"),
    "upto": ("is at most", "is no more than", "does not exceed"),
}


@pytest.mark.parametrize("seed", range(5))
def test_checks_agree_with_their_own_words(seed: int) -> None:
    rng = Random(seed)
    for domain in DOMAINS:
        facts = domain.draw(rng)
        for attribute in domain.attributes:
            query = check(attribute, facts, "the thing", rng)
            assert isinstance(query.instructions, str)
            asked = query.instructions.lower()
            assert read_clause(attribute, facts[attribute.key], asked) == (query.answer == "yes")


def read_clause(attribute: Flag | Label | Number, value: object, asked: str) -> bool:
    """Whether a clause in a question is true of a value, from the words alone."""
    if isinstance(attribute, Flag):
        said = [text for text in (attribute.true, attribute.false) if text.lower() in asked]
        return (max(said, key=len) == attribute.true) == value
    if isinstance(attribute, Label):
        found = [name for name in attribute.values if f" is {name.lower()}" in asked]
        return value == max(found, key=len)
    (sign,) = [
        key
        for key, words in SIGNS.items()
        for word in words
        if f"{attribute.noun} {word} " in asked
    ]
    number = int(
        re.findall(r"[\d,]+", asked.split(attribute.noun.lower(), 1)[1])[0].replace(",", "")
    )
    assert isinstance(value, int)
    return {
        "above": value > number,
        "from": value >= number,
        "below": value < number,
        "upto": value <= number,
    }[sign]


def test_bands_hold_the_value_that_they_are_said_to_hold() -> None:
    rng = Random(5)
    seen = 0
    for _ in range(400):
        domain = rng.choice(DOMAINS)
        facts = domain.draw(rng)
        attribute = rng.choice([a for a in domain.attributes if isinstance(a, Number)])
        query = about(attribute, facts, "the thing", rng)
        if not query.ordered:
            continue
        seen += 1
        numbers = [int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*\d|\d", query.answer)]
        value = facts[attribute.key]
        assert isinstance(value, int)
        if re.match(r"(below|less|under)", query.answer):
            assert value < numbers[0]
        else:
            assert value >= numbers[0] and (len(numbers) == 1 or value < numbers[1])
    assert seen > 50


def test_every_rendering_tells_every_number() -> None:
    rng = Random(8)
    for _ in range(300):
        domain = rng.choice(DOMAINS)
        facts = domain.draw(rng)
        text = as_text(render(domain, facts, rng))
        for attribute in domain.attributes:
            if isinstance(attribute, Number):
                value = facts[attribute.key]
                assert isinstance(value, int)
                spelt = [
                    "zero",
                    "one",
                    "two",
                    "three",
                    "four",
                    "five",
                    "six",
                    "seven",
                    "eight",
                    "nine",
                    "ten",
                    "eleven",
                    "twelve",
                ]
                words = {f"{value:,}", str(value)} | ({spelt[value]} if value < 13 else set())
                assert any(re.search(rf"(?<![\d,]){word}(?![\d])", text) for word in words)


def test_conditions_and_their_negations_split_everything() -> None:
    rng = Random(1)
    for _ in range(500):
        domain = rng.choice(DOMAINS)
        condition = draw_condition(rng.choice(domain.attributes), rng)
        facts = domain.draw(rng)
        assert condition.holds(facts) != condition.negated().holds(facts)


def test_the_first_rule_that_applies_decides() -> None:
    rng = Random(2)
    for _ in range(300):
        domain = rng.choice(DOMAINS)
        policy = rules.draw_policy(domain, rng)
        facts = domain.draw(rng)
        outcome = policy.default
        for rule in reversed(policy.rules):
            met = sum(holds(c, facts) for c in rule.conditions) == len(rule.conditions)
            if met and (rule.exception is None or not holds(rule.exception, facts)):
                outcome = rule.outcome
        assert policy.decide(facts) == outcome


def test_leaves_of_a_tree_exclude_one_another_and_cover_everything() -> None:
    rng = Random(3)
    for _ in range(200):
        domain = rng.choice(DOMAINS)
        leaves = rules.draw_tree(domain, rng)
        for _ in range(10):
            facts = domain.draw(rng)
            met = [leaf for leaf in leaves if all(holds(c, facts) for c in leaf.path)]
            assert met == [rules.leaf_of(leaves, facts)]


def holds(condition: object, facts: object) -> bool:
    """A condition judged from its words."""
    words = condition.words(Random(0)).lower()  # type: ignore[attr-defined]
    attribute = condition.attribute  # type: ignore[attr-defined]
    value = facts[attribute.key]  # type: ignore[index]
    if " is not " in words and isinstance(attribute, Label):
        return not read_clause(attribute, value, words.replace(" is not ", " is "))
    return read_clause(attribute, value, words)


def test_points_are_added_and_cut_off() -> None:
    rng = Random(4)
    for _ in range(300):
        domain = rng.choice(DOMAINS)
        rubric = severity.draw_points(domain, rng.randint(2, 6), rng)
        facts = domain.draw(rng)
        total = rubric.start
        for condition, points in rubric.terms:
            total += points if holds(condition, facts) else 0
        assert rubric.level(facts) == sorted((0, total, rubric.top))[1]


def test_shares_within_a_margin_are_counted() -> None:
    assert severity.margin_shares(10, 2, 1, [9, 12]) == [
        Fraction(1, 5), Fraction(3, 5), Fraction(1, 5),
    ]  # fmt: skip
    assert severity.margin_shares(100, 50, 50, [150]) == [Fraction(2, 3), Fraction(1, 3)]


def test_the_highest_step_of_a_ladder_counts() -> None:
    rng = Random(6)
    for _ in range(200):
        domain = rng.choice(DOMAINS)
        tests = [draw_condition(a, rng) for a in domain.attributes[:4]]
        facts = domain.draw(rng)
        level = 0
        for index, test in enumerate(tests):
            level = index + 1 if holds(test, facts) else level
        assert severity.ladder_level(tests, facts) == level


def test_records_are_resolved_field_by_field() -> None:
    rng = Random(7)
    for _ in range(200):
        domain = rng.choice(DOMAINS)
        found = records.draw_records(domain.attributes, domain.draw(rng), rng)
        for rule, best in (("latest", max), ("earliest", min)):
            resolved = records.resolve(found, rule)
            for key in {key for record in found for key in record.facts}:
                holders = [record for record in found if key in record.facts]
                assert resolved[key] == best(holders, key=lambda r: r.day).facts[key]
        for key, value in records.resolve(found, "order").items():
            assert value == next(r.facts[key] for r in found if key in r.facts)


def test_the_first_override_sends_a_ticket_elsewhere() -> None:
    rng = Random(8)
    topics = [topic for house in routing.TOPICS.values() for topic in house]
    for _ in range(300):
        overrides = routing.draw_overrides(rng)
        ticket = routing.draw_ticket(rng.choice(topics), rng)
        queue = ticket.topic.name
        for rule in reversed(overrides):
            value = getattr(ticket, rule.field)
            if (rule.field == "wait" and value > rule.value) or value == rule.value != ticket.wait:
                queue = rule.queue
        assert routing.destination(ticket, overrides) == queue


def test_topics_have_names_and_sentences_of_their_own() -> None:
    topics = [topic for house in routing.TOPICS.values() for topic in house]
    assert len({topic.name for topic in topics}) == len(topics) == 48
    assert len({line for topic in topics for line in topic.says}) == 4 * 48


def test_twins_differ_in_one_fact_and_abstain_without_it() -> None:
    groups: dict[str, list[Example]] = {}
    for example in drawn("unknowable"):
        groups.setdefault(example.group, []).append(example)
    groups.popitem()  # cut off within
    for rows in groups.values():
        texts = list(dict.fromkeys(str(row.state) for row in rows))
        assert len(texts) == 2
        flat = [row for row in rows if max(row.target) - min(row.target) < 1e-9]
        assert len({str(row.state) for row in flat}) <= 1
        abstaining = [row for row in rows if gold_text(row) in (*ABSTAIN,)]
        assert {str(row.state) for row in (*flat, *abstaining)} == {silent_state(rows)}


def silent_state(rows: list[Example]) -> str:
    """The state of which the question "does the text tell" has the answer no."""
    (state,) = {
        str(row.state)
        for row in rows
        if isinstance(row.question, Noul)
        and is_telling(str(row.question.instructions))
        and row.target[0] < 0.4
    }
    return state


def is_telling(asked: str) -> bool:
    starts = (
        "Does the information given tell",
        "Can one find out",
        "Is enough said",
        "Does the text state or imply",
    )
    return asked.startswith(starts)


def gold_text(row: Example) -> str:
    return list(row.question.criteria)[row.gold] if isinstance(row.question, Choice) else ""


def attacked() -> Iterator[Example]:
    return iter(drawn("injections"))


def test_an_attack_never_demands_the_right_answer_of_the_first_question() -> None:
    first: dict[str, Example] = {}
    for example in attacked():
        first.setdefault(example.group, example)
    demanded = 0
    for example in first.values():
        if not isinstance(example.question, Choice):
            continue
        text = str(example.state).lower()
        for label in example.question.criteria:
            if re.search(
                rf'(answer|be|with|choose|output:|give|select|say) "{re.escape(label.lower())}"',
                text,
            ):
                demanded += 1
                assert label != list(example.question.criteria)[example.gold]
    assert demanded > 30
