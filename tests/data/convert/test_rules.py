"""ShARC, CUAD, MAUD, BoolQ, ROPES: rules and real documents."""

import csv
import json
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
    shown,
    write_json,
    write_jsonl,
)

from steelyard.data.convert import boolq_passage, cuad, maud, ropes, sharc


def sharc_row(answer: str, **other: object) -> object:
    return {
        "utterance_id": "u",
        "tree_id": "t1",
        "source_url": "http://",
        "snippet": "You qualify if:\n* you are 18\n* you live here",
        "question": "Do I qualify?",
        "scenario": "I live here.",
        "history": [{"follow_up_question": "Are you 18?", "follow_up_answer": "Yes"}],
        "evidence": [{"follow_up_question": "SECRET?", "follow_up_answer": "Yes"}],
        "answer": answer,
        **other,
    }


def test_sharc_has_four_answers_and_hides_evidence_and_the_follow_up(tmp_path: Path) -> None:
    answers = ["Yes", "No", "Irrelevant", "SECRET: do you live here?"]
    rows = [sharc_row(answer) for answer in answers] + [sharc_row("Yes", scenario="", history=[])]
    write_json(tmp_path / "sharc/sharc_train.json", rows)
    found = converted(sharc.SOURCE, tmp_path, seeds=20)
    assert_hidden(found, "SECRET")
    assert len(choices(found)) == 5 * 20
    assert all(len(options(each)) == 4 for each in choices(found))
    assert {right(each) for each in choices(found)} == {
        text for names in sharc.ANSWERS for text in names.values()
    }
    assert all("you are 18" in shown(each) for each in found)
    assert {each.target[0] > 0.5 for each in nouls(found)} == {True, False}


def cuad_question(category: str, details: str, *places: tuple[int, str]) -> object:
    return {
        "id": f"TITLE__{category}",
        "question": f'Highlight the parts (if any) of this contract related to "{category}" that '
        f"should be reviewed by a lawyer. Details: {details}",
        "answers": [{"text": text, "answer_start": start} for start, text in places],
        "is_impossible": not places,
    }


def test_cuad_asks_windows_and_drops_clauses_that_cross_a_border(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuad, "WINDOW", 40)
    context = "The law of Texas governs. Filler text.\nParties: A and B. More filler text.\n"
    law, both = "law of Texas", "Filler text.\nParties"
    contract = {
        "title": "TITLE",
        "paragraphs": [
            {
                "context": context,
                "qas": [
                    cuad_question("Governing Law", "Which law?", (context.index(law), law)),
                    cuad_question("Parties", "Who signs?", (context.index(both), both)),
                    cuad_question("Audit Rights", "May one audit?"),
                ],
            }
        ],
    }
    write_json(tmp_path / "cuad/CUADv1.json", {"version": "1", "data": [contract]})
    found = converted(cuad.SOURCE, tmp_path, seeds=20)
    assert nouls(found) == found
    assert not any("Parties" in asked(each) for each in found)
    for each in found:
        assert isinstance(each.state, str) and len(each.state) <= 40
        assert (each.target[0] > 0.5) == ("Governing" in asked(each) and law in each.state)
    yes = sum(each.target[0] > 0.5 for each in found)
    assert yes == 20 and len(found) == 4 * 20  # 1 positive and all 3 negatives that there are


def test_cuad_takes_about_four_negatives_for_a_positive(tmp_path: Path) -> None:
    categories = [cuad_question(f"Kind {n}", "?") for n in range(30)]
    contract = {
        "title": "TITLE",
        "paragraphs": [
            {"context": "The law.", "qas": [cuad_question("Law", "?", (4, "law")), *categories]}
        ],
    }
    write_json(tmp_path / "cuad/CUADv1.json", {"version": "1", "data": [contract]})
    assert len(converted(cuad.SOURCE, tmp_path, seeds=1)) == 1 + 4


