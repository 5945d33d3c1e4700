"""What benchmarks conclude from what they measured, on numbers worked by hand."""

from __future__ import annotations

import pytest

from benchmarks.isolation import COMPANY, difference
from benchmarks.packing import waste
from benchmarks.plans import path_and_targets
from benchmarks.shared_prefix import compare
from steelyard.tokens.plan import ROOT, LogitRead, Node, TokenPlan


def plan(branch: tuple[int, ...], root: tuple[int, ...] = (1, 2, 3, 4)) -> TokenPlan:
    read = LogitRead(len(branch) - 1, (7, 8))
    return TokenPlan((Node(root, ROOT, 0), Node(branch, 0, len(root), reads=(read,))))


def test_shared_and_fresh_are_compared_state_by_state() -> None:
    rows = [
        {
            "shared": {"a": 0.2, "b": 0.6},
            "fresh": {"b": 0.6, "a": 0.25},
            "shared_seconds": 1.0,
            "fresh_seconds": 6.0,
            "shared_tokens": 10,
            "fresh_tokens": 50,
        },
        {
            "shared": {"a": 0.51},
            "fresh": {"a": 0.49},
            "shared_seconds": 1.0,
            "fresh_seconds": 10.0,
            "shared_tokens": 10,
            "fresh_tokens": 70,
        },
    ]
    found = compare(rows)
    assert found["decisions"] == 3
    assert found["largest_difference"] == pytest.approx(0.05)
    assert found["flips"] == 1
    assert (found["shared_per_second"], found["fresh_per_second"]) == (1.5, 3 / 16)
    assert found["ratio"] == 8.0
    assert found["ratio_by_state"] == {"median": 8.0, "low": 6.0, "high": 10.0, "n": 2}
    assert found["tokens_ratio"] == 6.0


def test_waste_counts_the_shared_root_once() -> None:
    plans = [plan((5,)), plan((5, 6, 7)), plan((5, 6))]
    found = waste(plans, budget_tokens=100)
    assert (found["needed_tokens"], found["packed_tokens"], found["waste"]) == (10, 10, 0.0)
    assert found["padded_waste"] == pytest.approx((4 + 3 * 3) / 10 - 1)


def test_a_chain_gives_its_tokens_and_label_tokens() -> None:
    assert path_and_targets(plan((5, 6))) == ([1, 2, 3, 4, 5, 6], (7, 8))


def test_company_is_compared_question_by_question() -> None:
    questions = dict.fromkeys(("first", "second"), None)
    seen: list[list[str]] = []

    def ask(asked: dict[str, None]) -> dict[str, dict[str, float]]:
        """Says how many questions were asked: an answer that depends on its company."""
        seen.append(list(asked))
        return {name: {"yes": 0.1 * len(asked)} for name in asked}

    together = ask(questions)
    found = {
        name: difference(together, variant(ask, questions)) for name, variant in COMPANY.items()
    }
    assert found == {
        "again": 0.0,
        "alone": pytest.approx(0.1),
        "reversed order": 0.0,
        "renamed": 0.0,
    }
    assert seen == [
        ["first", "second"],
        ["first", "second"],
        ["first"],
        ["second"],
        ["second", "first"],
        ["certainly yes, first", "certainly yes, second"],
    ]
