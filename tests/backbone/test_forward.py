"""Walking a batch: in steps, in parts, from stored prefixes; always the same hidden states."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from support.reference import reference_forward, reference_model
from support.tiny import tiny_config, tiny_decoder, tiny_runtime
from support.trees import Tree, bushy_tree

from steelyard.backbone import forward
from steelyard.backbone.config import from_hf
from steelyard.backbone.decoder import Decoder
from steelyard.backbone.torch_runtime import TorchRuntime
from steelyard.errors import CapabilityError
from steelyard.tokens.plan import ROOT, HiddenRead


@pytest.fixture(scope="module")
def runtime() -> TorchRuntime:
    return tiny_runtime(tiny_config(layers=4))


def run(runtime, batch, contexts=(), to_layer=4):
    return runtime.advance(runtime.start(batch, contexts), to_layer)


def measured(runtime, state):
    """(segment's plan and node, offset) -> what was read there."""
    return {
        (state.batch.segments[read.segment].node, read.read.offset): value
        for read, value in zip(state.batch.reads, runtime.measure(state), strict=True)
    }


def assert_same(found, expected, atol=2e-5):
    assert found.keys() == expected.keys()
    for key, value in found.items():
        np.testing.assert_allclose(value, expected[key], atol=atol, err_msg=str(key))


def test_every_branch_equals_a_forward_pass_of_its_own_text():
    model = reference_model("llama")
    config = from_hf(model.config.to_dict())
    runtime = TorchRuntime(Decoder.from_weights(config, model.state_dict().items()), digest="")
    tree = Tree()
    root = tree.add(19)
    leaves = [tree.add(length, tree.add(5, root)) for length in (3, 8, 1)]
    for leaf in leaves:
        tree.read(leaf)
    values = runtime.measure(runtime.advance(runtime.start(tree.batch()), 3))
    for leaf, value in zip(leaves, values, strict=True):
        parent = tree.segments[leaf].parent
        text = np.array(tree.tokens(root) + tree.tokens(parent) + tree.tokens(leaf))
        hidden, _ = reference_forward(model, text)
        np.testing.assert_allclose(value, hidden[-1][-1].numpy(), atol=5e-5)


def test_layer_by_layer_equals_at_once(runtime):
    tree = bushy_tree()
    tree.read_all()
    state = runtime.start(tree.batch())
    for layer in (1, 1, 3, 4):
        state = runtime.advance(state, layer)
        assert state.layer == layer
    for found, expected in zip(
        runtime.measure(state), runtime.measure(run(runtime, tree.batch())), strict=True
    ):
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("layer", [0, 1, 3, 4])
def test_keeping_a_part_changes_nothing_in_it(runtime, layer):
    tree = bushy_tree()
    tree.read_all()
    everything = measured(runtime, run(runtime, tree.batch()))
    joined = next(i for i, s in enumerate(tree.segments) if s.sees)
    kept = [joined, 4]
    state = runtime.keep(run(runtime, tree.batch(), to_layer=layer), kept)
    assert [s.node for s in state.batch.segments] == sorted(
        {joined, 4, *tree.segments[joined].sees, tree.segments[joined].parent, 1, 0}
    )
    assert len(state.hidden) < len(tree.ids)
    found = measured(runtime, runtime.advance(state, 4))
    assert_same(found, {key: everything[key] for key in everything if key[0] in kept})


def test_kept_segments_may_be_cut_again(runtime):
    tree = bushy_tree()
    tree.read_all()
    everything = measured(runtime, run(runtime, tree.batch()))
    state = runtime.keep(run(runtime, tree.batch(), to_layer=1), [1, 4, 7])
    nodes = [s.node for s in state.batch.segments]
    state = runtime.keep(runtime.advance(state, 2), [nodes.index(4)])
    found = measured(runtime, runtime.advance(state, 4))
    assert_same(found, {key: everything[key] for key in everything if key[0] == 4})


def test_segments_to_be_captured_survive_keep(runtime):
    tree = Tree()
    tree.add(5)
    root = tree.add(9, capture=True)
    leaf = tree.add(3, root)
    lone = tree.add(4)
    tree.read(leaf)
    tree.read(lone)
    (expected,) = runtime.captured(run(runtime, tree.batch())).values()
    state = runtime.keep(run(runtime, tree.batch(), to_layer=2), [lone])
    (prefix,) = runtime.captured(runtime.advance(state, 4)).values()
    assert (prefix.ids, prefix.layer) == (tuple(tree.tokens(root)), 4)
    for found, layer in zip(prefix.layers, expected.layers, strict=True):
        torch.testing.assert_close(found, layer)


def branches_of(prefix_tokens, whole, *, contexts=(), capture=False):
    """The same three branches after `prefix_tokens`, which are in the batch or stored."""
    tree = Tree(seed=1, contexts=contexts)
    root = tree.add(prefix_tokens, capture=capture) if whole else ROOT
    for length in (4, 1, 6):
        tree.read(tree.add(length, root, context=ROOT if whole else 0))
    return tree


def test_a_stored_prefix_equals_a_fresh_one(runtime):
    text = np.random.default_rng(3).integers(0, 320, 30).tolist()
    fresh = branches_of(text, True, capture=True)
    state = run(runtime, fresh.batch())
    (prefix,) = runtime.captured(state).values()
    prefix.check_integrity()
    stored = branches_of(text, False, contexts=(30,))
    assert stored.ids == fresh.ids[30:]
    again = runtime.measure(run(runtime, stored.batch(), [prefix]))
    for found, expected in zip(again, runtime.measure(state), strict=True):
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("exit_layer", [0, 2, 3])
def test_a_shallow_prefix_deepens_with_the_batch_that_continues_it(
    runtime, exit_layer, monkeypatch
):
    text = np.random.default_rng(3).integers(0, 320, 30).tolist()
    fresh = branches_of(text, True, capture=True)
    state = run(runtime, fresh.batch(), to_layer=exit_layer)
    (prefix,) = runtime.captured(state).values()
    assert prefix.layer == exit_layer
    prefix.check_integrity()
    before = [keys for keys, _ in prefix.layers]

    stored = branches_of(text, False, contexts=(30,))
    again = runtime.measure(run(runtime, stored.batch(), [prefix]))
    assert prefix.layer == 4
    prefix.check_integrity()
    assert prefix.hidden is None
    assert all(keys is old for (keys, _), old in zip(prefix.layers, before, strict=False))
    # the state that it was captured from goes on, and leaves the deeper prefix alone
    for found, expected in zip(again, runtime.measure(runtime.advance(state, 4)), strict=True):
        assert np.array_equal(found, expected)
    assert prefix.layer == 4


def test_a_growing_text_refers_to_its_past(runtime):
    text = np.random.default_rng(4).integers(0, 320, 40).tolist()
    whole = branches_of(text, True)
    expected = runtime.measure(run(runtime, whole.batch()))

    first = Tree()
    first.add(text[:25], capture=True)
    (past,) = runtime.captured(run(runtime, first.batch(), to_layer=2)).values()
    second = Tree(seed=1, contexts=(25,))
    root = second.add(text[25:], context=0, capture=True)
    for length in (4, 1, 6):
        second.read(second.add(length, root))
    state = run(runtime, second.batch(), [past], to_layer=1)
    (present,) = runtime.captured(state).values()
    assert present.parent is past
    assert present.ids == tuple(text)
    assert (present.layer, past.layer) == (1, 2)
    present.check_integrity()
    own = 15 * (2 * 2 * 8 + 32) * 4
    assert present.num_bytes == own  # keys and values of one layer, hidden states; own tokens only

    third = branches_of(text, False, contexts=(40,))
    for found, value in zip(
        runtime.measure(run(runtime, third.batch(), [present])), expected, strict=True
    ):
        np.testing.assert_allclose(found, value, atol=2e-5)
    assert (present.layer, past.layer) == (4, 4)
    present.check_integrity()


def test_nested_segments_are_captured_as_a_chain(runtime):
    tree = Tree()
    root = tree.add(7, capture=True)
    tree.add(2, root)
    middle = tree.add(3, root)
    leaf = tree.add(5, middle, capture=True)
    prefixes = runtime.captured(run(runtime, tree.batch()))
    assert prefixes[leaf].parent is prefixes[root]
    text = tree.tokens(root) + tree.tokens(middle) + tree.tokens(leaf)
    assert prefixes[leaf].ids == tuple(text)
    expected = runtime.measure(run(runtime, branches_of(text, True).batch()))
    found = runtime.measure(
        run(runtime, branches_of(text, False, contexts=(15,)).batch(), [prefixes[leaf]])
    )
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=2e-5)


