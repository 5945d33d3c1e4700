"""Recurrent layers in a segmented walk: however a text is cut, shared or stored, it is the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch
from support.tiny import hybrid_config, tiny_config, tiny_decoder, tiny_runtime, tiny_weights
from support.trees import Tree

from steelyard.backbone import forward, recurrence
from steelyard.backbone.decoder import Decoder
from steelyard.backbone.delta_net import Convolution
from steelyard.backbone.recurrence import Recurrent
from steelyard.backbone.runtime import JOINS
from steelyard.backbone.state import Prefix
from steelyard.backbone.store import PrefixStore
from steelyard.backbone.torch_runtime import TorchRuntime
from steelyard.errors import CapabilityError
from steelyard.tokens.plan import ROOT, Batch

DEPTH = 5
ATTENTION = 2  # the only layer that is not recurrent
STATE_BYTES = 4 * 8 * 6 * 4
TAIL_BYTES = 3 * (2 * 2 * 8 + 4 * 6) * 4


@pytest.fixture(scope="module")
def runtime() -> TorchRuntime:
    return tiny_runtime(hybrid_config())


def run(runtime: TorchRuntime, batch: Batch, contexts: Sequence[Prefix] = (), to_layer=DEPTH):
    return runtime.advance(runtime.start(batch, contexts), to_layer)


def ends(runtime: TorchRuntime, state) -> list[np.ndarray]:
    """What was read, (reads, width)."""
    return np.stack(runtime.measure(state))


def text(tokens: int, seed: int = 3) -> list[int]:
    return np.random.default_rng(seed).integers(0, 320, tokens).tolist()


def alone(runtime: TorchRuntime, ids: Sequence[int]) -> tuple[np.ndarray, Prefix]:
    """Hidden states of all tokens of a text that is one segment, and the prefix it leaves."""
    tree = Tree()
    tree.add(ids, capture=True)
    tree.read_all()
    state = run(runtime, tree.batch())
    (prefix,) = runtime.captured(state).values()
    prefix.check_integrity()
    return ends(runtime, state), prefix


def assert_same_prefix(found: Prefix, expected: Prefix) -> None:
    """The same text left behind the same, however it was computed."""
    assert found.ids == expected.ids
    for layer in range(expected.layer):
        if layer == ATTENTION:
            parts = zip(*(link.layers[layer] for link in found.chain()), strict=True)
            mine = [torch.cat(part) for part in parts]
        else:
            mine = list(found.layers[layer])
        for one, other in zip(mine, expected.layers[layer], strict=True):
            torch.testing.assert_close(one, other, atol=1e-5, rtol=0)


def forest() -> Tree:
    """Two trees with unequal branches, some of one token and some of more than a chunk."""
    tree = Tree()
    root = tree.add(70)
    for length in (5, 1, 66, 33, 5):
        branch = tree.add(length, root)
        for twig in (2, 1, 70):
            tree.add(twig, branch)
    lone = tree.add(2)
    tree.add(3, lone)
    return tree


def test_every_branch_equals_a_pass_over_its_own_text(runtime):
    tree = forest()
    tree.read_all()
    found = ends(runtime, run(runtime, tree.batch()))
    for segment in tree.segments:
        path, ids = segment, []
        while True:
            ids = tree.ids[path.begin : path.end] + ids
            if path.parent == ROOT:
                break
            path = tree.segments[path.parent]
        fresh, _ = alone(runtime, ids)
        rows = slice(segment.begin, segment.end)
        expected = fresh[len(ids) - (segment.end - segment.begin) :]
        np.testing.assert_allclose(found[rows], expected, atol=1e-5)


def test_waves_of_few_segments_change_nothing(runtime, monkeypatch):
    tree = forest()
    tree.read_all()
    expected = ends(runtime, run(runtime, tree.batch()))
    monkeypatch.setattr(recurrence, "MOST_SEGMENTS", 2)
    np.testing.assert_allclose(ends(runtime, run(runtime, tree.batch())), expected, atol=1e-5)


def test_layer_by_layer_equals_at_once(runtime):
    tree = forest()
    tree.read_all()
    state = runtime.start(tree.batch())
    for layer in (1, 1, 3, 4, 5):
        state = runtime.advance(state, layer)
    assert np.array_equal(ends(runtime, state), ends(runtime, run(runtime, tree.batch())))


@pytest.mark.parametrize("layer", [0, 1, 3])
def test_keeping_a_part_changes_nothing_in_it(runtime, layer):
    tree = forest()
    kept = [3, 4, 11]
    for segment in kept:
        tree.read(segment)
    expected = ends(runtime, run(runtime, tree.batch()))
    for index in (1, 8):
        tree.read(index)
    state = runtime.keep(run(runtime, tree.batch(), to_layer=layer), kept)
    assert len(state.hidden) < len(tree.ids)
    found = ends(runtime, runtime.advance(state, DEPTH))
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("cuts", [(64,), (1, 2, 3), (65, 129), (100,)])
def test_a_text_in_nested_segments_leaves_what_the_whole_leaves(runtime, cuts):
    ids = text(140)
    hidden, whole = alone(runtime, ids)
    tree = Tree()
    parent = ROOT
    for begin, end in zip((0, *cuts), (*cuts, len(ids)), strict=True):
        parent = tree.add(ids[begin:end], parent, capture=True)
    tree.read_all()
    state = run(runtime, tree.batch())
    # chunks begin elsewhere, so sums are taken in another order
    np.testing.assert_allclose(ends(runtime, state), hidden, atol=2e-5)
    prefixes = runtime.captured(state)
    assert_same_prefix(prefixes[parent], whole)
    first = prefixes[0]
    assert_same_prefix(first, alone(runtime, ids[: cuts[0]])[1])


def test_a_prefix_that_skips_segments_ends_where_its_last_one_ends(runtime):
    ids = text(30)
    tree = Tree()
    root = tree.add(ids[:12])
    tree.add(4, root)
    leaf = tree.add(ids[12:], root, capture=True)
    (prefix,) = runtime.captured(run(runtime, tree.batch())).values()
    assert tree.tokens(leaf) == ids[12:]
    assert_same_prefix(prefix, alone(runtime, ids)[1])


@pytest.mark.parametrize("tokens", [1, 2, 30, 64, 130])
@pytest.mark.parametrize("exit_layer", [0, 2, 5])
def test_branches_of_a_stored_prefix_equal_fresh_ones(runtime, tokens, exit_layer):
    ids = text(tokens)
    lengths = (4, 1, 66, 6)
    whole, stored = Tree(seed=1), Tree(seed=1, contexts=(tokens,))
    root = whole.add(ids, capture=True)
    for length in lengths:
        whole.read(whole.add(length, root))
        stored.read(stored.add(length, context=0))
    expected = ends(runtime, run(runtime, whole.batch()))
    shallow = run(runtime, whole.batch(), to_layer=exit_layer)
    (prefix,) = runtime.captured(shallow).values()
    prefix.check_integrity()
    found = ends(runtime, run(runtime, stored.batch(), [prefix]))
    np.testing.assert_allclose(found, expected, atol=1e-5)
    prefix.check_integrity()
    assert_same_prefix(prefix, alone(runtime, ids)[1])


@pytest.mark.parametrize("cut", [1, 25, 64, 70])
def test_an_extended_prefix_equals_one_computed_at_once(runtime, cut):
    ids = text(100)
    first = Tree()
    first.add(ids[:cut], capture=True)
    (past,) = runtime.captured(run(runtime, first.batch(), to_layer=3)).values()
    second = Tree(seed=1, contexts=(cut,))
    second.add(ids[cut:], context=0, capture=True)
    (present,) = runtime.captured(run(runtime, second.batch(), [past], to_layer=1)).values()
    assert (present.parent, present.layer, past.layer) == (past, 1, 3)

    third = Tree(seed=1, contexts=(100,))
    third.read(third.add(7, context=0))
    again = Tree(seed=1)
    again.read(again.add(7, again.add(ids)))
    np.testing.assert_allclose(
        ends(runtime, run(runtime, third.batch(), [present])),
        ends(runtime, run(runtime, again.batch())),
        atol=1e-5,
    )
    for prefix in (past, present):
        prefix.check_integrity()
    assert_same_prefix(present, alone(runtime, ids)[1])


def test_both_kinds_of_bytes_are_counted_and_stored(runtime):
    ids = text(21)
    tree = Tree()
    root = tree.add(ids[:9], capture=True)
    tree.add(ids[9:], root, capture=True)
    store = PrefixStore(budget_bytes=10**6)
    total = 0
    for prefix in runtime.captured(run(runtime, tree.batch(), to_layer=4)).values():
        own = len(prefix.own_ids)
        by_token = own * (2 * 2 * 8 + 32) * 4  # keys and values of one layer, hidden states
        assert prefix.num_bytes == by_token + 3 * (STATE_BYTES + TAIL_BYTES)
        total += prefix.num_bytes
        assert store.put(prefix.ids, prefix)
    store.check_integrity()
    assert store.statistics().bytes == total
    found = store.find([*ids, 7])
    assert isinstance(found, Prefix)
    assert found.ids == tuple(ids)
    assert store.find(ids[:15]).ids == tuple(ids[:9])  # the longer one is not cut


def test_siblings_cannot_be_joined(runtime):
    tree = Tree()
    root = tree.add(4)
    option = tree.add(2, root)
    tree.add(2, root, sees=(option,))
    assert JOINS not in runtime.capabilities
    assert JOINS in tiny_runtime(tiny_config()).capabilities
    with pytest.raises(CapabilityError, match="segment 2 joins its siblings"):
        runtime.start(tree.batch())


def test_bfloat16_keeps_states_and_what_shapes_them_in_float32():
    tree = forest()
    tree.read_all()
    tree.segments[0] = replace(tree.segments[0], capture=True)
    results = []
    for dtype in (torch.float32, torch.bfloat16):
        decoder = tiny_decoder(hybrid_config(), dtype=dtype).pack()
        runtime = TorchRuntime(decoder, digest="")
        state = run(runtime, tree.batch())
        results.append(ends(runtime, state))
        prefix = runtime.captured(state)[0]
        (memory, tail), (keys, _) = prefix.layers[0], prefix.layers[ATTENTION]
        assert isinstance(prefix.layers[0], Recurrent)
        assert memory.dtype == decoder.layers[0].linear_attn.A_log.dtype == torch.float32
        assert tail.dtype == keys.dtype == dtype
    error = np.linalg.norm(results[0] - results[1]) / np.linalg.norm(results[0])
    assert 1e-4 < error < 0.05


def test_gradients_flow_from_a_branch_into_its_parents_recurrence():
    decoder = tiny_decoder(hybrid_config())
    tree = Tree()
    root = tree.add(66)
    tree.read(tree.add(3, root))
    batch = tree.batch()
    weight = decoder.layers[0].linear_attn.in_proj_a.weight

    def loss() -> torch.Tensor:
        state = forward.advance(decoder, forward.start(decoder, batch), DEPTH)
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
    torch.testing.assert_close(above - below, slope.square().sum() * step, rtol=2e-2, atol=0)


def test_gradients_of_many_branches_are_summed_in_one_order():
    convolution = Convolution(64, 2)
    torch.nn.init.normal_(convolution.weight)
    generator = torch.Generator().manual_seed(0)
    columns = torch.randn(2000, 64, generator=generator, requires_grad=True)
    weights = torch.randn(2000, 64, generator=generator)
    taps = torch.stack([torch.zeros(2000, dtype=torch.int64), torch.arange(2000)], dim=1)
    threads = torch.get_num_threads()
    torch.set_num_threads(4)
    try:
        slopes = [
            torch.autograd.grad((convolution(columns, taps) * weights).sum(), columns)[0]
            for _ in range(8)
        ]
    finally:
        torch.set_num_threads(threads)
    assert all(torch.equal(slope, slopes[0]) for slope in slopes)


def test_a_checkpoint_may_carry_a_vision_tower_and_an_inner_prefix():
    config = hybrid_config()
    plain = dict(tiny_weights(config))
    named = {name.replace("model.", "model.language_model.", 1): x for name, x in plain.items()}
    foreign = {
        "model.visual.blocks.0.attn.qkv.weight": torch.ones(1),
        "mtp.fc.weight": torch.ones(1),
    }
    one, other = (Decoder.from_weights(config, x.items()) for x in (plain, named | foreign))
    for (name, mine), theirs in zip(one.named_parameters(), other.parameters(), strict=True):
        assert torch.equal(mine, theirs), name
