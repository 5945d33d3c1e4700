"""llama.cpp behind the runtime protocol, against transformers and against itself."""

from __future__ import annotations

import logging

import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType, GGUFWriter
from support.alone import assert_values, measured, reading_tree, values_alone
from support.gguf_files import add_vocabulary, write_gguf
from support.reference import reference_model
from support.tokenizer import byte_tokenizer
from support.trees import Tree
from transformers import AutoModelForCausalLM, MambaConfig

from steelyard.backbone import llamacpp_binding, llamacpp_runtime
from steelyard.backbone.llamacpp_runtime import CELLS_STEP, LlamaCppRuntime
from steelyard.errors import (
    CapabilityError,
    MissingExtraError,
    ModelError,
    ModelFileError,
    TooLongError,
    UnsupportedModelError,
)
from steelyard.tokens.plan import HiddenRead, LogitRead, LogProbRead

pytest.importorskip("llama_cpp", reason="the extra llamacpp is not installed")

VOCAB = byte_tokenizer().get_vocab_size()
LONGEST = 2048


def weights_of(model):
    return {
        name: tensor
        for name, tensor in model.state_dict().items()
        if not (name == "lm_head.weight" and model.config.tie_word_embeddings)
    }


@pytest.fixture(scope="module")
def llama():
    """A Llama of transformers whose rows are long enough for every quantisation."""
    return reference_model(
        "llama",
        vocab_size=VOCAB,
        max_position_embeddings=LONGEST,
        hidden_size=64,
        intermediate_size=96,
    )


@pytest.fixture(scope="module")
def llama_file(llama, tmp_path_factory):
    return write_gguf(tmp_path_factory.mktemp("gguf") / "m.gguf", llama.config, weights_of(llama))


@pytest.fixture(scope="module")
def runtime(llama_file):
    return load(llama_file)


def load(path):
    return LlamaCppRuntime.from_file(path, vocab_size=VOCAB, threads=1)


def plain_forward(model):
    @torch.no_grad()
    def next_logits(ids):
        return model(torch.tensor([ids]), use_cache=False).logits[0, -1].numpy()

    return next_logits


def of_whole_texts(runtime, batch):
    """Every read computed by the runtime itself, its path as one segment.

    A segment of one token is multiplied by another kernel than a longer one: not all bits agree.
    """

    def next_logits(ids):
        tree = Tree(vocab=VOCAB)
        tree.read(tree.add(ids), LogitRead(len(ids) - 1, tuple(range(VOCAB))))
        return measured(runtime, tree.batch())[0]

    return values_alone(batch, next_logits)


def test_a_branch_measures_what_transformers_measures_on_its_whole_text(llama, runtime):
    batch = reading_tree(VOCAB).batch()
    expected = values_alone(batch, plain_forward(llama))
    assert_values(measured(runtime, batch), expected, atol=3e-5)


@pytest.mark.parametrize("kind", ["F32", "Q4_0", "Q8_0"])
def test_a_branch_has_the_same_bits_in_any_company(kind, llama, tmp_path):
    kind = GGMLQuantizationType[kind]
    path = write_gguf(tmp_path / "m.gguf", llama.config, weights_of(llama), kind=kind)
    runtime = load(path)
    batch = reading_tree(VOCAB).batch()
    together = measured(runtime, batch)
    for index, placed in enumerate(batch.reads):
        state = runtime.keep(runtime.start(batch), [placed.segment])
        alone = runtime.measure(runtime.advance(state, runtime.num_layers))
        np.testing.assert_array_equal(alone[state.batch.reads.index(placed)], together[index])
    assert_values(together, of_whole_texts(runtime, batch), atol=1e-5)


def test_the_order_of_branches_changes_no_bit(runtime):
    lengths = list(range(1, 40, 3))
    texts = [np.random.default_rng(n).integers(0, VOCAB, n).tolist() for n in lengths]

    def batch_of(order):
        tree = Tree(5, vocab=VOCAB)
        root = tree.add(300)
        for index in order:
            tree.read(tree.add(texts[index], root), LogitRead(lengths[index] - 1, (1, 2, 3)))
        return tree.batch()

    forward = measured(runtime, batch_of(range(len(texts))))
    backward = measured(runtime, batch_of(reversed(range(len(texts)))))
    assert_values(forward, backward[::-1], atol=0)


