import pytest
from support.corpora import drawn, write_json

from steelyard.data.convert import rubric_scores
from steelyard.data.source import is_shippable
from steelyard.errors import InputFileError

LEVELS = ["Bad.", "Weak.", "Fair.", "Good.", "Great."]
TEXT = """###Task Description:
An instruction, a response, a reference answer and a rubric are given.

###The instruction to evaluate:
How can I sleep?

###Response to evaluate:
Count sheep.

Score 9: of 10 sheep.

###Reference Answer (Score 5):
Go to bed early.

###Score Rubrics:
[Is the advice sound?]
""" + "\n".join(f"Score {n}: {text}" for n, text in enumerate(LEVELS, start=1))
ROW = {"idx": 1, "instruction": TEXT + "\n\n###Feedback: ", "gpt4_score": [4, 5, 5]}


def test_three_scores_are_votes_over_the_rubrics_levels(tmp_path):
    write_json(tmp_path, "rubric_scores/vicuna_eval.json.gz", [ROW])
    for example in drawn(rubric_scores.SOURCE, tmp_path):
        assert list(example.question.criteria) == LEVELS
        assert example.target == pytest.approx([x / 5.5 for x in (0.5, 0.5, 0.5, 1.5, 2.5)])
        assert example.state["request"] == "How can I sleep?"
        assert example.state["response"].endswith("of 10 sheep.")


def test_a_row_without_a_rubric_is_an_error(tmp_path):
    write_json(tmp_path, "rubric_scores/vicuna_eval.json.gz", [{**ROW, "instruction": "x"}])
    with pytest.raises(InputFileError, match="idx 1: no rubric"):
        drawn(rubric_scores.SOURCE, tmp_path)


def test_scores_by_gpt_4_do_not_ship():
    assert not is_shippable(rubric_scores.SOURCE.licence)
