import pytest
from support.examples import choice, noul, score

from steelyard.data.validity import fault, has_entity
from steelyard.types import Choice, Example


def described(options: dict[str, str | None]) -> Example:
    return Example(
        "s", Choice("Which?", options), (1.0, *[0.0] * (len(options) - 1)), "m", "g", "MIT"
    )


@pytest.mark.parametrize(
    ("example", "reason"),
    [
        (choice("s", ["Paris", "the paris."]), "two options are the same answer"),
        (choice("s", ["$1,200", "1200.0"]), "two options are the same answer"),
        (choice("s", ["R&amp;D", "R & D"]), "two options are the same answer"),
        (choice("s", ["Paris", "Paris, Texas"]), None),
        (choice("s", ["only"]), "fewer than two options"),
        (score("s", ["only"]), "fewer than two options"),
        (score("s", ["low", "Low"]), "two levels are the same"),
        (score("s", ["low", "high"]), None),
        (described({"A": "The cat", "B": "cat"}), "two options have the same description"),
        (described({"A": None, "B": None}), None),
        (described({"A": "x", "B": "y"}), None),
        (noul("s"), None),
    ],
)
def test_what_cannot_be_learned_from_is_told(example, reason):
    assert fault(example) == reason


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Tom &amp; Jerry", True),
        ("&#39;", True),
        ("&x27;", False),
        ("a & b; c", False),
        ("R&D", False),
    ],
)
def test_entities_are_seen_in_every_text(text, left):
    examples = [
        choice(text),
        noul("s", text),
        choice("s", [text, "x"]),
        described({"x": text, "y": None}),
        score("s", [text, "x"]),
    ]
    assert [has_entity(example) for example in examples] == [left] * 5