def test_texts_longer_than_one_llama_decode_and_than_the_first_store_are_read(llama, llama_file):
    runtime = load(llama_file)
    tree = Tree(vocab=VOCAB)
    root = tree.add(CELLS_STEP + 10)
    for offset in (0, 255, 256, 700, CELLS_STEP + 9):
        tree.read(root, LogProbRead(offset, 33))
    tree.read(tree.add(600, root), LogitRead(599, (4, 5)))
    batch = tree.batch()
    expected = values_alone(batch, plain_forward(llama))
    assert_values(measured(runtime, batch), expected, atol=1e-4)


def test_a_text_for_which_there_is_no_memory_leaves_the_runtime_as_it_was(llama_file, monkeypatch):
    runtime = load(llama_file)
    batch = reading_tree(VOCAB).batch()
    before = measured(runtime, batch)
    make = llamacpp_runtime.Sequences

    def out_of_memory(model, *, num_cells, **sizes):
        if num_cells > CELLS_STEP:
            raise ModelError("no memory")
        return make(model, num_cells=num_cells, **sizes)

    monkeypatch.setattr(llamacpp_runtime, "Sequences", out_of_memory)
    tree = Tree(vocab=VOCAB)
    tree.read(tree.add(CELLS_STEP + 1), LogProbRead(0, 9))
    with pytest.raises(ModelError, match="no memory"):
        measured(runtime, tree.batch())
    assert_values(measured(runtime, batch), before, atol=0)


def test_hundreds_of_branches_and_a_deep_tree_are_read(runtime):
    tree = Tree(vocab=VOCAB)
    root = tree.add(4)
    for _ in range(300):
        tree.read(tree.add(1, root), LogProbRead(0, 9))
    for _ in range(20):
        root = tree.add(2, root)
    tree.read(root, LogProbRead(1, 9))
    batch = tree.batch()
    found = measured(runtime, batch)
    assert_values(found, of_whole_texts(runtime, batch), atol=1e-5)


def test_a_tree_deeper_than_llama_cpp_holds_sequences_is_refused(runtime):
    tree = Tree(vocab=VOCAB)
    parent = tree.add(1)
    for _ in range(256):
        parent = tree.add(1, parent)
    tree.read(parent, LogProbRead(0, 9))
    with pytest.raises(CapabilityError, match=r"257 levels; .* 256 sequences"):
        runtime.start(tree.batch())


