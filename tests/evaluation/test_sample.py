"""A sample takes whole groups, and a larger one begins with a smaller one."""

from steelyard.evaluation.sample import sample
from steelyard.types.example import Example
from steelyard.types.question import Noul

EXAMPLES = [
    Example(f"state {group}", Noul(f"Question {number}?"), (1.0, 0.0), "s", f"g{group}", "MIT")
    for group in range(20)
    for number in range(1 + group % 3)
]


def test_groups_stay_whole_and_the_limit_is_reached():
    taken = sample(EXAMPLES, 10, seed=1)
    assert 10 <= len(taken) < 13
    groups = {example.group for example in taken}
    assert len(taken) == sum(example.group in groups for example in EXAMPLES)


def test_a_larger_sample_begins_with_a_smaller_one():
    small, large = sample(EXAMPLES, 8, seed=1), sample(EXAMPLES, 20, seed=1)
    assert large[: len(small)] == small
    assert sample(EXAMPLES, 8, seed=2) != small


def test_no_limit_is_everything_in_order():
    assert sample(EXAMPLES, None, seed=1) == EXAMPLES
    assert sorted(sample(EXAMPLES, 999, seed=1), key=EXAMPLES.index) == EXAMPLES
