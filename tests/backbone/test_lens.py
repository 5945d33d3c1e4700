"""Lenses: what they change, what they must not change, and their file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from support.adapters import tiny_lens
from support.tiny import tiny_config, tiny_decoder
from support.trees import Tree, bushy_tree

from steelyard.backbone.lens import Lens, read_lenses, write_lenses
from steelyard.backbone.torch_runtime import TorchRuntime
from steelyard.errors import ModelFileError
from steelyard.tokens.plan import Batch, LogitRead, LogProbRead

WIDTH = 32


def reads() -> Batch:
    tree = bushy_tree()
    for segment in range(len(tree.segments)):
        tree.read(segment)
        tree.read(segment, LogitRead(0, (5, 0, 319)))
        tree.read(segment, LogProbRead(0, 7))
    return tree.batch()


def runtimes() -> tuple[TorchRuntime, TorchRuntime]:
    decoder = tiny_decoder(tiny_config(layers=4)).pack()
    lenses = {1: tiny_lens(1), 3: tiny_lens(3)}
    return TorchRuntime(decoder, digest=""), TorchRuntime(decoder, digest="", lenses=lenses)


def test_full_depth_and_layers_without_a_lens_are_unchanged_to_the_bit() -> None:
    plain, seen = runtimes()
    here, there = plain.start(reads()), seen.start(reads())
    for layer in (1, 2, 3, 4):
        here, there = plain.advance(here, layer), seen.advance(there, layer)
        pairs = list(zip(plain.measure(here), seen.measure(there), strict=True))
        assert all(np.array_equal(a, b) for a, b in pairs) == (layer in (2, 4))


def test_a_lens_moves_the_hidden_state_before_the_final_norm() -> None:
    _, seen = runtimes()
    tree = bushy_tree()
    tree.read_all()
    state = seen.advance(seen.start(tree.batch()), 3)
    lens, decoder = tiny_lens(3), seen.decoder
    x = state.hidden.double().numpy()
    x = x + x @ lens.weight.double().numpy().T + lens.bias.double().numpy()
    x /= np.sqrt((x**2).mean(axis=-1, keepdims=True) + decoder.config.norm_eps)
    expected = x * decoder.norm.weight.detach().double().numpy()
    np.testing.assert_allclose(np.stack(seen.measure(state)), expected, atol=1e-5)


def test_what_is_seen_does_not_depend_on_the_company() -> None:
    _, seen = runtimes()
    alone = Tree()
    alone.read(alone.add(9))
    crowd = Tree()
    crowd.read(crowd.add(alone.ids))
    for length in range(1, 30):
        crowd.read(crowd.add(length))
    one, *_ = seen.measure(seen.advance(seen.start(crowd.batch()), 1))
    (other,) = seen.measure(seen.advance(seen.start(alone.batch()), 1))
    np.testing.assert_allclose(one, other, atol=1e-6)


def test_a_lens_of_zeros_changes_nothing_and_gradients_flow_through_one() -> None:
    hidden = torch.randn(5, WIDTH)
    weight = torch.zeros(WIDTH, WIDTH, requires_grad=True)
    bias = torch.zeros(WIDTH, requires_grad=True)
    seen = Lens(weight, bias)(hidden)
    assert torch.equal(seen, hidden)
    seen.square().sum().backward()
    torch.testing.assert_close(bias.grad, 2 * hidden.sum(dim=0))


def test_lenses_survive_their_file(tmp_path: Path) -> None:
    path = tmp_path / "exits.safetensors"
    write_lenses({3: tiny_lens(3), 1: tiny_lens(1)}, path)
    assert set(load_file(path)) == {"1.weight", "1.bias", "3.weight", "3.bias"}
    again = read_lenses(path, layers=(1, 3), width=WIDTH)
    assert list(again) == [1, 3]
    for layer, lens in again.items():
        assert torch.equal(lens.weight, tiny_lens(layer).weight)
        assert torch.equal(lens.bias, tiny_lens(layer).bias)


def test_a_file_that_does_not_fit_is_named(tmp_path: Path) -> None:
    path = tmp_path / "exits.safetensors"
    with pytest.raises(ModelFileError, match="no such file"):
        read_lenses(path, layers=(1,), width=WIDTH)
    write_lenses({1: tiny_lens(1)}, path)
    for layers, width, message in (
        ((1, 2), WIDTH, r"exits\.safetensors: the tensor '2\.bias' of an exit is missing"),
        ((), WIDTH, r"'1\.bias' belongs to none of the exits, which are none"),
        ((1,), 48, r"1\.weight is \(32, 32\); the model needs \(48, 48\)"),
    ):
        with pytest.raises(ModelFileError, match=message):
            read_lenses(path, layers=layers, width=width)
    save_file({"1.weight": torch.full((WIDTH, WIDTH), torch.nan), "1.bias": torch.zeros(32)}, path)
    with pytest.raises(ModelFileError, match="no finite numbers"):
        read_lenses(path, layers=(1,), width=WIDTH)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ModelFileError, match="cut short or corrupt"):
        read_lenses(path, layers=(1,), width=WIDTH)
