"""Models of transformers behind the runtime protocol, against their own plain forward pass."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from support.alone import assert_values, measured, reading_tree, values_alone
from support.trees import Tree
from transformers import (
    AutoModelForCausalLM,
    BertConfig,
    Gemma2Config,
    GPT2Config,
    GPTNeoXConfig,
    LlamaConfig,
    MambaConfig,
    OpenAIGPTConfig,
    Qwen2Config,
)
from transformers.models.qwen3_5.configuration_qwen3_5 import Qwen3_5TextConfig

from steelyard.backbone.transformers_runtime import TransformersRuntime
from steelyard.errors import (
    CapabilityError,
    ModelFileError,
    TooLongError,
    UnsupportedModelError,
)
from steelyard.tokens.plan import HiddenRead, LogitRead

VOCAB = 96
DECODER = {
    "vocab_size": VOCAB,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
}

CONFIGS = {
    "llama": LlamaConfig(**DECODER),
    "qwen2": Qwen2Config(**DECODER),
    "gpt2": GPT2Config(vocab_size=VOCAB, n_embd=32, n_layer=2, n_head=4, n_positions=128),
    "gpt_neox": GPTNeoXConfig(**DECODER),
    "sliding window": Gemma2Config(**DECODER, head_dim=8, sliding_window=8),
    "hybrid": Qwen3_5TextConfig(
        **DECODER,
        head_dim=16,
        linear_num_key_heads=2,
        linear_num_value_heads=4,
        linear_key_head_dim=8,
        linear_value_head_dim=8,
        layer_types=["linear_attention", "full_attention"],
    ),
}
MAMBA = {"vocab_size": VOCAB, "hidden_size": 32, "state_size": 4, "num_hidden_layers": 1}


def model_of(config, seed=0):
    model = AutoModelForCausalLM.from_config(config)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:  # large enough that every token matters
                parameter.normal_(0, 0.25, generator=generator)
    return model.eval()


@pytest.fixture
def saved(tmp_path):
    def save(config):
        model_of(config).save_pretrained(tmp_path)
        return tmp_path

    return save


@pytest.mark.parametrize("family", CONFIGS)
def test_a_branch_measures_what_its_whole_text_measures(family, saved):
    folder = saved(CONFIGS[family])
    runtime = TransformersRuntime.from_folder(folder)
    model = AutoModelForCausalLM.from_pretrained(folder)
    batch = reading_tree(VOCAB).batch()

    @torch.no_grad()
    def next_logits(ids):
        return model(torch.tensor([ids]), use_cache=False).logits[0, -1].numpy()

    assert_values(measured(runtime, batch), values_alone(batch, next_logits), atol=3e-5)


def test_a_read_is_the_same_alone_and_in_company(saved):
    runtime = TransformersRuntime.from_folder(saved(CONFIGS["hybrid"]))
    state = runtime.start(reading_tree(VOCAB).batch())
    together = runtime.measure(runtime.advance(state, 2))
    for index, placed in enumerate(state.batch.reads):
        one = runtime.keep(state, [placed.segment])
        alone = runtime.measure(runtime.advance(one, 2))
        place = one.batch.reads.index(placed)
        assert len(alone) < len(together)
        np.testing.assert_array_equal(alone[place], together[index])


def test_segments_are_kept_before_and_after_the_layers(saved):
    runtime = TransformersRuntime.from_folder(saved(CONFIGS["llama"]))
    state = runtime.start(reading_tree(VOCAB).batch())
    before = runtime.advance(runtime.keep(state, [1, 5]), 2)
    after = runtime.keep(runtime.advance(state, 2), [1, 5])
    assert {read.segment for read in after.batch.reads} == {1, 5}
    assert before.batch.reads == after.batch.reads
    assert_values(runtime.measure(before), runtime.measure(after), atol=0)
    assert runtime.advance(after, 2) is after


def test_what_it_lacks_is_refused_by_name(saved):
    runtime = TransformersRuntime.from_folder(saved(CONFIGS["llama"]))
    assert runtime.capabilities == frozenset()
    assert runtime.captured(runtime.start(reading_tree(VOCAB).batch())) == {}
    with pytest.raises(CapabilityError, match=r"transformers runtime .* layer 1.* 2; the torch"):
        runtime.advance(runtime.start(reading_tree(VOCAB).batch()), 1)
    with pytest.raises(CapabilityError, match="cannot measure before layer 2"):
        runtime.measure(runtime.start(reading_tree(VOCAB).batch()))

    tree = Tree(vocab=VOCAB)
    tree.read(tree.add(3), HiddenRead(2))
    with pytest.raises(CapabilityError, match="hidden states"):
        runtime.start(tree.batch())
    tree = Tree(vocab=VOCAB)
    tree.add(3, capture=True)
    with pytest.raises(CapabilityError, match="prefixes"):
        runtime.start(tree.batch())
    tree = Tree(vocab=VOCAB, contexts=(4,))
    tree.add(3, context=0)
    with pytest.raises(CapabilityError, match="prefixes"):
        runtime.start(tree.batch())
    tree = Tree(vocab=VOCAB)
    root = tree.add(3)
    tree.add(2, root, sees=(tree.add(2, root),))
    with pytest.raises(CapabilityError, match="siblings"):
        runtime.start(tree.batch())


def test_a_text_longer_than_the_model_was_made_for_is_refused_with_both_numbers(saved):
    runtime = TransformersRuntime.from_folder(saved(CONFIGS["gpt2"]))
    tree = Tree(vocab=VOCAB)
    tree.add(30, tree.add(100))
    with pytest.raises(TooLongError, match=r"130 tokens.* 128"):
        runtime.start(tree.batch())


def test_the_loaded_model_says_what_it_is(saved):
    runtime = TransformersRuntime.from_folder(saved(CONFIGS["llama"]), dtype="bfloat16")
    assert (runtime.name, runtime.dtype, runtime.num_layers) == ("transformers", "bfloat16", 2)
    assert runtime.context_tokens == 128
    assert len(runtime.digest) == 64


@pytest.mark.parametrize("family", ["llama", "gpt2", "gpt_neox"])
def test_logits_are_float32_in_a_bfloat16_model(family, saved):
    runtime = TransformersRuntime.from_folder(saved(CONFIGS[family]), dtype="bfloat16")
    tree = Tree(vocab=VOCAB)
    tree.read(tree.add(9), LogitRead(8, tuple(range(VOCAB))))
    (logits,) = measured(runtime, tree.batch())
    rounded = torch.from_numpy(logits).bfloat16().double().numpy()
    assert np.abs(logits - rounded).max() > 1e-3


def test_a_model_that_sees_later_tokens_is_refused(saved):
    folder = saved(BertConfig(**DECODER))
    with pytest.raises(UnsupportedModelError, match="BertLMHeadModel"):
        TransformersRuntime.from_folder(folder)


def test_a_model_whose_cache_cannot_be_continued_exactly_is_refused(saved):
    folder = saved(MambaConfig(**MAMBA, max_position_embeddings=128))
    with pytest.raises(UnsupportedModelError, match="otherwise than the whole text"):
        TransformersRuntime.from_folder(folder)


def test_a_model_without_a_cache_is_refused(saved):
    folder = saved(OpenAIGPTConfig(vocab_size=VOCAB, n_embd=32, n_layer=1, n_head=4))
    with pytest.raises(UnsupportedModelError, match="takes no cache"):
        TransformersRuntime.from_folder(folder)


def test_a_tensor_that_is_not_there_is_not_made_up(saved):
    folder = saved(CONFIGS["llama"])
    deeper = LlamaConfig(**(DECODER | {"num_hidden_layers": 3}))
    deeper.save_pretrained(folder)
    with pytest.raises(ModelFileError, match=r"missing keys: 'model\.layers\.2"):
        TransformersRuntime.from_folder(folder)


def test_a_tensor_of_another_shape_is_refused(saved):
    folder = saved(CONFIGS["llama"])
    LlamaConfig(**(DECODER | {"intermediate_size": 64})).save_pretrained(folder)
    with pytest.raises(ModelFileError, match=r"mismatched keys: .*layers\.0\.mlp"):
        TransformersRuntime.from_folder(folder)


@pytest.mark.parametrize(
    "config",
    [
        '{"model_type": "unheard_of"}',
        '{"architectures": ["LlamaForCausalLM"]}',
        '{"model_type": "t5"}',
        '{"model_type": "llama", "num_hidden_layers": "two"}',
        '{"model_type": "unheard_of", "auto_map": {"AutoConfig": "code.Config"}}',
    ],
)
def test_a_configuration_that_is_no_causal_model_is_refused(config, saved):
    folder = saved(CONFIGS["llama"])
    (folder / "config.json").write_text(config)
    with pytest.raises(UnsupportedModelError, match=str(folder)):
        TransformersRuntime.from_folder(folder)


def test_a_model_that_does_not_say_how_long_a_text_may_be_is_refused(saved):
    folder = saved(MambaConfig(**MAMBA))
    with pytest.raises(UnsupportedModelError, match="max_position_embeddings"):
        TransformersRuntime.from_folder(folder)
