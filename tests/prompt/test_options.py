from steelyard.prompt.options import OptionSet, option_set
from steelyard.types.question import Choice, Noul, Score


def test_a_noul_has_yes_before_no() -> None:
    assert option_set(Noul("Is it late?")) == OptionSet(
        "noul", "Is it late?", ("true", "false"), ("Yes", "No")
    )


def test_a_noul_of_criteria_alone_asks_a_neutral_question() -> None:
    options = option_set(Noul(criteria={"false": {"on": "time"}, "true": None}))
    assert options.instructions == "Which description fits?"
    assert options.texts == ("Yes", 'No: {"on": "time"}')


def test_a_choice_shows_labels_with_their_descriptions_in_the_callers_order() -> None:
    options = option_set(Choice(["which?"], {"b": "second", "a": None, "c": [3]}))
    assert options.instructions == '["which?"]'
    assert options.keys == ("b", "a", "c")
    assert options.texts == ("b: second", "a", "c: [3]")
    assert len(options) == 3


def test_score_levels_are_shown_without_their_numbers() -> None:
    options = option_set(Score(None, ["bad", {"very": "good"}]))
    assert options.keys == ("0", "1")
    assert options.texts == ("bad", '{"very": "good"}')
    assert options.instructions == "Which level fits best?"
