from random import Random

import pytest
from support.corpora import choices, drawn, gold_label, nouls, write_json, write_text

from steelyard.data.ask import NONE_OF_THESE
from steelyard.data.convert import metatool

TOOLS = {
    "WeatherTool": "The latest weather.",
    "QRTool": "Generate QR codes.",
    "News": "World news.",
}
TOOLS |= {f"tool_{i}": f"Does the thing number {i}." for i in range(40)}
CSV = """Query,Tool
Will it rain?,WeatherTool
What happened today?,News
what happened today,WeatherTool
"""


@pytest.fixture
def examples(tmp_path):
    write_json(tmp_path, "metatool/plugin_des.json", TOOLS)
    write_text(tmp_path, "metatool/all_clean_data.csv.gz", CSV)
    return drawn(metatool.SOURCE, tmp_path)


def test_the_right_tool_is_the_rows_tool(examples):
    rain = [e for e in choices(examples) if e.state == "Will it rain?"]
    assert {gold_label(e) for e in rain} - set(NONE_OF_THESE) == {"WeatherTool"}


def test_a_tool_that_is_right_too_is_no_distractor(examples):
    for example in choices(examples):
        if example.state == "What happened today?":
            assert "WeatherTool" not in example.question.criteria


def test_equal_queries_are_one_group(examples):
    groups = {e.state: e.group for e in choices(examples)}
    assert groups["What happened today?"] == groups["what happened today"]
    assert groups["Will it rain?"] != groups["what happened today"]


def test_most_choices_describe_the_tools_with_their_own_description(examples):
    described = [e for e in choices(examples) if any(e.question.criteria.values())]
    assert len(described) > len(choices(examples)) / 2
    for example in described:
        for name, text in example.question.criteria.items():
            assert name in NONE_OF_THESE or text == TOOLS[name]


def test_a_check_names_the_right_tool_exactly_if_the_answer_is_yes(examples):
    rain = [e for e in nouls(examples) if "Will it rain?" in str(e.state)]
    assert {e.target[0] > 0.5 for e in rain} == {True, False}
    for example in rain:
        shown = f"{example.state} {example.question.instructions}"
        assert (example.target[0] > 0.5) == ("The latest weather." in shown)


def test_similar_tools_are_those_with_similar_descriptions():
    assert metatool._alike({"a": "Book flights.", "b": "x", "c": "Book a flight."}, Random(0))["a"][
        :2
    ] == ["a", "c"]