def test_contexts_that_no_kept_segment_continues_are_let_go(runtime):
    prefixes = []
    for seed in (7, 8):
        tree = Tree(seed)
        tree.add(6, capture=True)
        prefixes += runtime.captured(run(runtime, tree.batch(), to_layer=1)).values()
    tree = Tree(contexts=(6, 6))
    tree.read(tree.add(2, context=0))
    tree.read(tree.add(3, context=1))
    state = runtime.keep(run(runtime, tree.batch(), prefixes, to_layer=1), [1])
    runtime.advance(state, 4)
    assert [prefix.layer for prefix in prefixes] == [1, 4]


def test_a_prefix_must_not_join_siblings(runtime):
    tree = Tree()
    root = tree.add(4)
    option = tree.add(2, root)
    tree.add(2, root, sees=(option,), capture=True)
    with pytest.raises(CapabilityError, match="cannot be a prefix"):
        runtime.start(tree.batch())


def test_gradients_flow_through_a_segmented_walk():
    tree = bushy_tree()
    tree.read_all()
    decoder, batch = tiny_decoder(), tree.batch()
    weight = decoder.layers[0].mlp.up_proj.weight

    def loss() -> torch.Tensor:
        state = forward.advance(decoder, forward.start(decoder, batch), 1)
        state = forward.advance(decoder, forward.keep(decoder, state, [4, 7]), 3)
        return forward.at_reads(decoder, state).square().mean()

    weight.requires_grad_()
    (slope,) = torch.autograd.grad(loss(), weight)
    step = 1e-2 / slope.norm()
    with torch.no_grad():
        centre = weight.clone()
        weight.copy_(centre + step / 2 * slope)
        above = loss()
        weight.copy_(centre - step / 2 * slope)
        below = loss()
    torch.testing.assert_close(above - below, slope.square().sum() * step, rtol=1e-2, atol=0)


def test_a_batch_without_reads_measures_nothing(runtime):
    tree = Tree()
    tree.add(3)
    assert list(runtime.measure(run(runtime, tree.batch()))) == []


def test_hidden_reads_may_repeat_a_row(runtime):
    tree = Tree()
    root = tree.add(5)
    tree.read(root, HiddenRead(2))
    tree.read(root, HiddenRead(2))
    first, second = runtime.measure(run(runtime, tree.batch()))
    assert np.array_equal(first, second)
