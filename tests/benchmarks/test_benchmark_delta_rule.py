"""What the benchmarks of training compare, and how they count memory."""

from __future__ import annotations

import torch
from support.tiny import hybrid_config

from benchmarks.delta_rule import by_chunk, by_token, random_inputs
from benchmarks.kept import kept_bytes
from benchmarks.train_memory import by_layer


def test_both_ways_read_the_same_and_chunks_keep_less() -> None:
    inputs = random_inputs(128, key_heads=1, value_heads=2, dim=64)
    torch.testing.assert_close(by_chunk(inputs), by_token(inputs), rtol=0, atol=1e-5)
    one_state = 4 * 2 * 64 * 64
    kept = [kept_bytes(lambda rule=rule: rule(inputs), inputs) for rule in (by_token, by_chunk)]
    assert kept[0] > 128 * one_state > kept[1]


def test_memory_is_counted_once_and_inputs_not_at_all() -> None:
    x = torch.ones(1000, requires_grad=True)
    assert kept_bytes(lambda: x.square(), [x]) == 0
    assert kept_bytes(lambda: x.square(), []) == 4000
    assert kept_bytes(lambda: (x + 1).square(), [x]) == 4000
    assert kept_bytes(lambda: (lambda y: y.square() + y.sin())(x + 1), [x]) == 4000


def test_what_layers_keep_grows_with_the_text_and_weights_are_no_part_of_it() -> None:
    config = hybrid_config()
    one, two = (by_layer(config, tokens, rank=4) for tokens in (128, 256))
    for short, long in zip(one, two, strict=True):
        assert 1.8 * short < long < 2.2 * short  # the squares of attention are blocks
        assert short > 128 * 4 * config.width
