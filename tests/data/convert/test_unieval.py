import pytest
from support.corpora import choices, drawn, gold_text, nouls, scores, write_json

from steelyard.data.convert import unieval


def test_sentences_keep_their_mean_ratings(tmp_path):
    rated = {"informativeness": 4.5, "naturalness": 1.0, "overall": 6.0}
    row = {"doc_id": 0, "source": "inform(x=1)", "reference": "r", "system_output": "X is 1 ."}
    write_json(tmp_path, "unieval/sfres.json.gz", [{**row, "scores": rated}])
    write_json(tmp_path, "unieval/sfhot.json.gz", [{**row, "scores": rated}])
    examples = drawn(unieval.SENTENCES, tmp_path)
    assert {e.group for e in examples} == {"sfres-0", "sfhot-0"}
    for example in examples:
        aspect = next(
            name
            for name, aspect in unieval.SENTENCE.items()
            if example.question.instructions in aspect.wordings
        )
        mean = 1 + sum(level * share for level, share in enumerate(example.target))
        assert mean == pytest.approx(rated[aspect])


def reply(text, overall, grounded, context="some fact\n"):
    scores = {"understandability": 0.3333333333, "naturalness": 2.0, "coherence": 1.0}
    scores |= {"engagingness": 2.3333333333, "groundedness": grounded, "overall": overall}
    row = {"source": "hi . \n hello ! \n\n", "system_id": "s", "system_output": f"{text} \n"}
    return {**row, "context": context, "scores": scores}


@pytest.fixture
def replies(tmp_path):
    rows = [reply("good one", 5.0, 1.0), reply("fine", 4.0, 0.0), reply("awful", 1.0, 0.0)]
    rows.append(reply("alone", 3.0, 0.0, "_nofact\n"))
    write_json(tmp_path, "unieval/topical_chat.json.gz", rows)
    return drawn(unieval.REPLIES, tmp_path)


def test_shares_of_three_votes_become_chances(replies):
    for example in nouls(replies):
        if example.question.instructions in unieval.REPLY_NOUL["understandability"]:
            assert example.target[0] == pytest.approx(1.5 / 4)
        else:
            yes = 3 if example.state["reply"] == "good one" else 0
            assert example.target[0] == pytest.approx((yes + 0.5) / 4)


def test_a_reply_without_a_fact_is_not_asked_to_use_one(replies):
    alone = [e for e in replies if e.group == "1"]
    assert all("fact" not in e.state for e in alone)
    asked = {e.question.instructions for e in nouls(alone)}
    assert asked <= set(unieval.REPLY_NOUL["understandability"])


def test_only_clearly_better_replies_are_chosen(replies):
    pairs = {
        frozenset(v or k for k, v in e.question.criteria.items()): gold_text(e)
        for e in choices(replies)
    }
    assert pairs == {
        frozenset({"good one", "awful"}): "good one",
        frozenset({"fine", "awful"}): "fine",
    }
    assert len(scores(replies)) == 12 * 4 * 4
