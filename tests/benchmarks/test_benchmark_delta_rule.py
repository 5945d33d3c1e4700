"""What the benchmark of the delta rule compares, and how it counts memory."""

from __future__ import annotations

import torch

from benchmarks.delta_rule import by_chunk, by_token, kept_bytes, random_inputs


def test_both_ways_read_the_same_and_chunks_keep_less() -> None:
    inputs = random_inputs(128, key_heads=1, value_heads=2, dim=64)
    torch.testing.assert_close(by_chunk(inputs), by_token(inputs), rtol=0, atol=1e-5)
    one_state = 4 * 2 * 64 * 64
    assert kept_bytes(by_token, inputs) > 128 * one_state > kept_bytes(by_chunk, inputs)


def test_memory_is_counted_once_and_inputs_not_at_all() -> None:
    x = torch.ones(1000, requires_grad=True)
    assert kept_bytes(lambda given: given[0].square(), [x]) == 0
    assert kept_bytes(lambda given: (given[0] + 1).square(), [x]) == 4000
    assert kept_bytes(lambda given: (lambda y: y.square() + y.sin())(given[0] + 1), [x]) == 4000
