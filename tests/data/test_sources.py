import pytest
from support.examples import source

from steelyard.data.sources import ELSEWHERE, SOURCES, select
from steelyard.errors import RequestError


def test_every_source_has_a_name_of_its_own():
    names = [source.name for source in (*SOURCES, *ELSEWHERE)]
    assert len(names) == len(set(names))


def test_sources_are_chosen_by_name_in_the_order_of_the_registry():
    a, b, c = (source([], name=name) for name in "abc")
    assert select(None, [a, b, c]) == (a, b, c)
    assert select(["c", "a", "c"], [a, b, c]) == (a, c)


def test_sources_whose_files_are_elsewhere_are_taken_by_name_only():
    a, b = (source([], name=name) for name in "ab")
    assert select(None, [a], [b]) == (a,)
    assert select(["b"], [a], [b]) == (b,)


def test_an_unknown_source_says_which_there_are():
    with pytest.raises(RequestError, match="got 'x'; allowed: a, b"):
        select(["a", "x"], [source([], name=name) for name in "ab"], [])
