from support.corpora import choices, drawn, gold_label, nouls, write_json

from steelyard.data.ask import NONE_OF_THESE
from steelyard.data.convert import strategyqa

WORDS = ["moss", "rain", "iron", "opera", "chess", "lava", "wool", "jazz", "salt", "owls"]
ROWS = [
    {
        "qid": "yes1",
        "term": "Genghis Khan",
        "description": "founder of the Mongol Empire",
        "question": "Did Genghis Khan have more children than Caesar?",
        "answer": True,
        "facts": ["Julius Caesar had three children.", "Genghis Khan had sixteen children. "],
    },
    *(
        {
            "qid": f"no{i}",
            "term": word,
            "description": "",
            "question": f"Is {word} number {i} blue?",
            "answer": False,
            "facts": [f"Everybody knows that {word} number {i} is red."],
        }
        for i, word in enumerate(WORDS)
    ),
]


def test_questions_keep_their_answers_and_facts_their_question(tmp_path):
    write_json(tmp_path, "strategyqa/train.json.gz", ROWS)
    examples = [e for e in drawn(strategyqa.SOURCE, tmp_path) if e.group == "yes1"]
    facts = {fact.strip() for fact in ROWS[0]["facts"]}
    for example in choices(examples):
        label = gold_label(example)
        known = label in facts | set(NONE_OF_THESE)
        assert known or label in ("yes", "true", "Yes", "affirmative")
        assert len(facts & set(example.question.criteria)) <= 1
    about_facts = [e for e in nouls(examples) if "number" in e.question.instructions]
    assert all(e.target[0] < 0.1 for e in about_facts)
    assert all(e.target[0] > 0.9 for e in nouls(examples) if e not in about_facts)
    assert any("sixteen" in str(e.state) for e in examples)
    assert any(e.state == ROWS[0]["question"] for e in nouls(examples))
