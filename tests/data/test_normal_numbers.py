import pytest

from steelyard.data.normal import normal, overlap, same


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("$ 1,200 million", "1200 million"),
        ("-1.50 Million", "-1.5 million"),
        ("the 3.0 towns", "3 towns"),
        ("F.B.I.", "f b i"),
        ("3.5.2001", "3-5-2001"),
    ],
)
def test_numbers_within_a_text_are_compared_by_value(first: str, second: str) -> None:
    assert same(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("-12.6 million", "12.6 million"),
        ("-$5 a day", "$5 a day"),
        ("1.26 million", "12.6 million"),
    ],
)
def test_sign_and_point_of_a_number_within_a_text_count(first: str, second: str) -> None:
    assert not same(first, second) and not overlap(first, second)


def test_a_hyphen_between_words_or_numbers_is_no_sign() -> None:
    assert normal("1990-1995") == "1990 1995"
    assert normal("well-known B-2") == "well known b 2"
