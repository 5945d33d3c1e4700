from decimal import Decimal
from random import Random

import pytest

from steelyard.data.figures import figure, numbers_in, wrong_figures


@pytest.mark.parametrize(
    ("text", "value", "again", "other"),
    [
        ("$ 1,200.5 million", "1200.5", "$ 1,200.5 million", "$ 3,400.0 million"),
        ("-3.25%", "-3.25", "-3.25%", "3,400.00%"),
        ("$-12", "-12", "-$12", "$3,400"),
        ("42", "42", "42", "3,400"),
        ("1420", "1420", "1420", "3400"),
        ("7,200 people", "7200", "7,200 people", "3,400 people"),
        (".5", "0.5", "0.5", "3,400.0"),
    ],
)
def test_a_figure_writes_other_values_in_its_own_look(
    text: str, value: str, again: str, other: str
) -> None:
    found = figure(text)
    assert found is not None
    assert found.value == Decimal(value)
    assert found.write(found.value) == again
    assert found.write(Decimal(3400)) == other


@pytest.mark.parametrize(
    "text", ["", "yes", "May 3, 2001", "12 to 14", "1" * 40, "1.2.3", "1,20", "n/a"]
)
def test_what_is_no_figure_is_none(text: str) -> None:
    assert figure(text) is None


def test_only_a_bare_whole_number_can_be_a_year() -> None:
    years = [text for text in ("1999", "1,999", "1999%", "$1999", "3000") if figure(text).is_year]
    assert years == ["1999"]


def test_numbers_in_text_are_read_with_their_commas_and_no_parts_of_words() -> None:
    text = "In 1998 they paid $1,250.75, a B2 of 3.5% (or -4), v1.2.3 apart, 12,34."
    assert numbers_in(text) == [Decimal(n) for n in ("1998", "1250.75", "3.5", "-4")]


@pytest.mark.parametrize("gold", ["12.4%", "-12.4%", "$ 1,500", "7", "0", "1987", "0.05", "99.9"])
def test_wrong_figures_differ_and_keep_unit_precision_and_magnitude(gold: str) -> None:
    right = figure(gold)
    assert right is not None
    for seed in range(40):
        wrong = wrong_figures(right, 5, Random(seed), nearby=[Decimal(5), Decimal(900_000)])
        assert len(wrong) == len(set(wrong)) == 5
        for text in wrong:
            other = figure(text)
            assert other is not None
            assert (other.suffix, other.decimals) == (right.suffix, right.decimals)
            assert other.prefix == right.prefix
            assert other.value != right.value
            if right.value:
                assert Decimal("0.1") < abs(other.value / right.value) < 10


def test_results_of_wrong_operations_come_first() -> None:
    right = figure("50%")
    assert right is not None
    computed = [Decimal(40), Decimal(60)]
    wrong = wrong_figures(right, 2, Random(0), computed=computed, nearby=[Decimal(55)])
    assert set(wrong) == {"40%", "60%"}


def test_a_value_one_unit_of_the_last_decimal_away_is_not_called_wrong() -> None:
    right = figure("93.5%")
    assert right is not None
    close = [Decimal("93.6"), Decimal("93.45"), Decimal("93.4")]
    for seed in range(20):
        wrong = wrong_figures(right, 8, Random(seed), computed=close)
        assert not {"93.4%", "93.6%"} & set(wrong)


def test_whole_numbers_of_a_document_do_not_stand_beside_a_computed_fraction() -> None:
    right = figure("66.94%")
    assert right is not None
    for seed in range(30):
        wrong = wrong_figures(right, 6, Random(seed), nearby=[Decimal(31), Decimal("12.5")])
        assert len(wrong) == 6 and not any(text.endswith("0%") for text in wrong)


def test_years_of_a_document_are_candidates_for_a_year_only() -> None:
    amount, year = figure("1222 million"), figure("2017")
    assert amount is not None and year is not None
    given = [Decimal(2018), Decimal(2019)]
    assert not set(wrong_figures(amount, 5, Random(0), nearby=given)) & {"2018 million"}
    assert set(wrong_figures(year, 2, Random(0), nearby=given)) == {"2018", "2019"}


def test_a_value_below_zero_does_not_stand_alone() -> None:
    right = figure("-12.6")
    assert right is not None
    given = [Decimal(n) / 10 for n in range(21, 99, 2)]
    wrong = [
        text for seed in range(30) for text in wrong_figures(right, 4, Random(seed), nearby=given)
    ]
    assert 0.4 < sum(text.startswith("-") for text in wrong) / len(wrong) < 0.8


def test_results_of_any_size_are_passed_over_and_not_choked_on() -> None:
    right = figure("12.5")
    assert right is not None
    wild = [Decimal(10) ** 60, Decimal(1) / 10**60, Decimal(0), Decimal(-(10**40))]
    wrong = wrong_figures(right, 4, Random(0), computed=wild)
    assert len(wrong) == 4 and max(map(len, wrong)) < 6


def test_the_right_answer_is_not_always_the_one_in_the_middle() -> None:
    right = figure("500")
    assert right is not None
    ranks = []
    for seed in range(200):
        wrong = wrong_figures(right, 4, Random(seed))
        ranks.append(sum(Decimal(text) < 500 for text in wrong))
    assert min(ranks.count(rank) for rank in range(5)) > 10
