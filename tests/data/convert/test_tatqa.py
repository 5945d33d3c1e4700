"""TAT-QA answers stand once among values of their own type, from their own document."""

from typing import Any

import pytest
from support.samples import asked, examples, gold, of_kind, options, write_json

from steelyard.data.ask import NONE_OF_THESE
from steelyard.data.convert.tatqa import SCALES, SOURCE, TYPES
from steelyard.types.example import Example

TABLE = [
    ["", "2019", "2018", "2017"],
    ["Fixed price", "$  1,452.4", "$  1,146.2", "$ 1,036.9"],
    ["Other", "44.1", "56.7", "(70.8)"],
    ["Margin", "12%", "15%", "9%"],
]


def item(question: str, kind: str, answer: Any, scale: str = "", how: str = "") -> dict[str, Any]:
    return {
        "question": question,
        "answer_type": kind,
        "answer": answer,
        "scale": scale,
        "derivation": how,
    }


ITEMS = [
    item("What is Fixed price in 2019?", "span", ["$1,452.4"], "million"),
    item("In which year is Other largest?", "span", ["2018"]),
    item("What is the margin in 2017?", "span", ["9%"]),
    item("What is the change in Other from 2018 to 2019?", "arithmetic", -12.6, "", "44.1-56.7"),
    item("How many years exceed 50?", "count", "2"),
    item("Which years are shown?", "multi-span", ["2019", "2018"]),
]
DOCUMENT = {
    "table": {"uid": "t1", "table": TABLE},
    "paragraphs": [{"uid": "p", "order": 1, "text": "In millions."}],
    "questions": ITEMS,
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Example]:
    folder = tmp_path_factory.mktemp("train")
    write_json(folder / "tatqa/tatqa_dataset_dev.json.gz", [DOCUMENT])
    return examples(SOURCE, folder, seeds=40)


def choices(found: list[Example], question: str) -> list[Example]:
    """Those that ask for the answer itself, with the right one among the options."""
    return [
        example
        for example in of_kind(found, "choice")
        if question in asked(example)
        and not set(options(example)) <= {*SCALES, *TYPES}
        and gold(example) not in NONE_OF_THESE
    ]


def values(found: list[Example], question: str) -> set[str]:
    return {
        label.removesuffix(" million")
        for example in choices(found, question)
        for label in options(example)
        if label not in NONE_OF_THESE
    }


def test_amounts_stand_among_amounts_without_currency_signs(found: list[Example]) -> None:
    question = "What is Fixed price in 2019?"
    assert {gold(e).removesuffix(" million") for e in choices(found, question)} == {"1,452.4"}
    others = {"1,146.2", "1,036.9", "44.1", "56.7", "-70.8"}
    assert values(found, question) == {"1,452.4", *others}


def test_years_stand_among_years_and_percentages_among_percentages(found: list[Example]) -> None:
    assert values(found, "In which year is Other largest?") == {"2017", "2018", "2019"}
    assert values(found, "What is the margin in 2017?") == {"12%", "15%", "9%"}


def test_computed_answers_stand_among_other_differences(found: list[Example]) -> None:
    question = "What is the change in Other from 2018 to 2019?"
    assert {gold(example) for example in choices(found, question)} == {"-12.6"}
    wrong = values(found, question) - {"-12.6"}
    assert wrong
    assert "12.6" not in wrong
    assert wrong <= {"114.9", "-114.9", "109.3", "-109.3"}


def test_counts_stand_among_nearby_numbers(found: list[Example]) -> None:
    assert {gold(example) for example in choices(found, "How many years exceed 50?")} == {"2"}


def test_members_of_a_list_are_confirmed_and_others_not(found: list[Example]) -> None:
    member = [e for e in of_kind(found, "noul") if "is part of the answer" in asked(e)]
    assert member
    for example in member:
        assert (example.gold == 0) == (not asked(example).startswith("2017"))


def test_scale_and_type_are_what_the_document_says(found: list[Example]) -> None:
    named = [e for e in of_kind(found, "choice") if set(options(e)) in ({*SCALES}, {*TYPES})]
    first = [e for e in named if "Fixed price" in asked(e)]
    assert {gold(example) for example in first} == {"million", "span"}
    assert {gold(e) for e in named if "How many years" in asked(e)} == {"count"}


def test_a_document_is_a_group(found: list[Example]) -> None:
    assert {(example.group, example.licence) for example in found} == {("t1", "CC-BY-4.0")}
