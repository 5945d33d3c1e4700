"""LegalBench rows keep their own licence and lose what gives the answer away."""

import pytest
from support.samples import asked, examples, gold, of_kind, write_jsonl

from steelyard.data.convert.legalbench import SOURCE
from steelyard.types.example import Example


def entry(task: str, licence: str, kind: str, summary: str | None, **row: str) -> dict[str, object]:
    return {
        "task": task,
        "license": licence,
        "task_type": kind,
        "task_summary": summary,
        "row": {"index": "0", **row},
    }


BINARY = "Binary classification"
ROWS = [
    entry(
        "cuad_audit_rights",
        "CC By 4.0",
        BINARY,
        "Classify if the clause gives a party the right to audit the books.",
        text="The buyer may inspect all books.",
        answer="Yes",
        document_name="a.pdf",
    ),
    entry(
        "cuad_insurance",
        "CC By 4.0",
        BINARY,
        "Classify if clause creates a requirement for insurance.",
        text="Notices go by post.",
        answer="No",
        document_name="a.pdf",
    ),
    entry(
        "diversity_1",
        "CC BY-SA 4.0",
        BINARY,
        "Determine if the criteria for diversity jurisdiction have been met (variant 1).",
        text="Ann is from Ohio.",
        parties_are_diverse="False",
        aic_is_met="True",
        answer="No",
    ),
    entry(
        "sara_entailment",
        "MIT",
        BINARY,
        "Given a statute, determine if the assertion is entailed.",
        **{"case id": "s1_pos"},
        statute="The rate is 10%.",
        description="Bob earns $50.",
        question="Bob owes $5.",
        text="The rate is 10%. Bob earns $50. Bob owes $5.",
        answer="Entailment",
    ),
    entry(
        "insurance_policy_interpretation",
        "CC BY 4.0",
        "3-way classification",
        "Given an insurance claim and policy, determine whether the claim is covered.",
        policy="Fire is covered.",
        claim="A flood.",
        answer="B",
    ),
    entry("definition_extraction", "CC BY 4.0", "Extraction", "x", text="t", answer="t"),
    entry("maud_knowledge", "CC By 4.0", BINARY, "what counts as Knowledge?", text="t", answer="B"),
]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Example]:
    folder = tmp_path_factory.mktemp("train")
    write_jsonl(folder / "legalbench/legalbench_train_rows.jsonl.gz", ROWS)
    return examples(SOURCE, folder, seeds=30)


def test_extraction_and_unnamed_answers_are_left_out(found: list[Example]) -> None:
    assert {example.group for example in found} == {"0", "2", "3", "4"}


def test_each_row_keeps_its_licence(found: list[Example]) -> None:
    licences = {example.group: example.licence for example in found}
    assert licences == {"0": "CC-BY-4.0", "2": "CC-BY-SA-4.0", "3": "MIT", "4": "CC-BY-4.0"}


def test_clauses_of_one_contract_share_a_group_and_keep_their_answers(
    found: list[Example],
) -> None:
    contract = [example for example in found if example.group == "0"]
    assert {(example.state, example.gold == 0) for example in contract} == {
        ("The buyer may inspect all books.", True),
        ("Notices go by post.", False),
    }


def test_what_gives_the_answer_away_is_not_shown(found: list[Example]) -> None:
    shown = {example.group: example.state for example in found}
    assert shown["2"] == "Ann is from Ohio."
    assert shown["3"] == {
        "statute": "The rate is 10%.",
        "description": "Bob earns $50.",
        "question": "Bob owes $5.",
    }
    assert not any("variant" in asked(example) for example in found)


def test_lettered_answers_are_spelt_out(found: list[Example]) -> None:
    assert {gold(example) for example in of_kind(found, "choice")} == {"not covered"}
