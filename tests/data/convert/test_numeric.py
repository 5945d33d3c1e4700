"""FinQA, HiTab, WikiSQL, DROP and TAT-QA: computed answers are computed again."""

from decimal import Decimal
from pathlib import Path

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

from steelyard.data.convert import drop, finqa, hitab, tatqa_train, wikisql
from steelyard.data.figures import figure
from steelyard.data.source import is_shippable


def finqa_row(answer: str, program: str, question: str = "what is the growth in 2009?") -> object:
    return {
        "pre_text": ["sales grew .", "see below ."],
        "post_text": ["end of report ."],
        "filename": "ADI/2009/page_49.pdf",
        "table_ori": [["", "2009", "2008"], ["Sales", "$ 5,829", "$ 5,735"]],
        "table": [["", "2009", "2008"], ["sales", "$ 5829", "$ 5735"]],
        "qa": {
            "question": question,
            "answer": answer,
            "explanation": "SECRET-EXPLANATION",
            "ann_table_rows": [1],
            "ann_text_rows": [],
            "steps": [{"op": "minus2-1", "arg1": "5829", "arg2": "5735", "res": "94"}],
            "program": program,
            "gold_inds": {"table_1": "SECRET-GOLD-INDS"},
            "exe_ans": 0.01639,
            "program_re": "divide(subtract(5829, 5735), 5735)",
        },
        "id": "ADI/2009/page_49.pdf-1",
    }


GROWTH = "subtract(5829, 5735), divide(#0, 5735)"


def test_finqa_keeps_answers_that_the_program_confirms(tmp_path: Path) -> None:
    rows = [
        finqa_row("1.6%", GROWTH),
        finqa_row("94", "subtract(5829, 5735)", "what is the change?"),
        finqa_row("yes", "greater(5829, 5735)", "did sales grow?"),
        finqa_row("2.6%", GROWTH, "WRONG"),
        finqa_row("no", "greater(5829, 5735)", "WRONG"),
        finqa_row("n/a", GROWTH, "WRONG"),
        finqa_row("1.6%", "divide(1, 0)", "WRONG"),
    ]
    write_json(tmp_path / "finqa/train.json", rows)
    found = converted(finqa.SOURCE, tmp_path, seeds=30)
    assert len(found) == 3 * 30
    assert_hidden(found, "SECRET", "subtract(", "greater(", "WRONG", "0.01639")
    for each in choices(found):
        gold = right(each)
        assert gold in ("1.6%", "94")
        assert all(("%" in text) == ("%" in gold) for text in options(each))
    yes = [each for each in nouls(found) if "did sales grow" in asked(each)]
    assert len(yes) == 30 and all(each.target[0] > 0.9 for each in yes)
    assert {each.group for each in found} == {"ADI/2009/page_49.pdf"}


def test_finqa_distractors_hold_results_of_wrong_operations(tmp_path: Path) -> None:
    write_json(tmp_path / "finqa/train.json", [finqa_row("94", "subtract(5829, 5735)")])
    seen = {text for each in choices(converted(finqa.SOURCE, tmp_path)) for text in options(each)}
    assert "-94" in seen


def hitab_row(answer: float, formula: str, **other: object) -> object:
    return {
        "id": "7392822961051524760",
        "table_id": "1028",
        "table_source": "statcan",
        "sentence_id": "5895",
        "sub_sentence_id": "1",
        "sub_sentence": "SECRET-SENTENCE 139,337 adult offenders",
        "question": "how many offenders are supervised?",
        "answer": [answer],
        "aggregation": ["sum"],
        "linked_cells": {"quantity_link": {"[ANSWER]": {"(2, 1)": 22895.0}}},
        "answer_formulas": [formula],
        "reference_cells_map": {"B5": "(2, 1)", "B6": "(3, 1)"},
        **other,
    }


HITAB_TABLE = {
    "title": "Offenders by service",
    "texts": [
        ["", "custody", ""],
        ["", "2013", "2014"],
        ["provinces", "116,442", "5"],
        ["federal", "22,895", "4"],
    ],
    "merged_regions": [{"first_row": 0, "last_row": 0, "first_column": 1, "last_column": 2}],
}


def test_hitab_computes_the_answer_and_leaves_look_ups_out(tmp_path: Path) -> None:
    rows = [
        hitab_row(139337, "=B5+B6"),
        hitab_row(80.34, "=(B5-B6)/B5*100", question="by how many percent?"),
        hitab_row(22895, "=B6", question="WRONG"),
        hitab_row(5, "=B5+B6", question="WRONG"),
        hitab_row(1, "=XLOOKUP(B5)", question="WRONG"),
        hitab_row(139337, "=B5+B6", reference_cells_map={}, question="WRONG"),
    ]
    write_jsonl(tmp_path / "hitab/train_samples.jsonl", rows)
    write_json(tmp_path / "hitab/tables/raw/1028.json", HITAB_TABLE)
    found = converted(hitab.SOURCE, tmp_path)
    assert len(found) == 2 * 12
    assert_hidden(found, "SECRET", "WRONG", "=B5", "B5+B6")
    assert {right(each) for each in choices(found)} == {"139337", "80.34"}
    assert not is_shippable(hitab.SOURCE.licence)


def test_hitab_repeats_the_text_of_a_merged_header() -> None:
    assert hitab.spread(HITAB_TABLE)[0] == ["", "custody", "custody"]


