"""FOLIO conclusions become verdicts, and the one that follows is picked among the others."""

import pytest
from support.samples import asked, examples, gold, of_kind, options, write_jsonl

from steelyard.data.convert.folio import SOURCE
from steelyard.data.deduction import NAMES
from steelyard.types.example import Example

PREMISES = ["All cats purr.", "Tom is a cat. "]
CONCLUSIONS = {"Tom purrs.": "True", "Tom does not purr": "False", "Tom is grey.": "Uncertain"}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Example]:
    folder = tmp_path_factory.mktemp("train")
    rows = [
        {"story_id": 9, "example_id": n, "premises": PREMISES, "conclusion": text, "label": label}
        for n, (text, label) in enumerate(CONCLUSIONS.items())
    ]
    write_jsonl(folder / "folio/folio-train.jsonl.gz", rows)
    return examples(SOURCE, folder, seeds=40)


def test_verdicts_are_named_after_the_label(found: list[Example]) -> None:
    verdicts = [e for e in of_kind(found, "choice") if "Tom purrs." not in options(e)]
    for example in verdicts:
        key = (
            "true"
            if "Tom purrs." in asked(example)
            else "false"
            if "Tom does not purr." in asked(example)
            else "unknown"
        )
        assert gold(example) in {names[key] for names in NAMES}


def test_the_one_that_follows_is_picked_among_the_others(found: list[Example]) -> None:
    which = [e for e in of_kind(found, "choice") if "Tom purrs." in options(e)]
    assert which
    assert {gold(example) for example in which} == {"Tom purrs."}


def test_only_what_is_entailed_follows(found: list[Example]) -> None:
    follows = [e for e in of_kind(found, "noul") if "Does this follow" in asked(e)]
    assert {("Tom purrs." in asked(e), e.gold == 0) for e in follows} == {
        (True, True),
        (False, False),
    }


def test_a_story_is_a_group(found: list[Example]) -> None:
    assert {(example.group, example.licence) for example in found} == {("9", "CC-BY-SA-4.0")}
