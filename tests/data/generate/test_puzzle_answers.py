"""Answers of the puzzles (dates, counts, orders, odds, offers), computed again in another way."""

from __future__ import annotations

import re
from collections import Counter
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
    tradeoffs,
)
from steelyard.types.question import Choice, Noul, Score


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
