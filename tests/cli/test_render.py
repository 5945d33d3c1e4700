"""Answers drawn for people."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console
from support.fake_engine import fake_response

from steelyard.cli.render import MAX_OPTIONS, bar, options_of, printable, response_table
from steelyard.types.answer import Verdict
from steelyard.types.question import Choice, Noul, Score
from steelyard.types.request import Request


def drawn(questions, *, digits=None, ascii_only=False, width=80):
    response = fake_response(Request("x", questions))
    console = Console(file=io.StringIO(), width=width)
    console.print(response_table(response, digits=digits, ascii_only=ascii_only))
    return response, [line.rstrip() for line in console.file.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("probability", "drawing"),
    [(0, ""), (1, "█" * 8), (0.5, "████"), (1 / 64, "▏"), (0.99, "███████▉"), (0.001, "")],
)
def test_bars_are_drawn_to_an_eighth(probability, drawing):
    assert bar(probability, cells=8) == drawing


def test_every_option_has_a_line_and_the_answer_a_mark():
    asked = Choice("?", {"billing": "Charges", "technical": None})
    response, lines = drawn({"queue": asked})
    answer = response.answers["queue"]
    assert lines[0] == f"queue  confidence {answer.confidence:.3f} · layer 30"
    for line, (label, p) in zip(lines[1:], answer.probabilities.items(), strict=False):
        assert label in line
        assert f"{p:.3f}" in line
        assert ("▸" in line) == (label == answer.choice)
    assert lines[-1].startswith("fake · isolated-v1 · letters · ")
    assert lines[-1].endswith("uncalibrated")


def test_a_noul_is_yes_or_no():
    response, lines = drawn({"q": Noul("?")}, digits=1)
    noul = response.answers["q"].noul
    assert [line.split()[-3:-1] for line in lines[1:3]] == [
        ["yes", f"{noul:.1f}"],
        ["no", f"{1 - noul:.1f}"],
    ]
    assert lines[0] == "q  layer 30"


def test_a_score_shows_its_levels_and_its_value():
    response, lines = drawn({"s": Score("?", ["calm", {"k": "angry"}])})
    assert f"score {response.answers['s'].score:.3f} of 1" in lines[0]
    assert "0 calm" in lines[1]
    assert '1 {"k":"angry"}' in lines[2]


def test_of_many_options_the_likeliest_are_shown_and_the_rest_summed():
    response, lines = drawn({"q": Choice("?", [f"o{n}" for n in range(100)])})
    probabilities = sorted(response.answers["q"].probabilities.values(), reverse=True)
    rest = sum(probabilities[MAX_OPTIONS:])
    assert len(lines) == 1 + MAX_OPTIONS + 1 + 1 + 1
    assert f"{100 - MAX_OPTIONS} others together" in lines[1 + MAX_OPTIONS]
    assert f"{rest:.3f}" in lines[1 + MAX_OPTIONS]
    assert f"▸  {response.answers['q'].choice} " in lines[1]


def test_long_names_fold_inside_their_column():
    _, lines = drawn({"q": Choice("?", ["word " * 30, "b"])})
    assert all(len(line) <= 80 for line in lines)
    assert sum("word" in line for line in lines) > 1


def test_nothing_in_a_name_moves_the_cursor_or_is_markup():
    name = "a\x1b[2Jb\nc[red]d\u202e"
    _, lines = drawn({name: Choice("?", [name, "x"])}, width=100)
    assert "\x1b" not in "".join(lines)
    assert "\u202e" not in "".join(lines)
    assert lines[0].startswith("a [2Jb c[red]d ")
    assert printable("é雪 🙂") == "é雪 🙂"


def test_answers_that_could_leave_early_say_how_deep_they_went():
    response = fake_response(Request("x", {"a": Noul("?"), "b": Noul("?")}))
    answers = {
        name: replace(answer, basis=replace(answer.basis, exit_layer=layer))
        for (name, answer), layer in zip(response.answers.items(), (11, 30), strict=True)
    }
    audit = replace(response.audit, exit_layers=(11, 19, 30))
    console = Console(file=io.StringIO(), width=100)
    deep = replace(response, answers=answers, audit=audit)
    console.print(response_table(deep, digits=None, ascii_only=False))
    assert " · 20.5 of 30 layers · " in console.file.getvalue().splitlines()[-1]
    assert "layers" not in drawn({"a": Noul("?")})[1][-1]


def test_ascii_terminals_get_ascii():
    _, lines = drawn({"q": Score("?", ["calm", "angry"])}, ascii_only=True)
    assert "\n".join(lines).isascii()
    assert any("  >  " in line and "#" in line for line in lines)


def test_equal_levels_mark_the_first():
    response = fake_response(Request("x", {"s": Score("?", ["same", "same"])}))
    assert sum(option.best for option in options_of(response.answers["s"])) == 1


def test_a_verdict_stands_behind_the_name():
    response = fake_response(Request("x", {"q": Noul("?")}))
    verdict = Verdict(options=("yes", "no"), coverage=0.9, action="ask")
    answer = replace(response.answers["q"], verdict=verdict, committed=0.125)
    console = Console(file=io.StringIO(), width=80)
    shown = replace(response, answers={"q": answer})
    console.print(response_table(shown, digits=None, ascii_only=True))
    first = console.file.getvalue().splitlines()[0].rstrip()
    assert first == "q  committed 0.125 | layer 30 | ask | 90% within: yes, no"
