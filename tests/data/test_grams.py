import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from steelyard.data.grams import Table, gram_hashes

WORDS = st.lists(st.sampled_from("abcd"), max_size=25)


def grams(words: list[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


@given(st.lists(WORDS, max_size=4), WORDS, st.integers(1, 5))
def test_what_is_found_is_what_stands_there(files, text, n):
    table = Table.of(gram_hashes(file, n) for file in files)
    found, numbers = table.find(gram_hashes(text, n))
    stands = [{number for number, file in enumerate(files) if g in grams(file, n)}
              for g in grams(text, n)]  # fmt: skip
    assert found.tolist() == [bool(where) for where in stands]
    assert numbers == set().union(*stands)


def test_passages_of_many_words_do_not_collide():
    words = [str(number) for number in range(50_000)]
    forward, backward = gram_hashes(words, 13), gram_hashes(words[::-1], 13)
    assert len(np.unique(np.concatenate([forward, backward]))) == 2 * (50_000 - 12)


def test_the_order_of_words_matters():
    assert gram_hashes(["a", "b"], 2) != gram_hashes(["b", "a"], 2)
