"""Who&When runs become questions about the agent and the step that failed."""

import pytest
from support.samples import asked, examples, gold, of_kind, options, write_jsonl

from steelyard.data.convert.who_and_when import MAX_CHARS, SOURCE
from steelyard.types.example import Example


def run(name: str, step: str, *, length: int = 10) -> dict[str, object]:
    turns = [("Planner", "plan"), ("Coder", "x" * length), ("Terminal", "4"), ("Coder", "done")]
    return {
        "question": "How many?",
        "question_ID": name,
        "ground_truth": "8",
        "history": [{"name": who, "content": what, "role": "user"} for who, what in turns],
        "mistake_agent": "Coder",
        "mistake_step": step,
        "mistake_reason": "it counted wrongly",
        "system_prompt": {"Coder": "## Your role\nCoder: Writes programs. And more."},
    }


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Example]:
    folder = tmp_path_factory.mktemp("train")
    rows = [run("a", "1"), run("odd", "2"), run("long", "1", length=MAX_CHARS)]
    write_jsonl(folder / "who_and_when/algorithm_generated.jsonl.gz", rows)
    return examples(SOURCE, folder, seeds=30)


def test_a_run_that_is_too_long_is_left_out_and_none_is_cut(found: list[Example]) -> None:
    assert {example.group for example in found} == {"a", "odd"}
    assert all("done" in str(example.state) for example in found)


def test_the_agent_and_the_step_are_gold(found: list[Example]) -> None:
    choices = of_kind(found, "choice")
    agents = [example for example in choices if "Planner" in options(example)]
    steps = [example for example in choices if "step 0" in options(example)]
    assert {gold(example) for example in agents} == {"Coder"}
    assert {gold(example) for example in steps} == {"step 1"}
    assert len(steps) == 30


def test_the_step_is_not_asked_where_it_is_another_agents(found: list[Example]) -> None:
    odd = [example for example in found if example.group == "odd"]
    assert odd
    assert not any("step 0" in options(e) or "step 2" in asked(e) for e in odd)


def test_step_questions_are_right_for_the_mistake_alone(found: list[Example]) -> None:
    where = [e for e in of_kind(found, "noul") if "Did the run go wrong at step" in asked(e)]
    assert {e.gold == 0 for e in where} == {True, False}
    assert all((e.gold == 0) == ("step 1?" in asked(e)) for e in where)


def test_the_reason_is_never_shown(found: list[Example]) -> None:
    assert not any("it counted wrongly" in str(example.state) for example in found)