def test_wikisql_keeps_aggregates_and_queries_with_several_conditions(tmp_path: Path) -> None:
    table = {
        "id": "1-1000181-1",
        "header": ["Player", "Points", "Team"],
        "types": ["text", "real", "text"],
        "rows": [["Ann", 31, "Reds"], ["Bob", 27, "Reds"], ["Cleo", 45, "Blues"]],
        "page_title": "League",
        "caption": "Scores",
    }
    long = {**table, "id": "2-long", "rows": [["x" * 25_000, 3, "Reds"], ["Bob", 4, "Reds"]]}
    rows = [
        (4, [[2, 0, "reds"]], 1, "total points of the Reds?"),
        (0, [[2, 0, "Reds"], [1, 1, 30]], 1, "points of the Red above 30?"),
        (0, [[0, 0, "Ann"]], 1, "WRONG"),
        (3, [[2, 0, "Greens"]], 0, "WRONG"),
        (0, [[2, 0, "Reds"], [1, 1, 30]], 0, "WRONG"),
    ]
    write_jsonl(tmp_path / "wikisql/train.tables.jsonl", [table, long])
    write_jsonl(
        tmp_path / "wikisql/train.jsonl",
        [
            {
                "phase": 1,
                "table_id": table["id"],
                "question": question,
                "sql": {"sel": select, "conds": conditions, "agg": aggregate},
            }
            for aggregate, conditions, select, question in rows
        ]
        + [
            {
                "phase": 1,
                "table_id": "2-long",
                "question": "WRONG",
                "sql": {"sel": 1, "conds": [], "agg": 4},
            }
        ],
    )
    found = converted(wikisql.SOURCE, tmp_path, seeds=20)
    assert len(found) == 2 * 20
    assert_hidden(found, "WRONG", "conds", "SUM", "SELECT")
    assert {right(each) for each in choices(found)} == {"58", "31"}
    assert all("Cleo" in shown(each) and "League" in shown(each) for each in found)


def test_drop_takes_numbers_only(tmp_path: Path) -> None:
    empty = {"day": "", "month": "", "year": ""}
    pairs = [
        ("How many yards in all?", {"number": "37", "date": empty, "spans": []}),
        ("WRONG", {"number": "", "date": empty, "spans": ["Bears"]}),
    ]
    document = {
        "passage": "The Bears ran 25 yards, then 12 yards, and kicked from 40 yards.",
        "qa_pairs": [
            {"question": question, "answer": answer, "query_id": str(index)}
            for index, (question, answer) in enumerate(pairs)
        ],
        "wiki_url": "https://en.wikipedia.org/",
    }
    write_json(tmp_path / "drop/drop_dataset_train.json", {"nfl_1": document})
    found = converted(drop.SOURCE, tmp_path, seeds=20)
    assert len(found) == 20 and {each.group for each in found} == {"nfl_1"}
    assert_hidden(found, "WRONG")
    assert {right(each) for each in choices(found)} == {"37"}
    assert {"25", "12", "40"} <= {text for each in choices(found) for text in options(each)}


def tatqa_question(kind: str, answer: object, derivation: str, scale: str, text: str) -> object:
    return {
        "uid": text,
        "order": 1,
        "question": text,
        "answer": answer,
        "derivation": derivation,
        "answer_type": kind,
        "answer_from": "table",
        "rel_paragraphs": [],
        "req_comparison": False,
        "scale": scale,
    }


def test_tatqa_keeps_answers_that_the_derivation_gives(tmp_path: Path) -> None:
    document = {
        "table": {
            "uid": "t1",
            "table": [
                ["", "2019", "2018"],
                ["Fixed", "$ 1,452.4", "1,146.2"],
                ["Other", "44.1", "56.7"],
            ],
        },
        "paragraphs": [{"uid": "p1", "order": 1, "text": "Sales by contract type."}],
        "questions": [
            tatqa_question("arithmetic", -12.6, "44.1-56.7", "million", "change in Other?"),
            tatqa_question("arithmetic", -22.22, "(44.1-56.7)/56.7", "percent", "change in %?"),
            tatqa_question("arithmetic", 26.71, "[1,452.4/1,146.2] - 1", "percent", "Fixed, in %?"),
            tatqa_question("count", 2, "Fixed##Other", "", "how many kinds?"),
            tatqa_question("span", ["2019"], "", "", "WRONG"),
            tatqa_question("arithmetic", 99, "44.1-56.7", "", "WRONG"),
        ],
    }
    write_json(tmp_path / "tatqa/tatqa_dataset_train.json", [document])
    found = converted(tatqa_train.SOURCE, tmp_path, seeds=20)
    assert len(found) == 4 * 20
    assert_hidden(found, "WRONG", "44.1-56.7", "##")
    golds = {right(each) for each in choices(found)}
    assert golds == {"-12.6 million", "-22.22%", "26.71%", "2"}
    for each in choices(found):
        suffixes = {figure(text).suffix for text in options(each)}  # type: ignore[union-attr]
        assert len(suffixes) == 1


def test_the_annotators_unit_may_be_percent_of_what_the_program_gives() -> None:
    percent, plain = figure("1.6%"), figure("94")
    assert percent is not None and plain is not None
    assert finqa.unit(Decimal("0.0164"), percent) == 100
    assert finqa.unit(Decimal("1.64"), percent) == 1
    assert finqa.unit(Decimal("0.5"), percent) is None
    assert finqa.unit(Decimal("94"), plain) == 1