MAUD_COLUMNS = [
    "contract_name", "data_type", "id", "category", "text_type", "subquestion", "question",
    "answer", "label", "text",
]  # fmt: skip


def test_maud_offers_the_answers_that_its_question_got(tmp_path: Path) -> None:
    rows = [
        ["c1", "main", "1", "Deal", "MAE", "<NONE>", "Standard?", "would", "0", "text one"],
        ["c2", "main", "2", "Deal", "MAE", "<NONE>", "Standard?", "could", "1", "text two"],
        ["c3", "abridged", "3", "Deal", "MAE", "war", "Carve-out?", "Yes", "0", "text three"],
        ["c4", "main", "4", "Deal", "MAE", "war", "Carve-out?", "No", "1", "text four"],
        ["c5", "main", "5", "Deal", "MAE", "<NONE>", "Lonely?", "WRONG", "0", "text five"],
        ["c6", "main", "6", "Deal", "MAE", "<NONE>", "Standard?", "could", "1", "WRONG " * 5000],
    ]
    path = tmp_path / "maud/MAUD_train.csv"
    path.parent.mkdir()
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([MAUD_COLUMNS, *rows])
    found = converted(maud.SOURCE, tmp_path, seeds=5)
    assert len(choices(found)) == len(found) == 4 * 5
    gold = {"text one": "would", "text two": "could", "text three": "Yes", "text four": "No"}
    assert all(right(each) == gold[each.state] for each in found)
    assert_hidden(found, "<NONE>", "WRONG")
    assert {tuple(sorted(options(e))) for e in found} == {("could", "would"), ("No", "Yes")}
    assert all("Carve-out?: war" in asked(e) for e in found if right(e) in ("Yes", "No"))


def test_boolq_shows_the_passage(tmp_path: Path) -> None:
    row = {"question": "is it blue", "title": "Sky", "answer": True, "passage": "The sky is blue."}
    write_jsonl(tmp_path / "boolq/train.jsonl", [row, {**row, "answer": False, "passage": "No."}])
    found = converted(boolq_passage.SOURCE, tmp_path)
    assert len(found) == 24 == len(nouls(found))
    assert all((e.target[0] > 0.5) == ("The sky is blue." in json.dumps(e.state)) for e in found)
    assert all("t is blue" not in asked(e) and "s it blue" in asked(e) for e in found)


@pytest.mark.parametrize(
    ("question", "gold", "other"),
    [
        ("Does store A or store B sell more?", "store B", "store A"),
        ("Does store A or store B sell more?", "store A", "store B"),
        ("Would it sell more or less?", "less", "more"),
        ("Which town, Alder, or Birch, grew?", "Alder", "Birch"),
        ("Did the larger or smaller store win?", "Monday", None),
        ("Does the old mill or the river port win?", "old mill", None),
        ("Which store wins?", "store A", None),
    ],
)
def test_ropes_finds_the_other_option_only_where_it_is_plain(
    question: str, gold: str, other: str | None
) -> None:
    assert ropes.other_option(question, gold) == other


def test_ropes_keeps_questions_that_name_both_options(tmp_path: Path) -> None:
    qas = [
        {"id": "1", "question": "Is it hotter or colder?", "answers": [{"text": "hotter"}]},
        {"id": "2", "question": "WRONG?", "answers": [{"text": "hotter"}]},
    ]
    paragraph = {"background": "Heat rises.", "situation": "A fire burns.", "qas": qas}
    data = [{"title": "", "paragraphs": [paragraph]}]
    write_json(tmp_path / "ropes/train-v1.0.json", {"version": "1", "data": data})
    found = converted(ropes.SOURCE, tmp_path, seeds=20)
    assert len(found) == 20
    assert_hidden(found, "WRONG")
    assert all(right(e) == "hotter" and len(options(e)) == 2 for e in choices(found))
    assert {e.target[0] > 0.5 for e in nouls(found)} == {True, False}
