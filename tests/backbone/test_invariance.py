"""What stands beside a segment changes none of its bits: alone, in company, in any order.

This holds where oneDNN's packed maps and torch's flash kernel run, on shapes large enough that
their blocking matters. The bound elsewhere would be rounding, about 1e-6.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from support.tiny import tiny_config, tiny_decoder
from support.trees import Tree

from steelyard.backbone.attention import _merge
from steelyard.backbone.layers import Linear, PackedLinear, can_pack
from steelyard.backbone.torch_runtime import TorchRuntime
from steelyard.tokens.plan import HiddenRead, LogitRead, LogProbRead

pytestmark = pytest.mark.skipif(not can_pack(), reason="needs oneDNN")

PROMPT = np.random.default_rng(5).integers(0, 320, 150).tolist()
LENGTHS = (1, 2, 5, 31, 33, 34, 66)
BRANCHES = [np.random.default_rng(n).integers(0, 320, n).tolist() for n in LENGTHS]


@pytest.fixture(scope="module")
def runtime():
    config = tiny_config(width=192, mlp_width=320, heads=6, kv_heads=2, head_dim=32, layers=2)
    return TorchRuntime(tiny_decoder(config).pack(), digest="")


def answers(runtime, branches, *, strangers=0):
    """Per branch, everything that can be read at its end."""
    tree = Tree()
    for _ in range(strangers):
        tree.add(37)
    root = tree.add(PROMPT)
    for tokens in branches:
        branch = tree.add(tokens, root)
        last = len(tokens) - 1
        for read in (HiddenRead(last), LogitRead(last, (3, 1, 4)), LogProbRead(last, 15)):
            tree.read(branch, read)
    values = runtime.measure(runtime.advance(runtime.start(tree.batch()), 2))
    return [values[i : i + 3] for i in range(0, len(values), 3)]


def same(left, right):
    """Equal hidden states bit for bit, and what is read from them in float64 to its rounding."""
    equal = np.array_equal(left[0], right[0])
    return equal and all(np.allclose(a, b, rtol=1e-13) for a, b in zip(left, right, strict=True))


def test_a_branch_alone_equals_itself_among_others(runtime):
    together = answers(runtime, BRANCHES)
    for index, branch in enumerate(BRANCHES):
        assert same(answers(runtime, [branch])[0], together[index]), f"{len(branch)} tokens"


def test_the_order_of_branches_changes_nothing(runtime):
    forwards, backwards = answers(runtime, BRANCHES), answers(runtime, BRANCHES[::-1])
    for here, there in zip(forwards, backwards[::-1], strict=True):
        assert same(here, there)


def test_other_plans_in_the_batch_change_nothing(runtime):
    for here, there in zip(
        answers(runtime, BRANCHES), answers(runtime, BRANCHES, strangers=3), strict=True
    ):
        assert same(here, there)


@pytest.mark.parametrize("shape", [(576, 576), (576, 192), (576, 1536), (1536, 576), (20, 12)])
def test_rows_of_a_packed_map_do_not_depend_on_how_many_there_are(shape):
    linear = Linear(*shape)
    generator = torch.Generator().manual_seed(0)
    torch.nn.init.normal_(linear.weight, std=0.05, generator=generator)
    packed = PackedLinear(linear)
    x = torch.randn(300, shape[0], generator=generator)
    with torch.inference_mode():
        for product in (packed, packed.silu):
            whole = product(x)
            for rows in (1, 2, 3, 7, 15, 16, 17, 47, 64, 129, 257):
                assert torch.equal(product(x[40 : 40 + rows]), whole[40 : 40 + rows]), rows


def test_packed_silu_is_silu_of_the_packed_map():
    linear = Linear(64, 48, bias=True)
    for parameter in linear.parameters():
        torch.nn.init.normal_(parameter, generator=torch.Generator().manual_seed(1))
    x = torch.randn(5, 64, generator=torch.Generator().manual_seed(2))
    with torch.inference_mode():
        torch.testing.assert_close(PackedLinear(linear).silu(x), linear.silu(x))


def test_threads_divide_a_packed_silu_without_a_trace():
    linear = Linear(64, 1536)
    torch.nn.init.normal_(linear.weight, generator=torch.Generator().manual_seed(0))
    packed = PackedLinear(linear)
    x = torch.randn(1001, 64, generator=torch.Generator().manual_seed(1))
    before = torch.get_num_threads()
    results = []
    try:
        for threads in (1, 5):  # five meet within a row, where F.silu rounds otherwise
            torch.set_num_threads(threads)
            with torch.inference_mode():
                results.append(packed.silu(x))
    finally:
        torch.set_num_threads(before)
    assert torch.equal(*results)


def test_merging_gives_a_row_the_same_bits_wherever_it_stands():
    generator = torch.Generator().manual_seed(6)

    def drawn(*shape):
        return torch.randn(*shape, generator=generator)

    rows, heads = 501, 9
    out, part = drawn(rows, heads, 8), drawn(rows, heads, 8)
    lse, part_lse = 9 * drawn(rows, heads).double(), 9 * drawn(rows, heads)
    whole, whole_lse = out.clone(), lse.clone()
    _merge(whole, whole_lse, part, part_lse)
    for row in range(rows):
        one = slice(row, row + 1)
        alone, alone_lse = out[one].clone(), lse[one].clone()
        _merge(alone, alone_lse, part[one], part_lse[one])
        assert torch.equal(alone, whole[one]), f"row {row}"
