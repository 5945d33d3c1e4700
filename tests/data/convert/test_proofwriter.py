"""ProofWriter questions on one rule document share its state, and keep their verdicts."""

import pytest
from support.samples import asked, examples, gold, of_kind, options, write_json

from steelyard.data.convert.proofwriter import SOURCE
from steelyard.data.deduction import NAMES
from steelyard.types.example import Example

CONTEXT = "Anne is big. If someone is big then they are red. Red people are kind."
ASK = "Based on the above information, is the following statement true, false, or unknown? "
OPTIONS = ["A) True", "B) False", "C) Unknown"]
STATEMENTS = {"Anne is kind.": "A", "Anne is not red.": "B", "Anne is cold.": "C"}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Example]:
    folder = tmp_path_factory.mktemp("train")
    rows = [
        {
            "id": f"ProofWriter_AttNeg-OWA-D5-11_Q{n}",
            "context": CONTEXT,
            "question": ASK + text,
            "options": OPTIONS,
            "answer": answer,
        }
        for n, (text, answer) in enumerate(STATEMENTS.items())
    ]
    write_json(folder / "logic_llm/ProofWriter_train.json.gz", rows)
    return examples(SOURCE, folder, seeds=40)


def test_verdicts_are_named_after_the_answer(found: list[Example]) -> None:
    keys = {"A": "true", "B": "false", "C": "unknown"}
    for text, answer in STATEMENTS.items():
        verdicts = [e for e in of_kind(found, "choice") if text in asked(e)]
        assert verdicts
        assert {gold(e) for e in verdicts} <= {names[keys[answer]] for names in NAMES}


def test_all_questions_on_a_document_share_its_state_and_group(found: list[Example]) -> None:
    first = found[: len(found) // 40]
    assert len({str(example.state) for example in first}) == 1
    assert {example.group for example in found} == {"AttNeg-OWA-D5-11"}
    assert {example.licence for example in found} == {"CC-BY-4.0"}


def test_rules_stand_apart_from_facts(found: list[Example]) -> None:
    split = next(e.state for e in found if isinstance(e.state, dict))
    assert split == {
        "facts": ["Anne is big."],
        "rules": ["If someone is big then they are red.", "Red people are kind."],
    }


def test_what_follows_is_the_gold_among_statements(found: list[Example]) -> None:
    which = [e for e in of_kind(found, "choice") if "Anne is kind." in options(e)]
    assert {gold(example) for example in which} == {"Anne is kind."}
