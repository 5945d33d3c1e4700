import pytest

from steelyard.data.answer_kinds import kind_of, same_kind, spans


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Yes", "yes/no"),
        ("May 3, 2001", "date"),
        ("3 May 2001", "date"),
        ("2001-05-03", "date"),
        ("1998", "year"),
        ("$ 1,998", "number"),
        ("7,200 people", "number"),
        ("Jane Austen", "name"),
        ("a river in France", "phrase"),
    ],
)
def test_short_answers_have_a_kind(text: str, kind: str) -> None:
    assert kind_of(text) == kind


def test_candidates_of_another_kind_are_left_out() -> None:
    assert same_kind("Paris", ["Rome", "1998", "a town", "May 3, 2001", "12%"]) == ["Rome"]


def test_spans_are_dates_years_and_names_but_not_the_first_word_of_a_sentence() -> None:
    text = "The river Seine flows through Paris. Then, on May 3, 2001, Bank of Lyon closed in 1998."
    found = spans(text)
    assert {"Seine", "Paris", "Bank of Lyon", "May 3, 2001", "1998", "2001"} <= set(found)
    assert "The" not in found and "Then" not in found


def test_two_names_are_two_and_function_words_are_none() -> None:
    text = "He met Ann Lee and Bob Ray in 1999 The town, called 'New Troy', grew. We saw There."
    found = spans(text)
    assert {"Ann Lee", "Bob Ray", "New Troy"} <= set(found)
    assert not {"The", "He", "We", "There", "Ann Lee and Bob Ray"} & set(found)
