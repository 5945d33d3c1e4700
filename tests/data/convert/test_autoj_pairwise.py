import pytest
from support.corpora import choices, drawn, gold_label, nouls, write_jsonl

from steelyard.data.convert import autoj_pairwise

NAMES = autoj_pairwise.NAMES


def row(label, scenario, prompt):
    texts = {"response 1": f"one for {prompt}", "response 2": f"two for {prompt}"}
    return {"scenario": scenario, "label": label, "prompt": prompt, **texts}


@pytest.fixture
def examples(tmp_path):
    rows = [row(0, "ranking", "p0"), row(1, "chitchat", "p1"), row(2, "others", "p2")]
    rows.append(row(1, "code_generation", "p3"))
    write_jsonl(tmp_path, "autoj_pairwise/autoj_pairwise.jsonl.gz", rows)
    return drawn(autoj_pairwise.SOURCE, tmp_path)


def compared(example):
    return isinstance(example.state, dict)


def text_of(example, name):
    return example.state.get(name) or example.question.criteria[name]


def test_the_winner_wins_in_both_orders(examples):
    places = set()
    for example in filter(compared, choices(examples)):
        label = gold_label(example)
        if example.group == "2":
            assert label in {names[2] for names in NAMES}
            continue
        winner = "one" if example.group == "0" else "two"
        assert text_of(example, label).startswith(winner)
        places.add((winner, next(names.index(label) for names in NAMES if label in names)))
    assert places == {("one", 0), ("one", 1), ("two", 0), ("two", 1)}


def test_a_tie_is_an_even_chance(examples):
    ties = [e.target[0] for e in filter(compared, nouls(examples)) if e.group == "2"]
    assert ties
    assert all(abs(chance - 0.5) < 1e-9 for chance in ties)


def test_the_named_response_of_a_check_is_the_winner_exactly_if_it_says_yes(examples):
    for example in filter(compared, nouls(examples)):
        if example.group == "0":
            named = [n for n in example.state if n in example.question.instructions]
            assert len(named) == 1
            assert (example.target[0] > 0.5) == example.state[named[0]].startswith("one")


def test_the_scenario_is_asked_for_once_a_prompt(examples):
    kinds = {gold_label(e) for e in choices(examples) if e.state == "p3"}
    assert "code generation" in kinds
    assert not any("others" in str(e.question) for e in examples)
