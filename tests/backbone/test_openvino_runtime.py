"""The OpenVINO runtime against torch, and what is its own: chunks, graphs on disk, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from support.adapters import tiny_lens
from support.arrays import TinyArrays, tiny_openvino
from support.full_disk import full_disk
from support.tiny import hybrid_config, tiny_config, tiny_decoder, tiny_runtime
from support.trees import Tree, bushy_tree, visible

from steelyard.backbone.config import Llama3Scaling, YarnScaling
from steelyard.backbone.lens_map import LensMap
from steelyard.backbone.openvino import chunks, processor
from steelyard.backbone.openvino.chunks import plan_chunks
from steelyard.backbone.openvino.kept import intact, keep
from steelyard.backbone.openvino.load import compiled_name, load_runtime
from steelyard.backbone.shapes import decoder_shapes
from steelyard.backbone.torch_runtime import TorchRuntime
from steelyard.errors import ModelFileError, UnsupportedModelError
from steelyard.tokens.plan import LogitRead, LogProbRead

FAMILIES = {
    "llama": {},
    "llama3": {"rope_scaling": Llama3Scaling(8.0, 1.0, 4.0, 64)},
    "one-key-head-each": {"kv_heads": 4, "o_bias": True, "qkv_bias": True, "mlp_bias": True},
    "qwen2": {"qkv_bias": True, "tied": False},
    "qwen3": {"qk_norm": True, "head_dim": 16},
    "yarn": {"rope_scaling": YarnScaling(4.0, 64, 1.1)},
}


def reading_tree():
    tree = bushy_tree()
    for segment in range(len(tree.segments)):
        tree.read(segment)
        tree.read(segment, LogitRead(0, (5, 0, 319)))
        tree.read(segment, LogProbRead(0, 7))
    return tree


@pytest.mark.parametrize("family", FAMILIES)
def test_every_read_is_that_of_torch_at_every_exit(family):
    config = tiny_config(**FAMILIES[family])
    ours, theirs = tiny_openvino(config), tiny_runtime(config)
    batch = reading_tree().batch()
    here, there = ours.start(batch), theirs.start(batch)
    for layer in (1, 3):
        here, there = ours.advance(here, layer), theirs.advance(there, layer)
        for mine, other in zip(ours.measure(here), theirs.measure(there), strict=True):
            np.testing.assert_allclose(mine, other, atol=2e-5)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_shapes_are_those_of_the_decoder(family):
    config = tiny_config(**FAMILIES[family])
    parameters = tiny_decoder(config).named_parameters()
    assert decoder_shapes(config) == {name: tuple(x.shape) for name, x in parameters}


def test_bfloat16_is_near_float32():
    config = tiny_config()
    batch = reading_tree().batch()
    exact, near = tiny_openvino(config), tiny_openvino(config, dtype="bfloat16")
    assert near.ends.embedding.dtype == np.uint16
    for mine, other in zip(
        near.measure(near.advance(near.start(batch), 3)),
        exact.measure(exact.advance(exact.start(batch), 3)),
        strict=True,
    ):
        np.testing.assert_allclose(mine, other, atol=0.3)


def test_lenses_are_those_of_torch():
    config = tiny_config()
    lenses = {1: tiny_lens(1), 2: tiny_lens(2)}
    maps = {n: LensMap(x.weight.numpy(), x.bias.numpy()) for n, x in lenses.items()}
    ours = tiny_openvino(config, lenses=maps)
    theirs = TorchRuntime(tiny_decoder(config).pack(), digest="", lenses=lenses)
    batch = reading_tree().batch()
    here, there = ours.start(batch), theirs.start(batch)
    for layer in (1, 2, 3):
        here, there = ours.advance(here, layer), theirs.advance(there, layer)
        for mine, other in zip(ours.measure(here), theirs.measure(there), strict=True):
            np.testing.assert_allclose(mine, other, atol=2e-5)


# -- chunks -----------------------------------------------------------------------------------


def seen_rows(batch, planned):
    """bool (rows, rows): what the masks of the chunks let every row see."""
    seen = np.zeros((batch.num_rows, batch.num_rows), dtype=bool)
    for chunk in planned:
        columns = [
            row
            for source in chunk.past
            for begin in [batch.segments[source.segment].begin]
            for row in range(begin, begin + source.rows)
        ]
        columns += range(chunk.begin, chunk.end)
        seen[chunk.begin : chunk.end, columns] = chunk.mask() == 0
    return seen


@pytest.mark.parametrize("rows", [4, 7, 16, 256])
@pytest.mark.parametrize("waste", [0, 100, 100_000])
def test_however_a_batch_is_cut_the_same_is_seen(rows, waste, monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK_ROWS", rows)
    monkeypatch.setattr(chunks, "WASTE", waste)
    batch = bushy_tree().batch()
    planned = plan_chunks(batch, [], [])
    assert [chunk.begin for chunk in planned[1:]] == [chunk.end for chunk in planned[:-1]]
    assert max(chunk.end - chunk.begin for chunk in planned) <= rows
    assert np.array_equal(seen_rows(batch, planned), visible(batch.segments))


def test_however_a_batch_is_cut_the_same_is_computed(monkeypatch):
    runtime = tiny_openvino()
    tree = bushy_tree()
    tree.read_all()
    whole = runtime.measure(runtime.advance(runtime.start(tree.batch()), 3))
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 7)
    for mine, other in zip(
        runtime.measure(runtime.advance(runtime.start(tree.batch()), 3)), whole, strict=True
    ):
        np.testing.assert_allclose(mine, other, atol=2e-5)


def pasts(tree):
    planned = plan_chunks(tree.batch(), [], [])
    return [[(source.segment, source.rows) for source in chunk.past] for chunk in planned]


def test_branches_of_one_root_share_its_keys():
    tree = Tree()
    root = tree.add(500)
    for _ in range(12):
        tree.add(20, root)
    assert pasts(tree) == [[], [(0, 250)], [(0, 500)]]


@pytest.mark.parametrize(("rows", "apart"), [(90, False), (110, True)])
def test_strangers_stay_apart_where_much_would_be_masked(rows, apart):
    tree = Tree()
    tree.add(100, tree.add(500))
    tree.add(rows)
    assert pasts(tree) == [[], [(0, 250)], [(0, 500)]] + [[]] * apart


def test_spare_rows_see_themselves_alone():
    tree = Tree()
    tree.add(5)
    (chunk,) = plan_chunks(tree.batch(), [], [])
    mask = chunk.mask(3) == 0
    assert np.array_equal(mask[:5, :5], np.tri(5, dtype=bool))
    assert np.array_equal(mask[5:, 5:], np.eye(3, dtype=bool))
    assert not mask[:5, 5:].any() and not mask[5:, :5].any()


# -- graphs -----------------------------------------------------------------------------------


def test_a_compiled_model_is_kept_and_needs_no_weights(tmp_path):
    config = tiny_config(tied=False)
    batch = reading_tree().batch()
    first = tiny_openvino(config, folder=tmp_path, stops=[2])
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "embed_tokens.weight.npy",
        "layers-0-2.blob",
        "layers-2-3.blob",
        "lm_head.weight.npy",
        "norm.weight.npy",
    ]
    weights = TinyArrays(config)
    again = load_runtime(config, weights, digest="", folder=tmp_path, stops=[2], threads=1)
    assert weights.read == 0
    for mine, other in zip(
        again.measure(again.advance(again.start(batch), 3)),
        first.measure(first.advance(first.start(batch), 3)),
        strict=True,
    ):
        assert np.array_equal(mine, other)


KEPT = ["layers-0-2.blob", "layers-2-3.blob", "embed_tokens.weight.npy", "norm.weight.npy"]


def zeroed(old):
    middle = len(old) // 2
    return old[:middle] + bytes(100) + old[middle + 100 :]


DAMAGES = {
    "zeroed": zeroed,
    "cut": lambda old: old[: len(old) // 2],
    "empty": lambda old: b"",
    "foreign": lambda old: b"something else",
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", KEPT)
def test_what_was_kept_and_is_damaged_is_made_anew(name, damage, tmp_path, caplog):
    batch = reading_tree().batch()
    first = tiny_openvino(folder=tmp_path, stops=[2])
    expected = first.measure(first.advance(first.start(batch), 3))
    whole = (tmp_path / name).read_bytes()
    # a new file, since `first` has the old one mapped
    (tmp_path / name).unlink()
    (tmp_path / name).write_bytes(DAMAGES[damage](whole))
    again = tiny_openvino(folder=tmp_path, stops=[2])
    for mine, other in zip(
        again.measure(again.advance(again.start(batch), 3)), expected, strict=True
    ):
        assert np.array_equal(mine, other)
    assert f"event=kept_damaged path={tmp_path / name}" in caplog.text
    assert intact(tmp_path / name)


def test_a_graph_that_openvino_refuses_is_compiled_anew(tmp_path, caplog):
    tiny_openvino(folder=tmp_path)
    keep(tmp_path / "layers-0-3.blob", b"of another OpenVINO")
    runtime = tiny_openvino(folder=tmp_path)
    batch = reading_tree().batch()
    assert runtime.measure(runtime.advance(runtime.start(batch), 3))
    assert f"event=kept_refused path={tmp_path / 'layers-0-3.blob'}" in caplog.text


def test_a_full_disk_keeps_nothing_and_the_run_goes_on(tmp_path, caplog):
    with full_disk(1000):
        runtime = tiny_openvino(folder=tmp_path)
    batch = reading_tree().batch()
    assert runtime.measure(runtime.advance(runtime.start(batch), 3))
    for name in ("layers-0-3.blob", "embed_tokens.weight.npy"):
        assert f"event=nothing_kept path={tmp_path / name}" in caplog.text
    assert list(tmp_path.iterdir()) == []


def test_the_name_of_what_is_kept_tells_cpus_apart(tmp_path, monkeypatch):
    here = compiled_name("a" * 64, "float32")
    assert compiled_name("a" * 64, "float32") == here
    other = tmp_path / "cpuinfo"
    names = set()
    for flags, clock in (("avx2", 1), ("avx2", 2), ("avx2 avx512f", 1)):
        other.write_text(f"processor : 0\nflags\t: {flags}\ncpu MHz\t: {clock}\n\nprocessor : 1\n")
        monkeypatch.setattr(processor, "CPUINFO", other)
        names.add(compiled_name("a" * 64, "float32"))
    assert len(names) == 2 and here not in names


def test_where_nothing_can_be_kept_the_log_says_so(tmp_path, caplog):
    (tmp_path / "file").write_text("no folder")
    runtime = tiny_openvino(folder=tmp_path / "file" / "compiled")
    assert runtime.network.folder is None
    assert "event=nothing_kept" in caplog.text


def test_a_new_stop_divides_the_graph_it_falls_into():
    runtime = tiny_openvino(tiny_config(layers=5), stops=[3])
    old = {stretch.layers: stretch for stretch in runtime.network.stretches}
    assert list(old) == [range(3), range(3, 5)]
    runtime.network.between(0, 2)
    assert [s.layers for s in runtime.network.stretches] == [range(2), range(2, 3), range(3, 5)]
    assert runtime.network.stretches[-1] is old[range(3, 5)]


def test_weights_that_do_not_fit_are_named():
    config = tiny_config()
    name = "model.layers.1.mlp.up_proj.weight"
    for change, message in (
        ({name: None}, r"missing from the weights: layers\.1\.mlp\.up_proj\.weight"),
        ({name: np.zeros((3, 3), np.float32)}, r"shape \(3, 3\); the configuration says \(48, 32"),
        ({"model.layers.9.odd": np.zeros(1)}, r"not a tensor of this model: model\.layers\.9\.odd"),
    ):
        weights = TinyArrays(config)
        weights.tensors |= change
        weights.tensors = {name: x for name, x in weights.tensors.items() if x is not None}
        with pytest.raises(ModelFileError, match=message):
            load_runtime(config, weights, digest="")


def test_recurrent_layers_are_refused():
    with pytest.raises(UnsupportedModelError, match="runs on torch"):
        load_runtime(hybrid_config(), TinyArrays(tiny_config()), digest="")
