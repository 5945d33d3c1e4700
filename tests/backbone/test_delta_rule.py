"""The gated delta rule in chunks against itself token by token, where it is easy and where not."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from steelyard.backbone import delta_rule as module
from steelyard.backbone.delta_rule import LONGEST, cut, delta_rule, step

CPU = torch.device("cpu")


def sequences(
    *lengths: int,
    heads: tuple[int, int] = (2, 4),
    dims: tuple[int, int] = (16, 8),
    dtype: torch.dtype = torch.float64,
    seed: int = 0,
    mean_decay: float = 0.1,
    mean_share: float = 0.5,
) -> list[Tensor]:
    """Queries, unit keys, values, log decays and shares of packed sequences, and their states."""
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    rows, (key_heads, value_heads), (key_dim, value_dim) = sum(lengths), heads, dims
    q = F.normalize(normal(rows, key_heads, key_dim), dim=-1) * key_dim**-0.5
    k = F.normalize(normal(rows, key_heads, key_dim), dim=-1)
    v = normal(rows, value_heads, value_dim)
    g = -mean_decay * (0.5 * normal(rows, value_heads)).exp()
    b = torch.sigmoid(normal(rows, value_heads) + float(np.log(mean_share / (1 - mean_share))))
    states = normal(len(lengths), value_heads, key_dim, value_dim)
    return [x.to(dtype) for x in (q, k, v, g, b, states)]


def spans(*lengths: int) -> list[tuple[int, int]]:
    ends = np.cumsum(lengths).tolist()
    return [(end - length, end) for end, length in zip(ends, lengths, strict=True)]


def by_token(inputs: list[Tensor], where: list[tuple[int, int]]) -> tuple[Tensor, Tensor]:
    """What is read, one sequence after the other, and the states after them."""
    *rows, states = inputs
    group = rows[2].shape[1] // rows[1].shape[1]
    rows[:2] = [x.repeat_interleave(group, dim=1) for x in rows[:2]]
    reads, ends = [], []
    for (begin, end), state in zip(where, states, strict=True):
        for row in range(begin, end):
            read, state = step(*(x[row] for x in rows), state)
            reads.append(read)
        ends.append(state)
    return torch.stack(reads), torch.stack(ends)


def by_chunk(inputs: list[Tensor], where: list[tuple[int, int]]) -> tuple[Tensor, Tensor]:
    chunks = cut(where, CPU)
    reads, ends = delta_rule(*inputs, chunks)
    flat = [row for begin, end in where for row in range(begin, end)]
    places = {row: place for place, row in enumerate(chunks.order.tolist())}
    return reads[[places[row] for row in flat]], ends


def assert_equal(inputs: list[Tensor], *lengths: int, atol: float) -> None:
    found, expected = (f(inputs, spans(*lengths)) for f in (by_chunk, by_token))
    for mine, theirs in zip(found, expected, strict=True):
        assert mine.dtype == theirs.dtype
        torch.testing.assert_close(mine, theirs, atol=atol, rtol=0)


BOUNDS = {torch.float64: 1e-10, torch.float32: 1e-4}
LENGTHS = {
    "one token": (1,),
    "one short": (7,),
    "exactly a chunk": (64,),
    "three chunks and a bit": (3 * 64 + 5,),
    "unequal, packed": (200, 128, 65, 64, 3, 1, 1),
    "many single tokens": (1,) * 5,
}
CASES = {
    "plain": {},
    "as many key heads": {"heads": (3, 3)},
    "no decay": {"mean_decay": 0.0},
    "strong decay": {"mean_decay": 30.0},
    "shares near 1": {"mean_share": 0.999},
    "shares near 0": {"mean_share": 1e-4},
}


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS)
def test_chunks_equal_the_recurrence(lengths, dtype):
    assert_equal(sequences(*lengths, dtype=dtype), *lengths, atol=BOUNDS[dtype])


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_chunks_equal_the_recurrence_at_the_ends_of_its_range(case, dtype):
    assert_equal(sequences(150, 30, dtype=dtype, **case), 150, 30, atol=BOUNDS[dtype])


@pytest.mark.parametrize("share", [0.5, 0.95, 0.9999])
@pytest.mark.parametrize("dtype", BOUNDS)
def test_a_repeated_key_is_harmless(share, dtype):
    q, k, v, g, b, states = sequences(150, dtype=dtype, mean_decay=0.0)
    k = k[:1].expand_as(k).contiguous()
    assert_equal([q, k, v, g, torch.full_like(b, share), states], 150, atol=BOUNDS[dtype])


def test_a_weak_decay_after_an_extreme_one_is_not_lost():
    q, k, v, g, b, states = sequences(64, dtype=torch.float32, mean_decay=1e-3)
    g[::16] = -5e4
    assert_equal([q, k, v, g, b, states], 64, atol=1e-5)


def test_the_product_form_of_the_inverse_fails_where_the_solve_does_not():
    _, k, _, _, _, _ = sequences(LONGEST, heads=(1, 1), dtype=torch.float32)
    k = k[:1, 0].expand(LONGEST, -1)
    system = (0.95 * (k @ k.T)).tril(-1)
    eye = torch.eye(LONGEST)
    exact = torch.linalg.inv((eye + system).double())
    product, power = eye - system, system @ system
    while power.any():
        product, power = product @ (eye + power), power @ power
    solved = torch.linalg.solve_triangular(system, eye, upper=False, unitriangular=True)
    assert float((solved - exact).abs().max()) < 1e-5
    assert not float((product - exact).abs().max()) < 1e3


def test_a_sequence_in_pieces_equals_the_whole():
    *rows, states = sequences(100)
    whole, end = by_chunk([*rows, states], spans(100))
    state, reads = states, []
    for begin, stop in [(0, 70), (70, 71), (71, 100)]:
        read, state = by_chunk([*(x[begin:stop] for x in rows), state], spans(stop - begin))
        reads.append(read)
    torch.testing.assert_close(torch.cat(reads), whole, atol=1e-12, rtol=0)
    torch.testing.assert_close(state, end, atol=1e-12, rtol=0)


def test_packed_sequences_equal_themselves_alone():
    lengths = (90, 64, 20, 20, 1)
    *rows, states = sequences(*lengths)
    reads, ends = by_chunk([*rows, states], spans(*lengths))
    for index, (begin, end) in enumerate(spans(*lengths)):
        alone = [*(x[begin:end] for x in rows), states[index : index + 1]]
        read, state = by_chunk(alone, spans(end - begin))
        torch.testing.assert_close(reads[begin:end], read, atol=1e-12, rtol=0)
        torch.testing.assert_close(ends[index], state[0], atol=1e-12, rtol=0)


def test_sequences_may_stand_anywhere_among_the_rows():
    *rows, states = sequences(9, 9, 9)
    where = [(20, 26), (2, 5), (11, 12)]
    found, expected = (f([*rows, states], where) for f in (by_chunk, by_token))
    for mine, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-12, rtol=0)


def test_blocks_of_chunks_change_nothing(monkeypatch):
    lengths = (150, 70, 3)
    inputs = sequences(*lengths)
    together = by_chunk(inputs, spans(*lengths))
    monkeypatch.setattr(module, "MOST_CHUNKS", 1)
    for mine, theirs in zip(by_chunk(inputs, spans(*lengths)), together, strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-12, rtol=0)


def test_the_state_is_float32_where_the_rest_is_bfloat16():
    *rows, states = sequences(20, dtype=torch.float32)
    reads, ends = by_chunk([*(x.bfloat16() for x in rows), states], spans(20))
    assert reads.dtype == ends.dtype == torch.float32


@pytest.mark.parametrize("repeated", [False, True])
def test_gradients_are_those_of_the_formula(repeated, monkeypatch):
    monkeypatch.setattr(module, "LONGEST", 3)
    q, k, v, g, b, states = sequences(7, 2, heads=(1, 2), dims=(3, 2))
    if repeated:
        k, b = k[:1].expand_as(k).contiguous(), torch.full_like(b, 0.98)
    inputs = [x.requires_grad_() for x in (q, k, v, g, b, states)]
    assert torch.autograd.gradcheck(lambda *x: by_chunk(list(x), spans(7, 2)), inputs)


def test_gradients_equal_those_of_the_recurrence_over_several_chunks():
    grads = []
    for compute in (by_chunk, by_token):
        inputs = [x.requires_grad_() for x in sequences(130, 3, heads=(1, 2), dims=(6, 4))]
        reads, ends = compute(inputs, spans(130, 3))
        grads.append(torch.autograd.grad(reads.square().sum() + ends.sin().sum(), inputs))
    for mine, theirs in zip(*grads, strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-10, rtol=0)


def test_the_longest_sequence_comes_first():
    with pytest.raises(AssertionError, match="longer"):
        cut([(0, 2), (2, 5)], CPU)
