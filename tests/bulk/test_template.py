"""Templates: columns, braces, escapes, and what is wrong with the others."""

from __future__ import annotations

import datetime

import pytest

from steelyard.bulk.template import parse_template
from steelyard.errors import RequestError

RECORD = {"subject": "Hi", "body text": "é {x}", "n": 3, "none": None, "list": [1, "ü"]}


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{subject}", "Hi"),
        (r"Subject: {subject}\n\n{body text}", "Subject: Hi\n\né {x}"),
        ("Subject: {subject}\nBody", "Subject: Hi\nBody"),
        (r"{subject}\t{n}", "Hi\t3"),
        (r"C:\\dir\x {n}", "C:\\dir\\x 3"),
        ("{{{subject}}}", "{Hi}"),
        ("a}} {{ {n}", "a} { 3"),
        ("<{none}>", "<>"),
        ("{list}", '[1, "ü"]'),
        ("{subject}{subject}", "HiHi"),
    ],
)
def test_a_template_is_filled(text, filled):
    assert parse_template(text).fill(RECORD) == filled


def test_what_json_lacks_is_put_in_as_text():
    day = datetime.date(2026, 2, 1)
    assert parse_template("on {day}").fill({"day": day}) == "on 2026-02-01"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no column", "names no column"),
        ("", "names no column"),
        ("{{x}}", "names no column"),
        ("{x} {", "'{' at character 5"),
        ("{x} } y", "'}' at character 5"),
        ("{x} {}", "'{}' at character 5"),
        ("{x} { }", "'{ }' at character 5"),
        ("{{x} {x}", "'}' at character 4"),
    ],
)
def test_a_bad_template_is_refused(text, message):
    with pytest.raises(RequestError, match="template: ") as caught:
        parse_template(text)
    assert message in str(caught.value)


def test_a_missing_column_is_named():
    with pytest.raises(RequestError) as caught:
        parse_template("{subjekt}").fill(RECORD)
    assert caught.value.field == "subjekt"
