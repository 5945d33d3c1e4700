"""What every generator promises, whatever it asks about."""

from __future__ import annotations

import json
from collections import Counter, defaultdict

import pytest
from support.generators import draw, drawn, sources

from steelyard.data.normal import normal
from steelyard.data.source import is_shippable
from steelyard.types.example import Example, num_options
from steelyard.types.question import Choice, Noul, Score, kind_of

NAMES = sorted(sources())
SOFT = {"chance"}
"""Its answers are distributions, so that no option is the right one."""

every = pytest.mark.parametrize("name", NAMES)


def test_there_are_twelve_generators() -> None:
    assert len(NAMES) == 12


@every
def test_the_same_seed_gives_the_same_examples(name: str) -> None:
    source = sources()[name]
    assert list(draw(source, 60, seed=3)) == list(draw(source, 60, seed=3))
    assert list(draw(source, 60, seed=3)) != list(draw(source, 60, seed=4))


@every
def test_sources_name_themselves_and_can_be_shipped(name: str) -> None:
    source = sources()[name]
    assert source.kind == "generator"
    assert is_shippable(source.licence)
    assert {(e.source, e.licence) for e in drawn(name)} == {(name, source.licence)}


@every
def test_two_to_seven_examples_share_a_state_and_a_group(name: str) -> None:
    groups = by_group(drawn(name)[:-10])
    twins = 2 if name == "unknowable" else 1
    sizes = Counter(len(rows) // twins for rows in groups.values())
    assert sum(count for size, count in sizes.items() if 2 <= size <= 7) > 0.9 * len(groups)
    for rows in groups.values():
        assert len({state(e) for e in rows}) <= twins


@every
def test_groups_follow_each_other_without_gaps(name: str) -> None:
    order = [e.group for e in drawn(name)]
    assert list(dict.fromkeys(order)) == [str(k) for k in range(len(set(order)))]


@every
def test_states_hardly_repeat(name: str) -> None:
    groups = by_group(drawn(name))
    first = [state(rows[0]) for rows in groups.values()]
    assert len(set(first)) > (0.9 if name == "chance" else 0.99) * len(first)  # dice are few


@every
def test_every_kind_of_question_is_asked(name: str) -> None:
    kinds = Counter(kind_of(e.question) for e in drawn(name))
    assert kinds["noul"] > 300
    assert kinds["choice"] > (80 if name == "severity" else 300)
    assert kinds["score"] > (-1 if name == "rules" else 40)  # outcomes have no order


@every
def test_about_half_of_the_answers_are_yes(name: str) -> None:
    shares = [e.target[0] for e in drawn(name) if isinstance(e.question, Noul)]
    assert 0.42 < sum(shares) / len(shares) < 0.58


@every
def test_the_right_option_stands_anywhere(name: str) -> None:
    places = [e.gold / (num_options(e.question) - 1) for e in choices(name)]
    assert abs(sum(places) / len(places) - 0.5) < 2 / len(places) ** 0.5
    firsts = sum(e.gold == 0 for e in choices(name))
    expected = sum(1 / num_options(e.question) for e in choices(name))
    assert abs(firsts - expected) < 4 * expected**0.5


@every
def test_score_levels_are_all_used(name: str) -> None:
    scores = [e for e in drawn(name) if isinstance(e.question, Score)]
    places = Counter(round(2 * e.gold / (num_options(e.question) - 1)) for e in scores)
    assert min(places[k] for k in range(3)) >= 0.12 * len(scores)


@every
def test_options_are_different_answers(name: str) -> None:
    for example in drawn(name):
        if isinstance(example.question, Choice):
            labels = list(example.question.criteria)
            assert len({normal(label) for label in labels}) == len(labels), labels
        elif isinstance(example.question, Score):
            assert len(set(example.question.criteria)) == len(example.question.criteria)


@every
def test_no_text_has_an_unfilled_slot(name: str) -> None:
    for example in drawn(name):
        question = example.question
        asked = json.dumps([question.instructions, question.criteria], ensure_ascii=False)
        assert "{}" not in asked
        for slot in ("{v}", "{name}", "{clause}", "{noun}", "{thing}", "{what}", "{bound}"):
            assert slot not in asked and slot not in state(example)


@every
def test_states_are_as_long_as_texts_that_people_judge(name: str) -> None:
    lengths = sorted(len(state(rows[0]).split()) for rows in by_group(drawn(name)).values())
    assert 12 < lengths[len(lengths) // 2] < 260
    assert lengths[-1] < 1200


@every
def test_hard_answers_keep_most_of_their_mass(name: str) -> None:
    if name in SOFT | {"unknowable", "severity"}:
        return
    assert min(max(e.target) for e in drawn(name)) > 0.6


def by_group(examples: tuple[Example, ...]) -> dict[str, list[Example]]:
    groups = defaultdict(list)
    for example in examples:
        groups[example.group].append(example)
    return groups


def choices(name: str) -> list[Example]:
    return [
        e
        for e in drawn(name)
        if isinstance(e.question, Choice) and len(e.target) > 1 and max(e.target) > 0.6
    ]


def state(example: Example) -> str:
    body = example.state
    return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, sort_keys=True)
