"""Answers of the generators, computed again in another way, most from the rendered text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from fractions import Fraction
from itertools import permutations, product
from random import Random

import numpy as np
import pytest
from support.generators import drawn

from steelyard.data.generate import (
    chance,
    counting,
    dates,
    ordering,
    records,
    routing,
    rules,
    severity,
    tradeoffs,
)
from steelyard.data.generate.domains import DOMAINS
from steelyard.data.generate.facts import Flag, Label, Number, about, check, draw_condition
from steelyard.data.generate.render import as_text, render
from steelyard.data.generate.unknowable import ABSTAIN
from steelyard.types.example import Example
from steelyard.types.question import Choice, Noul, Score

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


def test_business_days_are_those_of_numpy() -> None:
    rng = Random(9)
    for _ in range(300):
        first = date.fromordinal(rng.randint(737000, 740000))
        count = rng.randint(1, 40)
        start = np.busday_offset(np.datetime64(first), 0, roll="backward")
        due = dates.add_business(first, count)
        assert np.datetime64(due) == np.busday_offset(start, count)
        assert dates.business_days(first, due) == count


def test_answers_about_dated_files_follow_from_the_file() -> None:
    seen: Counter[str] = Counter()
    for example in drawn("dates"):
        if not isinstance(example.state, dict):
            continue
        found = example.state["dates"]
        assert isinstance(found, dict)
        days = {name: read_date(str(text)) for name, text in found.items()}
        question = example.question
        asked = str(question.instructions)
        if isinstance(question, Choice) and asked in dates.EARLIEST + dates.LATEST:
            best = min if asked in dates.EARLIEST else max
            assert list(question.criteria)[example.gold] == best(days, key=days.__getitem__)
            seen["extreme"] += 1
        elif isinstance(question, Choice) and "days" in asked:
            a, b = sorted(days, key=lambda name: (name not in asked, -len(name)))[:2]
            gap = abs((days[a] - days[b]).days)
            assert list(question.criteria)[example.gold] == str(gap)
            seen["gap"] += 1
        elif isinstance(question, Choice) and "week" in asked:
            (name,) = [name for name in days if f"the {name}" in asked]
            assert list(question.criteria)[example.gold] == days[name].strftime("%A")
            seen["weekday"] += 1
    assert min(seen.values()) > 5 and len(seen) == 3


def read_date(text: str) -> datetime:
    for form in dates.FORMATS:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    raise AssertionError(text)


def test_counts_lie_in_the_range_that_is_the_answer() -> None:
    rng = Random(10)
    for _ in range(500):
        count = rng.randint(0, 30)
        query = counting.graded_count("things", count, rng)
        numbers = [int(text) for text in re.findall(r"\d+", query.answer)]
        low, high = numbers[0], numbers[-1]
        assert low <= count <= (10**9 if query.answer.endswith("or more") else high)
        query = counting.at_least("things", count, rng)
        (bound,) = map(int, re.findall(r"\d+", str(query.instructions)))
        asked = str(query.instructions)
        if "at least" in asked or "or more" in asked:
            truth = count >= bound
        elif "fewer" in asked or "below" in asked:
            truth = count < bound
        else:
            truth = count == bound
        assert (query.answer == "yes") == truth


def test_answers_about_stock_follow_from_the_list() -> None:
    seen = 0
    for example in drawn("counting"):
        body, question = example.state, example.question
        if not isinstance(body, list) or not isinstance(question, Choice):
            continue
        asked = str(question.instructions)
        entries = [entry for entry in body if isinstance(entry, dict) and "pieces" in entry]
        if not entries or "frequent" in asked or "most" in asked:
            continue
        seen += 1
        total = 0
        kinds = [str(e["colour"]) for e in entries if f" {e['colour']} " in asked]
        places = [str(e["place"]) for e in entries if str(e["place"]) in asked]
        things = [str(e["item"]) for e in entries if f"{e['item']}s" in re.split(r"\W+", asked)]
        for entry in entries:
            fits = not kinds or entry["colour"] in kinds
            fits &= not places or entry["place"] in places
            fits &= not things or entry["item"] in things
            total += int(str(entry["pieces"])) if fits else 0
        assert list(question.criteria)[example.gold] == str(total), asked
    assert seen > 20


def test_comparisons_allow_exactly_the_order_that_is_asked_about() -> None:
    rng = Random(11)
    for _ in range(60):
        text, order, (more, _) = ordering.chain(rng)
        (relation,) = [r for r in ordering.RELATIONS if r[0] == more]
        pairs = []
        for template in (*relation[2], *relation[3]):
            pattern = re.escape(template)
            pattern = pattern.replace(r"\{a\}", r"(?P<a>\w+)").replace(r"\{b\}", r"(?P<b>\w+)")
            pairs += [(m["a"], m["b"]) for m in re.finditer(pattern, str(text))]
        fitting = [
            line
            for line in permutations(order)
            if all(line.index(a) < line.index(b) for a, b in pairs)
        ]
        assert fitting == [tuple(order)]


def test_numbers_are_sorted_from_the_top() -> None:
    rng = Random(12)
    for _ in range(100):
        body, order, _ = ordering.numbers(rng)
        if isinstance(body, dict):
            (table,) = body.values()
            assert isinstance(table, dict)
            values = [int(str(table[name]).split()[0]) for name in order]
            assert values == sorted(values, reverse=True)


def test_a_queue_ends_as_its_story_says() -> None:
    rng = Random(13)
    for _ in range(200):
        text, order, _ = ordering.queue(rng)
        line: list[str] = []
        for sentence in re.split(r"(?<=\.)\s", str(text)):
            follow(sentence, line)
        assert line == order


def follow(sentence: str, line: list[str]) -> None:
    """One sentence of a queue's story, done to the line."""
    names = re.findall(r"\b[A-Z][a-z]+\b", sentence)
    known = [name for name in names if name in line]
    if not line and ":" in sentence:
        line += re.findall(r"[A-Z][a-z]+", sentence.split(":")[1])
    elif re.search(r"swaps|change places|trades", sentence):
        a, b = (line.index(name) for name in known)
        line[a], line[b] = line[b], line[a]
    elif re.search(r"leaves|gives up|steps out", sentence):
        line.remove(known[0])
    elif re.search(r"joins|stands last|queues up", sentence):
        line.append(names[0])
    elif re.search(r"very front|first place", sentence):
        line.insert(0, line.pop(line.index(known[0])))
    elif re.search(r"very end|starts again", sentence):
        line.append(line.pop(line.index(known[0])))


