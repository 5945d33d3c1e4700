import json

from steelyard.prompt.content import content_text


def test_a_string_is_itself() -> None:
    text = ' "quoted"\n{"a": 1} é '
    assert content_text(text) is text


def test_structured_content_is_one_line_of_json_in_the_callers_order() -> None:
    content = {"b": [1, 2.5, None, True], "a": {"é": "東京\n"}}
    assert content_text(content) == '{"b": [1, 2.5, null, true], "a": {"é": "東京\\n"}}'
    assert json.loads(content_text(content)) == content
    assert content_text(["x"]) == '["x"]'
