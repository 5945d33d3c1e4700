"""Loss and gradients through a Qwen3.5 against transformers and autograd, question by question."""

from __future__ import annotations

import pytest
import torch
from support.reference import reference_model
from support.tokenizer import tiny_tokenizer
from support.training import question_texts, small_examples
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional as F

from steelyard.backbone.config import from_hf
from steelyard.backbone.decoder import Decoder
from steelyard.prompt.layout import SYSTEM
from steelyard.training.config import OptimConfig
from steelyard.training.lenses import ExitLens
from steelyard.training.loop import losses
from steelyard.training.lora import adapt, adapted
from steelyard.training.micro_batch import Asker, MicroBatch, placed
from steelyard.training.readouts import Lettered
from steelyard.training.shelf import Bundle, shelved
from steelyard.training.trainee import Trainee
from steelyard.types import Score

pytestmark = pytest.mark.slow  # importing transformers takes longer than all the rest

CPU = torch.device("cpu")
OPTIM = OptimConfig(steps=1)
SCALE, EXIT = 0.7, 2
SHAPE = {
    "num_hidden_layers": 4,
    "head_dim": 16,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 6,
}


def trainee_of(model: nn.Module) -> Trainee:
    """The model with low-rank terms and one exit, all of them filled by chance."""
    config = from_hf(model.config.to_dict())
    decoder = Decoder.from_weights(config, model.state_dict().items())
    adapt(decoder, rank=3, scale=SCALE, dtype=torch.float32)
    trainee = Trainee(decoder, Lettered(), {EXIT: ExitLens(config.width, CPU)})
    torch.manual_seed(2)
    for name, parameter in trainee.named_parameters():
        if not name.endswith("lora_A"):
            nn.init.normal_(parameter, std=0.05)
    trainee.merge()
    return trainee


def theirs(model: nn.Module, trainee: Trainee, micro: MicroBatch) -> tuple[Tensor, dict]:
    """The loss, each question's text computed alone, and its gradients by autograd."""
    leaves = {name: p.detach().clone().requires_grad_() for name, p in trainee.named_parameters()}
    merged = {
        f"model.{path}.weight": module.base
        + SCALE * leaves[f"decoder.{path}.lora_B"] @ leaves[f"decoder.{path}.lora_A"]
        for path, module in adapted(trainee.decoder)
    }
    weight, bias, log_scale = (
        leaves[f"exits.{EXIT}.{name}"] for name in ("weight", "bias", "log_scale")
    )
    inner: list[Tensor] = []
    model.model.layers[EXIT].register_forward_pre_hook(lambda _, args: inner.append(args[0]))
    total = torch.zeros(())
    for example, (ids, labels) in zip(micro.examples, question_texts(micro), strict=True):
        out = functional_call(model, merged, (torch.tensor([ids]),), {"use_cache": False})
        scores = out.logits[0, -1][labels]
        target = torch.tensor(example.target)
        log_p, p = scores.log_softmax(0), scores.softmax(0)
        total = total - target @ log_p + 0.5 * (p - target).square().sum()
        if isinstance(example.question, Score):
            steps = (p.cumsum(0) - target.cumsum(0))[:-1]
            total = total + steps.square().mean()
        hidden = inner.pop()[0, -1].detach()
        normed = model.model.norm(hidden + weight @ hidden + bias)
        early = (model.model.embed_tokens.weight[labels] @ normed) * log_scale.exp()
        taught = scores.detach().softmax(0)
        total = total + F.kl_div(early.log_softmax(0), taught, reduction="sum")
    found = torch.autograd.grad(total, list(leaves.values()))
    return total.detach(), dict(zip(leaves, found, strict=True))


@pytest.mark.parametrize("layout", ["isolated-v1", "sandwich-v1"])
def test_loss_and_gradients_equal_transformers(layout):
    model = reference_model("qwen3_5_text", **SHAPE).requires_grad_(False)
    trainee = trainee_of(model)
    tokenizer = tiny_tokenizer()
    asker = Asker(tokenizer, tokenizer.chat_frame(SYSTEM), trainee.readout)
    bundles = [Bundle(b.state, b.examples, layout) for b in shelved(small_examples(2), layout)]
    micro = placed([asker.ask(bundle) for bundle in bundles], join=True)
    loss, _ = losses(trainee, micro, OPTIM)
    loss.backward()
    expected, slopes = theirs(model, trainee, micro)
    torch.testing.assert_close(loss.detach(), expected, atol=1e-4, rtol=1e-4)
    for name, parameter in trainee.named_parameters():
        slope = slopes[name]
        assert float(slope.abs().max()) > 1e-4, f"{name} learns nothing"
        torch.testing.assert_close(parameter.grad, slope, atol=1e-4, rtol=1e-4, msg=name)
