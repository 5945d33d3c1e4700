from dataclasses import dataclass
from itertools import islice

from steelyard.training.stream import Cursor, steps


@dataclass(frozen=True)
class Made:
    name: str
    num_tokens: int


START = Cursor()


def run(start=START, count=6):
    """Epochs of five bundles with 1 to 5 tokens, at least 4 tokens a step."""

    def epoch(number):
        return [(number, size) for size in (1, 2, 3, 4, 5)]

    def ask(bundle):
        return Made(f"{bundle[0]}/{bundle[1]}", bundle[1])

    return list(islice(steps(epoch, ask, 4, start), count))


def test_a_step_ends_with_the_bundle_that_fills_it():
    (first, _), (second, _), (third, _), (fourth, _) = run(count=4)
    assert [one.name for one in first] == ["0/1", "0/2", "0/3"]
    assert [one.name for one in second] == ["0/4"]
    assert [one.name for one in third] == ["0/5"]
    assert [one.name for one in fourth] == ["1/1", "1/2", "1/3"]


def test_from_every_cursor_the_same_steps_follow():
    whole = run(count=9)
    for index, (_, cursor) in enumerate(whole):
        follow = run(cursor, count=2)
        expected = whole[index + 1 : index + 3]
        assert [made for made, _ in follow][: len(expected)] == [made for made, _ in expected]


def test_a_step_may_begin_in_one_epoch_and_end_in_the_next():
    def epoch(number):
        return [number]

    made = list(islice(steps(epoch, lambda n: Made(str(n), 1), 3, Cursor()), 2))
    assert [[one.name for one in each] for each, _ in made] == [["0", "1", "2"], ["3", "4", "5"]]
