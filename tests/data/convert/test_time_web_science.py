"""Test of Time, Mind2Web, ScienceQA."""

import json
import logging
from pathlib import Path

import pytest
from support.conversions import (
    asked,
    assert_hidden,
    choices,
    converted,
    nouls,
    options,
    right,
    write_json,
    write_jsonl,
)

from steelyard.data.convert import mind2web, scienceqa, test_of_time
from steelyard.data.source import is_shippable

FORMAT = ' Return your answer as a JSON in the following format: {"answer": "SECRET"}.'


def test_time_questions_get_slips_as_wrong_answers_and_lose_the_format(tmp_path: Path) -> None:
    rows = [
        ("What is 3 days after 2001-05-01?" + FORMAT, {"explanation": "", "answer": "2001-05-04"}),
        ("Order them." + FORMAT, {"answer": ["Ann", "Bob", "Cleo"]}),
        ("How many hours?" + FORMAT, {"answer": 7}),
        ("When?" + FORMAT, {"answer": "one day"}),
    ]
    arithmetic = [
        {"question": question, "question_type": "t", "label": str(label)}
        for question, label in rows
    ]
    facts = "E1 was the R2 of E3 from 1999 to 2001.\nE4 was the R2 of E3 from 2001 to 2005.\n"
    semantic = [
        {
            "question": "Which entity was the R2 of E3 in 2000?",
            "graph_gen_algorithm": "ba",
            "question_type": "event_at_time_t",
            "sorting_type": "relation_and_start_time",
            "prompt": f"Here is a set of temporal facts:\n{facts}\nQuestion: SECRET {FORMAT}",
            "label": "E1",
        },
        {"question": "WRONG", "prompt": "no fact here", "label": "E1"},
    ]
    write_json(tmp_path / "test_of_time/tot_arithmetic/test.json", arithmetic)
    write_jsonl(tmp_path / "test_of_time/tot_semantic/test.json", semantic)
    found = converted(test_of_time.SOURCE, tmp_path, seeds=30)
    assert len(found) == 4 * 30
    assert_hidden(found, "SECRET", "JSON", "WRONG")
    golds = {right(each) for each in choices(found)}
    assert golds == {"2001-05-04", "Ann, Bob, Cleo", "7", "E1"}
    assert any("E4" in options(each) for each in choices(found))
    assert all(
        (each.target[0] > 0.5) == any(f'{mark}{gold}{end}' in asked(each) for gold in golds
         for mark, end in (('"', '"'), ("Would ", " be right"), ("Is it ", "?")))
        for each in nouls(found)
    )  # fmt: skip
    assert not is_shippable(test_of_time.SOURCE.licence)


def node(number: str, tag: str = "button", **attributes: str) -> object:
    return {"tag": tag, "backend_node_id": number, "attributes": json.dumps(attributes)}


def test_mind2web_offers_named_elements_and_hides_later_steps(tmp_path: Path) -> None:
    html = (
        '<html backend_node_id="0"><button backend_node_id="1">Search</button>'
        '<button backend_node_id="2">Reset</button><a backend_node_id="3">Search'
        '<span backend_node_id="6">new</span></a><input backend_node_id="4">'
        '<div backend_node_id="5"></div></html>'
    )
    action = {
        "action_uid": "u",
        "raw_html": "",
        "cleaned_html": html,
        "operation": {"original_op": "CLICK", "value": "", "op": "CLICK"},
        "pos_candidates": [{**node("1"), "is_original_target": True}],  # type: ignore[dict-item]
        "neg_candidates": [node("2"), node("3", "a"), node("4", "input", aria_label="From"),
                           node("5", "div", class_="row")],
    }  # fmt: skip
    unnamed = {**action, "pos_candidates": [node("5", "div")]}
    task = {
        "annotation_id": "a1",
        "website": "trains",
        "domain": "Travel",
        "subdomain": "Ground",
        "confirmed_task": "Find a train.",
        "action_reprs": ["[input] From -> TYPE: Rome", "SECRET -> CLICK"],
        "actions": [unnamed, action],
    }
    write_json(tmp_path / "mind2web/data/train/train_0.json", [task])
    found = converted(mind2web.SOURCE, tmp_path, seeds=20)
    assert_hidden(found, "SECRET", "<button")
    elements = [each for each in found if asked(each) in mind2web.ASKS]
    assert len(elements) == 20
    for each in elements:
        assert right(each) == "[button] Search"
        assert set(options(each)) <= {"[button] Search", "[button] Reset", "[input] From"}
        assert isinstance(each.state, dict)
        assert each.state["steps so far"] == ["[input] From -> TYPE: Rome"]
    operations = [each for each in found if each not in elements]
    assert operations and {right(each) for each in operations} == {"click it"}


def test_scienceqa_skips_pictures_and_hides_the_solution(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    row = {
        "question": "Which is an insect?",
        "choices": ["ant", "cat", "oak"],
        "answer": 0,
        "hint": "",
        "image": None,
        "task": "closed choice",
        "grade": "grade2",
        "subject": "natural science",
        "topic": "biology",
        "category": "Animals",
        "skill": "SECRET",
        "lecture": "SECRET",
        "solution": "SECRET",
        "split": "train",
    }
    rows = {
        "1": row,
        "2": {**row, "hint": "Insects have six legs."},
        "3": {**row, "image": "image.png", "question": "WRONG"},
        "4": {**row, "split": "test", "question": "WRONG"},
    }
    write_json(tmp_path / "scienceqa/problems.json", rows)
    with caplog.at_level(logging.INFO):
        found = converted(scienceqa.SOURCE, tmp_path, seeds=5)
    assert len(found) == 10 and {right(each) for each in found} == {"ant"}
    assert all(sorted(options(each)) == ["ant", "cat", "oak"] for each in found)
    assert_hidden(found, "SECRET", "WRONG")
    assert "source=scienceqa skipped=1 reason=needs its image" in caplog.text
    assert not is_shippable(scienceqa.SOURCE.licence)
