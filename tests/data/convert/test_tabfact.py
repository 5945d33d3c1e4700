"""TabFact statements become nouls and choices on one shared table."""

import pytest
from support.samples import asked, examples, gold, of_kind, options, write_json

from steelyard.data.convert.tabfact import SOURCE
from steelyard.types.example import Example

TABLE = "goal#venue\n1#rome\n2#paris\n"
RIGHT = ["there be 2 goal", "rome come first"]
WRONG = ["there be 3 goal", "paris come first"]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Example]:
    folder = tmp_path_factory.mktemp("train")
    named = {"1-77-1.html.csv": "goals", "2-77-3.html.csv": "none"}
    write_json(folder / "tabfact/val_tables.json.gz", dict.fromkeys(named, TABLE))
    write_json(
        folder / "tabfact/val_examples.json.gz",
        {name: [RIGHT + WRONG, [1, 1, 0, 0], caption] for name, caption in named.items()},
    )
    return examples(SOURCE, folder, seeds=40)


def test_every_statement_is_asked_about(found: list[Example]) -> None:
    assert len(of_kind(found, "noul")) == 40 * 2 * 4
    checked = [e for e in of_kind(found, "noul") if "Check against the table" in asked(e)]
    assert {e.gold for e in checked} == {0, 1}
    for example in checked:
        assert (example.gold == 0) == any(text in asked(example) for text in RIGHT)


def test_a_refutation_turns_the_label(found: list[Example]) -> None:
    refuted = [e for e in of_kind(found, "noul") if "refute" in asked(e)]
    assert refuted
    for example in refuted:
        assert (example.gold == 0) == any(text in asked(example) for text in WRONG)


def test_a_choice_holds_one_statement_of_the_other_label(found: list[Example]) -> None:
    choices = of_kind(found, "choice")
    assert len(choices) == 40 * 2 * 2
    for example in choices:
        side = RIGHT if gold(example) in RIGHT else WRONG
        assert len([text for text in options(example) if text in side]) == 1


def test_tables_stand_as_bars_and_as_json(found: list[Example]) -> None:
    states = [example.state for example in found]
    assert "goals\n| goal | venue |\n| 1 | rome |\n| 2 | paris |" in states
    rows = [{"goal": "1", "venue": "rome"}, {"goal": "2", "venue": "paris"}]
    assert {"caption": "goals", "rows": rows} in states
    assert {"rows": rows} in states


def test_tables_of_one_page_share_a_group(found: list[Example]) -> None:
    assert {(example.group, example.licence) for example in found} == {("77", "MIT")}
