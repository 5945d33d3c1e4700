"""Reads as numbers, against the whole head multiplied in float64."""

from __future__ import annotations

import numpy as np
import pytest
from support.tiny import tiny_config, tiny_runtime
from support.trees import Tree, bushy_tree

from steelyard.backbone import measure
from steelyard.tokens.plan import HiddenRead, LogitRead, LogProbRead


@pytest.fixture(scope="module", params=[True, False], ids=["tied", "untied"])
def runtime(request):
    return tiny_runtime(tiny_config(tied=request.param))


def all_logits(runtime, hidden):
    """(rows, vocab), float64, from hidden states after the final norm."""
    head = runtime.decoder.head.detach().numpy()
    return np.stack(hidden).astype(np.float64) @ head.T.astype(np.float64)


def test_hidden_states_are_those_after_the_final_norm(runtime):
    tree = bushy_tree()
    tree.read_all()
    decoder = runtime.decoder
    for layer in (0, 1, 3):
        state = runtime.advance(runtime.start(tree.batch()), layer)
        x = state.hidden.double().numpy()
        x /= np.sqrt((x**2).mean(axis=-1, keepdims=True) + decoder.config.norm_eps)
        expected = x * decoder.norm.weight.double().numpy()
        np.testing.assert_allclose(np.stack(runtime.measure(state)), expected, atol=1e-5)


def test_reads_of_all_kinds_come_back_in_order(runtime):
    tree = bushy_tree()
    for segment in range(len(tree.segments)):
        tree.read(segment, HiddenRead(0))
        tree.read(segment, LogitRead(0, (5, 0, 319)))
        tree.read(segment, LogProbRead(0, 7))
        tree.read(segment, LogitRead(0, (9,)))
        tree.read(segment, LogProbRead(0, 8))
    for layer in (1, 3):
        state = runtime.advance(runtime.start(tree.batch()), layer)
        values = runtime.measure(state)
        logits = all_logits(runtime, values[0::5])
        log_probs = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
        np.testing.assert_allclose(values[1::5], logits[:, [5, 0, 319]], atol=1e-5)
        np.testing.assert_allclose(values[2::5], log_probs[:, 7], atol=1e-5)
        np.testing.assert_allclose(values[3::5], logits[:, [9]], atol=1e-5)
        np.testing.assert_allclose(values[4::5], log_probs[:, 8], atol=1e-5)
        assert [(v.dtype, v.shape) for v in values[:3]] == [
            (np.float32, (32,)),
            (np.float64, (3,)),
            (np.float64, ()),
        ]


def test_blocks_of_rows_and_vocabulary_change_nothing(runtime, monkeypatch):
    tree = Tree()
    sequence = tree.add(60)
    for offset in range(60):
        tree.read(sequence, LogProbRead(offset, 5 * offset))
    state = runtime.advance(runtime.start(tree.batch()), 3)
    whole = runtime.measure(state)
    monkeypatch.setattr(measure, "ROWS_PER_BLOCK", 23)
    monkeypatch.setattr(measure, "VOCAB_PER_BLOCK", 50)
    np.testing.assert_allclose(runtime.measure(state), whole, atol=1e-5)


def test_probabilities_of_all_tokens_sum_to_one(runtime):
    tree = Tree()
    sequence = tree.add(3)
    for target in range(320):
        tree.read(sequence, LogProbRead(2, target))
    values = runtime.measure(runtime.advance(runtime.start(tree.batch()), 3))
    assert np.exp(values).sum() == pytest.approx(1, abs=1e-5)
    assert max(values) <= 0


def test_no_token_is_more_than_certain():
    runtime = tiny_runtime(tiny_config(tied=False))
    runtime.decoder.lm_head.weight.mul_(30)
    tree = Tree()
    sequence = tree.add(60)
    for offset in range(60):
        tree.read(sequence, LogitRead(offset, tuple(range(320))))
    state = runtime.advance(runtime.start(tree.batch()), 3)
    likeliest = [int(logits.argmax()) for logits in runtime.measure(state)]
    tree.reads.clear()
    for offset, target in enumerate(likeliest):
        tree.read(sequence, LogProbRead(offset, target))
    values = runtime.measure(runtime.advance(runtime.start(tree.batch()), 3))
    assert max(values) == 0
