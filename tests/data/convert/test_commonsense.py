import pytest
from support.corpora import choices, drawn, gold_text, nouls, write_json

from steelyard.data.ask import NONE_OF_THESE
from steelyard.data.convert import commonsense
from steelyard.errors import InputFileError

FILES = {
    commonsense.ARC_CHALLENGE: "ARC-Challenge_train.json.gz",
    commonsense.ARC_EASY: "ARC-Easy_train.json.gz",
    commonsense.OPENBOOKQA: "openbookqa_train.json.gz",
}


def row(question, answers, gold):
    listed = " ".join(f"Answer{n}: {text}" for n, text in enumerate(answers, start=1))
    form = "/".join(f"answer{n}" for n in range(1, len(answers) + 1))
    return {
        "instruction": f"Please choose the correct answer to the question: {question}\n\n{listed}"
        f"\n\nAnswer format: {form}",
        "input": "",
        "output": f"the correct answer is answer{gold}",
        "answer": f"answer{gold}",
    }


ROWS = [
    row("George wants to warm his hands. Which skin is best?", ["dry", "wet", "oily"], 1),
    row("The sun is responsible for", ["puppies", "plants sprouting", "wars", "socks"], 2),
    row("Which is a metal?", ["iron", "gold", "both iron and gold", "tin"], 3),
]


@pytest.mark.parametrize("source", FILES, ids=lambda source: source.name)
def test_the_parsed_answer_is_right_and_rows_that_refer_to_others_are_left_out(source, tmp_path):
    write_json(tmp_path, f"commonsense/{FILES[source]}", ROWS)
    examples = drawn(source, tmp_path)
    golds = {"0": {"dry"}, "1": {"plants sprouting"}}
    assert {e.group for e in examples} == set(golds)
    for group, right in golds.items():
        shown = {gold_text(e) for e in choices(examples) if e.group == group}
        assert shown - set(NONE_OF_THESE) == right
    for example in nouls(examples):
        text = f"{example.state} {example.question.instructions}"
        assert (example.target[0] > 0.5) == ("dry" in text or "plants sprouting" in text)


def test_the_last_of_several_sentences_is_the_question_in_some(tmp_path):
    write_json(tmp_path, "commonsense/ARC-Easy_train.json.gz", ROWS)
    examples = drawn(commonsense.ARC_EASY, tmp_path)
    split = [e for e in examples if e.state == "George wants to warm his hands."]
    assert "Which skin is best?" in {e.question.instructions for e in split}


def test_licences_follow_the_corpora():
    licences = [source.licence for source in (*FILES, commonsense.BOOLQ)]
    assert licences == ["CC-BY-SA-4.0", "CC-BY-SA-4.0", "Apache-2.0", "CC-BY-SA-3.0"]


def test_an_answer_that_is_not_there_is_an_error(tmp_path):
    write_json(tmp_path, "commonsense/ARC-Easy_train.json.gz", [row("Which?", ["a", "b"], 3)])
    with pytest.raises(InputFileError, match="without its right answer"):
        drawn(commonsense.ARC_EASY, tmp_path)


def boolq(question, answer):
    asked = f"Please answer the following question with true or false, question: {question}"
    return {"instruction": f"{asked}\n\nAnswer format: true/false", "input": "", "answer": answer}


def test_boolq_keeps_its_answers(tmp_path):
    rows = [boolq("is ice cold?", "true"), boolq("is fire cold?", "false")]
    write_json(tmp_path, "commonsense/boolq_train.json.gz", rows)
    examples = drawn(commonsense.BOOLQ, tmp_path)
    for example in nouls(examples):
        shown = f"{example.state} {example.question.instructions}"
        assert (example.target[0] > 0.5) == ("is ice cold?" in shown)
    yes = {gold_text(e) for e in choices(examples) if e.group == "0"}
    assert yes <= {"yes", "true", "Yes", "correct"}
    assert yes
