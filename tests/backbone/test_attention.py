"""Attention over a segment tree against dense masked attention, forward and backward."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch
from support.trees import Tree, bushy_tree, visible

from steelyard.backbone import blocks, dense, masked
from steelyard.backbone.attention import plan_attention
from steelyard.backbone.masked import plan_masked
from steelyard.tokens.plan import ROOT, Batch

CPU = torch.device("cpu")


def operands(rows, heads=6, kv_heads=2, head_dim=8, dtype=torch.float64):
    generator = torch.Generator().manual_seed(1)
    shapes = [(rows, heads, head_dim), (rows, kv_heads, head_dim), (rows, kv_heads, head_dim)]
    return [
        torch.randn(shape, generator=generator, dtype=dtype).requires_grad_() for shape in shapes
    ]


def masked_attention(q, k, v, mask):
    """softmax(q k' / sqrt(d)) v under a bool mask, one head group at a time."""
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
    scores = torch.einsum("qhd,khd->hqk", q, k) / q.shape[-1] ** 0.5
    weights = scores.masked_fill(~torch.from_numpy(mask), -torch.inf).softmax(dim=-1)
    return torch.einsum("hqk,khd->qhd", weights, v)


def chain(tree: Tree, lengths):
    parent = ROOT
    for length in lengths:
        parent = tree.add(length, parent)
    return tree


TREES = {
    "one sequence": lambda: chain(Tree(), [40]),
    "one token": lambda: chain(Tree(), [1]),
    "a chain": lambda: chain(Tree(), [7, 1, 12, 3]),
    "bushy": bushy_tree,
    "two plans": lambda: chain(chain(Tree(), [9, 4]), [9, 5]),
    "many plans": lambda: chain(chain(chain(Tree(), [9, 4]), [30, 5]), [10]),
}


def one_product(hidden, device, dtype):
    return partial(masked.masked_attention, hidden=torch.from_numpy(hidden[:, None, None]))


@pytest.mark.parametrize("way", ["flash", "matmul", "blocked", "stacked"])
@pytest.mark.parametrize("name", TREES)
def test_output_and_gradients_equal_masked_attention(name, way, monkeypatch):
    if way == "matmul":
        monkeypatch.setattr(dense, "forward", dense.matmul_forward)
        monkeypatch.setattr(dense, "backward", dense.matmul_backward)
        monkeypatch.setattr(dense, "SCORES_PER_BLOCK", 500)  # so that queries come in blocks
    if way == "blocked":
        monkeypatch.setattr(blocks, "ROWS", 8)
    if way == "stacked":  # as on other devices
        monkeypatch.setattr(masked, "_kernel", one_product)
    batch: Batch = TREES[name]().batch()
    found, expected = operands(batch.num_rows), operands(batch.num_rows)
    if way in ("blocked", "stacked"):
        plan = plan_masked(batch, CPU, found[0].dtype)
    else:
        plan = plan_attention(batch, [], CPU)
    out = plan.attend(*found)
    reference = masked_attention(*expected, visible(batch.segments))
    torch.testing.assert_close(out, reference, rtol=0, atol=1e-12)
    grad = torch.randn(out.shape, generator=torch.Generator().manual_seed(2), dtype=out.dtype)
    out.backward(grad)
    reference.backward(grad)
    for mine, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(mine.grad, theirs.grad, rtol=0, atol=1e-12)


@pytest.mark.parametrize("matmul", [False, True])
def test_stored_keys_count_like_rows_before_the_tree(matmul, monkeypatch):
    if matmul:
        monkeypatch.setattr(dense, "forward", dense.matmul_forward)
    whole = Tree()
    first = whole.add(11)
    second = whole.add(6, first)
    rest = whole.add(5, second)
    whole.add(3, rest)
    whole.add(4, rest)
    batch = whole.batch()
    q, k, v = (x.detach() for x in operands(batch.num_rows))
    expected = plan_attention(batch, [], CPU).attend(q, k, v)[17:]

    part = Tree(contexts=(17,))
    rest = part.add(5, context=0)
    part.add(3, rest)
    part.add(4, rest)
    plan = plan_attention(part.batch(), [[1, 0]], CPU)  # one context of two links
    stored = [(k[11:17], v[11:17]), (k[:11], v[:11])]
    found = plan.attend(q[17:], k[17:], v[17:], stored)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


def test_two_trees_may_continue_different_stored_keys():
    q, k, v = (x.detach() for x in operands(30))
    tree = Tree(contexts=(8, 9))
    tree.add(3, context=1)
    tree.add(4, context=0)
    tree.add(6)
    stored = [(k[:8], v[:8]), (k[8:17], v[8:17])]
    plan = plan_attention(tree.batch(), [[0], [1]], CPU)
    found = plan.attend(q[17:], k[17:], v[17:], stored)
    mask = np.zeros((13, 30), dtype=bool)
    mask[:, 17:] = visible(tree.segments)
    mask[:3, 8:17] = mask[3:7, :8] = True
    assert mask.sum(axis=1).tolist() == [10, 11, 12, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6]
    torch.testing.assert_close(found, masked_attention(q[17:], k, v, mask), rtol=0, atol=1e-12)


def test_keys_are_read_in_place_and_jobs_stay_few():
    tree = Tree()
    root = tree.add(50)
    branch = tree.add(9, root)
    for _ in range(255):
        tree.add(3, branch)
    jobs = plan_attention(tree.batch(), [], CPU).jobs
    assert len(jobs) == 5  # three lengths; root to all below; branch to its twigs
    assert all(isinstance(rows, slice) for job in jobs for rows in (job.queries, job.keys))


def test_a_segment_that_would_see_its_ancestor_twice_is_refused():
    tree = Tree()
    root = tree.add(4)
    tree.add(2, root, sees=(root,))
    with pytest.raises(AssertionError, match="ancestors twice"):
        plan_attention(tree.batch(), [], CPU)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_flash_and_matmul_agree(dtype, causal):
    generator = torch.Generator().manual_seed(3)
    m = 70 if causal else 33
    q, k, v = (
        torch.randn(2, heads, n, 16, generator=generator).to(dtype)
        for heads, n in ((6, 70), (3, m), (3, m))
    )
    flash, flash_lse = dense.flash_forward(q, k, v, causal=causal)
    plain, plain_lse = dense.matmul_forward(q, k, v, causal=causal)
    assert plain.dtype == dtype
    assert plain_lse.dtype == flash_lse.dtype == torch.float32
    atol = 2e-6 if dtype == torch.float32 else 2e-2
    torch.testing.assert_close(flash, plain, rtol=0, atol=atol)
    torch.testing.assert_close(flash_lse, plain_lse, rtol=0, atol=atol)
