import pytest
from support.corpora import choices, drawn, gold_label, nouls, write_json

from steelyard.data.convert import pubmedqa

ANSWERS = ["yes", "no", "maybe"]


def row(index):
    return {
        "QUESTION": f"Does drug {index} help?",
        "CONTEXTS": [f"We gave drug {index}.", f"Result {index} was seen."],
        "LABELS": ["METHODS", "RESULTS"],
        "MESHES": ["Humans", f"Heading {index}"],
        "final_decision": ANSWERS[index % 3],
        "LONG_ANSWER": "GIVEN AWAY",
    }


@pytest.fixture
def examples(tmp_path):
    rows = {str(100 + index): row(index) for index in range(12)}
    write_json(tmp_path, "pubmedqa/ori_pqal_train500.json.gz", rows)
    return [e for e in drawn(pubmedqa.SOURCE, tmp_path) if e.group in ("100", "101", "102")]


def test_the_decision_is_the_target(examples):
    for example in choices(examples):
        if set(example.question.criteria) == set(ANSWERS):
            assert gold_label(example) == ANSWERS[int(example.group) - 100]


def test_maybe_is_an_even_chance(examples):
    asked = [e for e in nouls(examples) if "Does drug 2 help?" in e.question.instructions]
    judged = [e for e in asked if e.group == "102" and 0.1 < e.target[0] < 0.9]
    assert judged
    assert {round(e.target[0], 9) for e in judged} == {0.5}


def test_the_conclusion_is_not_shown_and_common_headings_are_not_asked_for(examples):
    for example in examples:
        assert "GIVEN AWAY" not in str(example)
        assert "Humans" not in str(example.question)


def test_the_meanings_are_of_the_answers():
    assert tuple(pubmedqa.MEANINGS) == pubmedqa.ANSWERS
