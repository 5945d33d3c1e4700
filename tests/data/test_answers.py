from random import Random

from support.conversions import asked, choices, nouls, options, right

from steelyard.data.answers import ShortAnswer, ask, closed_pick, wrong_answers
from steelyard.data.ask import Origin
from steelyard.data.normal import overlap
from steelyard.types.example import Example

ORIGIN = Origin("test", "MIT", "1")
TOWN = ShortAnswer(
    "Where was {he} born?",
    "Yadkinville",
    aliases=["Yadkinville, North Carolina"],
    near=["Yadkinville", "North Carolina", "Durham", "1998", "a town", "yadkinville (town)"],
    far=["Boston", "Leeds", "Rome", "42", "Yadkinville", "DURHAM", "durham"],
)


def examples(answer: ShortAnswer, count: int = 200) -> list[Example]:
    return [each for seed in range(count) for each in ask(ORIGIN, "text", answer, Random(seed))]


def test_wrong_answers_are_of_the_right_kind_and_no_alias_or_part_of_one() -> None:
    for seed in range(50):
        wrong = wrong_answers(TOWN, 4, Random(seed))
        assert set(wrong) == {"Durham", "Boston", "Leeds", "Rome"}
        assert not any(overlap(text, "Yadkinville, North Carolina") for text in wrong)


def test_answers_of_the_document_come_before_those_of_other_rows() -> None:
    for seed in range(20):
        assert wrong_answers(TOWN, 1, Random(seed)) == ["Durham"]


def test_about_a_third_become_checks_and_half_of_those_are_right() -> None:
    found = examples(TOWN, 400)
    checks = nouls(found)
    assert 0.28 < len(checks) / len(found) < 0.42
    yes = [each for each in checks if each.target[0] > 0.5]
    assert 0.35 < len(yes) / len(checks) < 0.65
    assert all(("Yadkinville" in asked(each)) == (each.target[0] > 0.5) for each in checks)


def test_a_choice_holds_the_right_answer_once_and_braces_of_the_question_stay() -> None:
    for each in choices(examples(TOWN)):
        assert right(each) == "Yadkinville" and options(each).count("Yadkinville") == 1
        assert "{he}" in asked(each)


def test_yes_and_no_become_a_noul_that_names_no_answer() -> None:
    for gold in ("yes", "No"):
        found = examples(ShortAnswer("Is it so?", gold), 20)
        assert len(found) == 20 and not choices(found)
        assert {each.target[0] > 0.5 for each in found} == {gold == "yes"}


def test_nothing_is_asked_where_no_wrong_answer_is_at_hand() -> None:
    assert examples(ShortAnswer("Who?", "Ann", near=["Ann", "1998"]), 20) == []


def test_numbers_get_numbers_of_their_unit_whatever_the_document_names() -> None:
    found = choices(examples(ShortAnswer("How much?", "12%", near=["Durham", "30%", "44 cats"])))
    assert found
    assert all(text.endswith("%") for each in found for text in options(each))


def test_a_closed_question_shows_all_of_its_options() -> None:
    given = ["transfer", "failed transfer", "refund"]
    for seed in range(20):
        [each] = closed_pick(ORIGIN, "text", "Which?", "transfer", given, Random(seed))
        assert sorted(options(each)) == sorted(given) and right(each) == "transfer"
