import pytest
from support.corpora import choices, drawn, gold_label, nouls, write_json

from steelyard.data.ask import NONE_OF_THESE
from steelyard.data.convert import clinc150
from steelyard.data.convert.clinc150_intents import INTENTS

ROWS = [["what is my balance", "balance"], *[["tell me a joke", "tell_joke"]] * 8]
OUTSIDE = ["how is glue made", "oos"]
DOMAINS = {"banking": ["balance", "transfer"], "small_talk": ["tell_joke", "greeting"]}


@pytest.fixture
def examples(tmp_path):
    known = [name for intents in DOMAINS.values() for name in intents]
    rest = [name for name in INTENTS if name not in known]
    domains = {**DOMAINS, "home": rest[:70], "work": rest[70:]}
    write_json(tmp_path, "clinc150/domains.json", domains)
    parts = {"train": ROWS, "oos_train": [OUTSIDE]}
    write_json(tmp_path, "clinc150/data_full_train_val.json.gz", parts)
    return drawn(clinc150.SOURCE, tmp_path)


def of(examples, text):
    return [e for e in examples if e.state in (text, {"message": text})]


def spellings(*intents):
    return {text for name in intents for text in (name, name.replace("_", " "))}


def test_a_choice_names_the_intent_the_domain_or_that_none_fits(examples):
    right = spellings("tell_joke", "small_talk") | set(NONE_OF_THESE)
    golds = {gold_label(e) for e in choices(of(examples, "tell me a joke"))}
    assert golds <= right
    assert {"tell joke", "tell_joke", "small talk"} <= golds


def test_the_right_intent_is_missing_where_none_of_these_is_right(examples):
    for example in choices(of(examples, "tell me a joke")):
        if gold_label(example) in NONE_OF_THESE:
            assert not spellings("tell_joke") & set(example.question.criteria)


def test_a_message_out_of_scope_is_about_none_of_them(examples):
    outside = of(examples, OUTSIDE[0])
    assert len(outside) >= clinc150.PER_OUT_OF_SCOPE
    assert all(gold_label(e) in NONE_OF_THESE for e in choices(outside))
    assert nouls(outside)
    assert all(e.target[0] < 0.1 for e in nouls(outside))


def test_a_list_of_intents_is_in_scope_exactly_if_it_has_the_right_one(examples):
    listed = [e for e in nouls(of(examples, "tell me a joke")) if ";" in e.question.instructions]
    assert {e.target[0] > 0.5 for e in listed} == {True, False}
    for example in listed:
        assert (example.target[0] > 0.5) == ("tell joke" in example.question.instructions)


def test_some_choices_show_all_intents(examples):
    assert max(len(e.question.criteria) for e in choices(examples)) >= 150


def test_a_message_is_a_group(examples):
    assert {e.group for e in of(examples, "what is my balance")} == {"train-0"}
    assert {e.group for e in of(examples, OUTSIDE[0])} == {"oos_train-0"}
