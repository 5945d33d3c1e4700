from support.corpora import choices, drawn, gold_text, nouls, write_jsonl

from steelyard.data.ask import NONE_OF_THESE
from steelyard.data.convert import commonsenseqa

TEXTS = ["race track", "populated areas", "the desert", "apartment", "roadblock"]
ROW = {
    "answerKey": "B",
    "id": "61fe",
    "question": {
        "question_concept": "people",
        "choices": [{"label": a, "text": b} for a, b in zip("ABCDE", TEXTS, strict=True)],
        "stem": "Sammy wanted to go to where the people were.  Where might he go?",
    },
}


def test_the_answer_key_names_the_right_text(tmp_path):
    write_jsonl(tmp_path, "commonsenseqa/train_rand_split.jsonl.gz", [ROW])
    examples = drawn(commonsenseqa.SOURCE, tmp_path)
    assert {gold_text(e) for e in choices(examples)} - set(NONE_OF_THESE) == {"populated areas"}
    assert {e.group for e in examples} == {"61fe"}
    for example in nouls(examples):
        shown = f"{example.state} {example.question.instructions}"
        assert (example.target[0] > 0.5) == ("populated areas" in shown)