@pytest.fixture(scope="module")
def mamba(tmp_path_factory):
    """A recurrent model in transformers, and its GGUF file."""
    config = MambaConfig(vocab_size=VOCAB, hidden_size=32, state_size=4, num_hidden_layers=2)
    model = AutoModelForCausalLM.from_config(config).eval()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("_proj.weight") or "embeddings" in name:
                parameter.normal_(0, 0.3, generator=generator)

    path = tmp_path_factory.mktemp("mamba") / "mamba.gguf"
    writer = GGUFWriter(path, "mamba")
    writer.add_context_length(LONGEST)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(0)
    writer.add_head_count(0)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_ssm_conv_kernel(config.conv_kernel)
    writer.add_ssm_inner_size(config.intermediate_size)
    writer.add_ssm_state_size(config.state_size)
    writer.add_ssm_time_step_rank(config.time_step_rank)
    writer.add_layer_norm_rms_eps(config.layer_norm_epsilon)
    add_vocabulary(writer)
    names = {
        "norm": "attn_norm.weight",
        "mixer.in_proj": "ssm_in.weight",
        "mixer.conv1d": "ssm_conv1d.weight",
        "mixer.x_proj": "ssm_x.weight",
        "mixer.dt_proj": "ssm_dt.weight",
        "mixer.out_proj": "ssm_out.weight",
        "mixer.A_log": "ssm_a",
        "mixer.D": "ssm_d",
    }
    writer.add_tensor("token_embd.weight", model.backbone.embeddings.weight.detach().numpy())
    writer.add_tensor("output_norm.weight", model.backbone.norm_f.weight.detach().numpy())
    for index, layer in enumerate(model.backbone.layers):
        for name, tensor in layer.state_dict().items():
            stored = -tensor.exp() if name.endswith("A_log") else tensor.squeeze()
            stem, _, kind = name.rpartition(".")
            place = names[name] if name in names else names[stem].replace("weight", kind)
            writer.add_tensor(f"blk.{index}.{place}", stored.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return model, path


def test_a_recurrent_model_branches_exactly(mamba):
    model, path = mamba
    runtime = load(path)
    batch = reading_tree(VOCAB).batch()
    found = measured(runtime, batch)
    assert_values(found, of_whole_texts(runtime, batch), atol=1e-5)
    assert_values(found, values_alone(batch, plain_forward(model)), atol=3e-4)


def test_what_it_lacks_is_refused_by_name(runtime):
    batch = reading_tree(VOCAB).batch()
    assert runtime.capabilities == frozenset()
    assert runtime.captured(runtime.start(batch)) == {}
    with pytest.raises(CapabilityError, match="llamacpp runtime cannot stop at layer 2"):
        runtime.advance(runtime.start(batch), 2)
    tree = Tree(vocab=VOCAB)
    tree.read(tree.add(3), HiddenRead(2))
    with pytest.raises(CapabilityError, match="llamacpp runtime shows no hidden states"):
        runtime.start(tree.batch())


def test_a_text_longer_than_the_model_was_made_for_is_refused_with_both_numbers(runtime):
    tree = Tree(vocab=VOCAB)
    tree.add(100, tree.add(2000))
    with pytest.raises(TooLongError, match=r"2,100 tokens.* 2,048"):
        runtime.start(tree.batch())


def test_the_loaded_model_says_what_it_is(runtime):
    assert (runtime.name, runtime.num_layers, runtime.dtype) == ("llamacpp", 3, "all F32")
    assert runtime.context_tokens == LONGEST
    assert len(runtime.digest) == 64


def test_a_file_that_cannot_be_run_is_refused_with_llama_cpps_reason(llama, llama_file, tmp_path):
    with pytest.raises(ModelFileError, match=r"none\.gguf: .*No such file"):
        load(tmp_path / "none.gguf")

    half = tmp_path / "half.gguf"
    half.write_bytes(llama_file.read_bytes()[: llama_file.stat().st_size // 2])
    with pytest.raises(ModelFileError, match=r"half\.gguf: .*llama\.cpp cannot load it: .*\w"):
        load(half)

    strange = tmp_path / "strange.gguf"
    strange.write_bytes(
        llama_file.read_bytes().replace(b"\x05\0\0\0\0\0\0\0llama", b"\x05\0\0\0\0\0\0\0lxama")
    )
    with pytest.raises(UnsupportedModelError, match="unknown model architecture: 'lxama'"):
        load(strange)


def test_a_tokenizer_of_another_size_is_refused(llama_file):
    with pytest.raises(ModelFileError, match=rf"{VOCAB} tokens, the tokenizer 7"):
        LlamaCppRuntime.from_file(llama_file, vocab_size=7)


def test_llama_cpp_writes_to_our_log_only(llama_file, capfd, caplog):
    with caplog.at_level(logging.DEBUG, logger=llamacpp_binding.__name__):
        load(llama_file)
    assert any("llama_model_loader" in record.message for record in caplog.records)
    assert {record.levelno for record in caplog.records} == {logging.DEBUG}
    assert capfd.readouterr() == ("", "")


def test_a_missing_package_names_the_extra(monkeypatch, tmp_path):
    llamacpp_binding.library.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "llama_cpp", None)
    try:
        with pytest.raises(MissingExtraError, match=r"steelyard\[llamacpp\]"):
            load(tmp_path / "m.gguf")
    finally:
        llamacpp_binding.library.cache_clear()
