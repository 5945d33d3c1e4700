"""What every runtime with exits and stored prefixes must hold, whatever it computes with."""

from __future__ import annotations

import numpy as np
import pytest
from support.arrays import tiny_openvino
from support.tiny import tiny_config, tiny_runtime
from support.trees import Tree, bushy_tree

from steelyard.errors import CapabilityError
from steelyard.tokens.plan import ROOT, HiddenRead, LogitRead, LogProbRead

CONFIG = tiny_config(layers=4)
MAKERS = {"torch": tiny_runtime, "openvino": tiny_openvino}


@pytest.fixture(scope="module", params=MAKERS)
def runtime(request):
    return MAKERS[request.param](CONFIG)


def run(runtime, batch, contexts=(), to_layer=4):
    return runtime.advance(runtime.start(batch, contexts), to_layer)


def measured(runtime, state):
    """(segment's plan and node, offset) -> what was read there."""
    return {
        (state.batch.segments[read.segment].node, read.read.offset): value
        for read, value in zip(state.batch.reads, runtime.measure(state), strict=True)
    }


def assert_close(found, expected, atol=2e-5):
    assert len(found) == len(expected)
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=atol, rtol=0)


def branches_of(prefix, whole, *, contexts=(), capture=False):
    """The same three branches after these tokens, which are in the batch or stored."""
    tree = Tree(seed=1, contexts=contexts)
    root = tree.add(prefix, capture=capture) if whole else ROOT
    for length in (4, 1, 6):
        tree.read(tree.add(length, root, context=ROOT if whole else 0))
    return tree


def test_layer_by_layer_equals_at_once(runtime):
    tree = bushy_tree()
    tree.read_all()
    state = runtime.start(tree.batch())
    for layer in (1, 1, 3, 4):
        state = runtime.advance(state, layer)
        assert state.layer == layer
    assert_close(runtime.measure(state), runtime.measure(run(runtime, tree.batch())))


def test_a_branch_alone_equals_itself_among_others(runtime):
    tree = bushy_tree()
    tree.read_all()
    together = measured(runtime, run(runtime, tree.batch()))
    for index, segment in enumerate(tree.segments):
        if segment.sees or segment.parent == ROOT:
            continue
        path = [index]
        while tree.segments[path[0]].parent != ROOT:
            path.insert(0, tree.segments[path[0]].parent)
        alone = Tree()
        alone.read(alone.add([token for one in path for token in tree.tokens(one)]))
        (value,) = runtime.measure(run(runtime, alone.batch()))
        last = segment.end - segment.begin - 1
        np.testing.assert_allclose(value, together[index, last], atol=2e-5)


@pytest.mark.parametrize("layer", [0, 1, 3, 4])
def test_keeping_a_part_changes_nothing_in_it(runtime, layer):
    tree = bushy_tree()
    tree.read_all()
    everything = measured(runtime, run(runtime, tree.batch()))
    joined = next(i for i, s in enumerate(tree.segments) if s.sees)
    kept = [joined, 4]
    state = runtime.keep(run(runtime, tree.batch(), to_layer=layer), kept)
    assert len(state.hidden) < len(tree.ids)
    found = measured(runtime, runtime.advance(state, 4))
    expected = {key: everything[key] for key in everything if key[0] in kept}
    assert found.keys() == expected.keys()
    assert_close(list(found.values()), [expected[key] for key in found])


def test_a_stored_prefix_equals_a_fresh_one(runtime):
    text = np.random.default_rng(3).integers(0, 320, 30).tolist()
    fresh = branches_of(text, True, capture=True)
    state = run(runtime, fresh.batch())
    (prefix,) = runtime.captured(state).values()
    prefix.check_integrity()
    assert prefix.num_bytes == 30 * 4 * 2 * 2 * 8 * 4  # tokens, layers, pair, heads, dims, float32
    stored = branches_of(text, False, contexts=(30,))
    again = runtime.measure(run(runtime, stored.batch(), [prefix]))
    assert_close(again, runtime.measure(state))


@pytest.mark.parametrize("exit_layer", [0, 2, 3])
def test_a_shallow_prefix_deepens_with_the_batch_that_continues_it(runtime, exit_layer):
    text = np.random.default_rng(3).integers(0, 320, 30).tolist()
    fresh = branches_of(text, True, capture=True)
    state = run(runtime, fresh.batch(), to_layer=exit_layer)
    (prefix,) = runtime.captured(state).values()
    assert prefix.layer == exit_layer
    prefix.check_integrity()
    stored = branches_of(text, False, contexts=(30,))
    again = runtime.measure(run(runtime, stored.batch(), [prefix]))
    assert prefix.layer == 4 and prefix.hidden is None
    prefix.check_integrity()
    # the state that it was captured from goes on, and leaves the deeper prefix alone
    assert_close(again, runtime.measure(runtime.advance(state, 4)))
    assert prefix.layer == 4


def test_a_growing_text_refers_to_its_past(runtime):
    text = np.random.default_rng(4).integers(0, 320, 40).tolist()
    expected = runtime.measure(run(runtime, branches_of(text, True).batch()))
    first = Tree()
    first.add(text[:25], capture=True)
    (past,) = runtime.captured(run(runtime, first.batch(), to_layer=2)).values()
    second = Tree(seed=1, contexts=(25,))
    root = second.add(text[25:], context=0, capture=True)
    for length in (4, 1, 6):
        second.read(second.add(length, root))
    state = run(runtime, second.batch(), [past], to_layer=1)
    (present,) = runtime.captured(state).values()
    assert present.parent is past and present.ids == tuple(text)
    present.check_integrity()
    assert present.num_bytes == 15 * (2 * 2 * 8 + 32) * 4  # own tokens only
    third = branches_of(text, False, contexts=(40,))
    assert_close(runtime.measure(run(runtime, third.batch(), [present])), expected)
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
    prefixes[leaf].check_integrity()
    text = tree.tokens(root) + tree.tokens(middle) + tree.tokens(leaf)
    assert prefixes[leaf].ids == tuple(text)
    expected = runtime.measure(run(runtime, branches_of(text, True).batch()))
    continued = branches_of(text, False, contexts=(15,)).batch()
    assert_close(runtime.measure(run(runtime, continued, [prefixes[leaf]])), expected)


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


def test_a_batch_without_reads_measures_nothing(runtime):
    tree = Tree()
    tree.add(3)
    assert list(runtime.measure(run(runtime, tree.batch()))) == []


def test_reads_of_all_kinds_come_back_in_order(runtime):
    tree = bushy_tree()
    for segment in range(len(tree.segments)):
        tree.read(segment, HiddenRead(0))
        tree.read(segment, LogitRead(0, (5, 0, 319)))
        tree.read(segment, LogProbRead(0, 7))
    for layer in (1, 4):
        values = runtime.measure(run(runtime, tree.batch(), to_layer=layer))
        assert [(v.dtype, v.shape) for v in values[:3]] == [
            (np.float32, (32,)),
            (np.float64, (3,)),
            (np.float64, ()),
        ]
        assert max(values[2::3]) <= 0