def test_shares_of_an_urn_are_those_of_all_its_draws() -> None:
    counts = {"red": 3, "blue": 2, "green": 1}
    left = chance.after(counts, ("red", "blue"))
    pool = [colour for colour, count in left.items() for _ in range(count)]
    shares = {colour: Fraction(count) for colour, count in left.items()}
    for colour in counts:
        assert chance.part(shares, [colour]) == Fraction(pool.count(colour), len(pool))
    pairs = list(permutations(range(len(pool)), 2))
    both = sum(pool[i] == pool[j] == "red" for i, j in pairs)
    assert chance.two_of(left, "red") == Fraction(both, len(pairs))


def test_the_chance_of_a_sum_is_that_of_all_throws() -> None:
    seen = 0
    for example in drawn("chance"):
        text, asked = str(example.state), str(example.question.instructions)
        if "two" not in text.lower() or ("face" not in text and "sided" not in text):
            continue
        if re.search("at least|not below", text) or "dice" not in text:
            continue
        found = re.search(r"with (\d+) faces|balanced (\d+)-sided", text)
        assert found is not None
        sides = int(found[1] or found[2])
        throws = [sum(pair) for pair in product(range(1, sides + 1), repeat=2)]
        if isinstance(example.question, Score):
            for level, share in zip(example.question.criteria, example.target, strict=True):
                ends = [int(n) for n in str(level).split(" to ")]
                met = sum(ends[0] <= total <= ends[-1] for total in throws)
                assert share == pytest.approx(met / len(throws))
        elif isinstance(example.question, Noul):
            test = dice_test(asked)
            share = sum(map(test, throws)) / len(throws)
            assert example.target[0] == pytest.approx(share)
        seen += 1
    assert seen > 20


def dice_test(asked: str) -> object:
    if "even" in asked:
        return lambda total: total % 2 == 0
    if "three" in asked:
        return lambda total: total % 3 == 0
    bound = int(re.findall(r"\d+", asked)[0])
    return lambda total: total <= bound


def test_the_best_offer_has_the_lowest_value_of_those_allowed() -> None:
    rng = Random(14)
    makers = (tradeoffs.cost_rule, tradeoffs.point_rule, tradeoffs.limit_rule)
    for _ in range(200):
        rule, told, _, ranked, options = tradeoffs.drawn(
            rng.choice(tradeoffs.MARKETS), rng.choice(makers), rng
        )
        best, lowest = "", None
        for name, option in options.items():
            inside = True
            for key, (relation, bound) in rule.limits.items():
                inside &= option[key] <= bound if relation == "max" else option[key] >= bound
            value = sum(option[key] * weight for key, weight in rule.weights.items())
            if inside and (lowest is None or value < lowest):
                best, lowest = name, value
        assert ranked[0] == best
        assert told


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
