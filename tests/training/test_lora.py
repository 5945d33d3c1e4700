import pytest
import torch
from support.tiny import tiny_decoder
from torch.nn import functional as F

from steelyard.backbone.layers import Linear
from steelyard.training.lora import FullLinear, LoraLinear, adapt, adapted, merge, unfreeze


def linear(inputs=6, outputs=5, *, bias=True):
    torch.manual_seed(0)
    made = Linear(inputs, outputs, bias)
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter)
    return made


@pytest.mark.parametrize("bias", [False, True])
def test_a_merged_map_and_its_gradients_are_those_of_two_separate_maps(bias):
    plain = linear(bias=bias)
    lora = LoraLinear(plain, rank=3, scale=0.7, dtype=torch.float32)
    torch.nn.init.normal_(lora.lora_B)
    lora.merge()
    x = torch.randn(7, 6, requires_grad=True)
    x2, a, b = (t.detach().clone().requires_grad_() for t in (x, lora.lora_A, lora.lora_B))
    expected = F.linear(x2, plain.weight, plain.bias) + 0.7 * (x2 @ a.T) @ b.T
    found = lora(x)
    torch.testing.assert_close(found, expected, rtol=0, atol=2e-6)
    grad = torch.randn(7, 5)
    found.backward(grad)
    expected.backward(grad)
    for mine, theirs in ((x, x2), (lora.lora_A, a), (lora.lora_B, b)):
        torch.testing.assert_close(mine.grad, theirs.grad, rtol=0, atol=1e-5)


def test_an_untrained_adapter_changes_nothing():
    plain = linear()
    x = torch.randn(4, 6)
    expected = plain(x)
    lora = LoraLinear(plain, rank=2, scale=1.0, dtype=torch.float32)
    lora.merge()
    torch.testing.assert_close(lora(x), expected, rtol=0, atol=0)


def test_a_full_map_has_the_gradient_of_a_plain_one():
    plain = linear()
    full = FullLinear(plain, dtype=torch.float32)
    full.merge()
    weight = plain.weight.detach().clone().requires_grad_()
    x = torch.randn(4, 6)
    full(x).square().sum().backward()
    F.linear(x, weight, plain.bias).square().sum().backward()
    torch.testing.assert_close(full.master.grad, weight.grad, rtol=0, atol=1e-5)


def test_products_are_in_the_type_asked_for_and_masters_in_float32():
    lora = LoraLinear(linear(), rank=2, scale=1.0, dtype=torch.bfloat16)
    y = lora(torch.randn(3, 6))
    assert y.dtype == torch.bfloat16
    y.float().sum().backward()
    assert lora.lora_A.dtype == lora.lora_A.grad.dtype == lora.base.dtype == torch.float32


@pytest.mark.parametrize("make", [lambda d: adapt(d, rank=2, scale=1.0, dtype=torch.float32),
                                  lambda d: unfreeze(d, dtype=torch.float32)])  # fmt: skip
def test_every_linear_map_of_the_layers_is_adapted_and_nothing_else_is_trained(make):
    decoder = make(tiny_decoder())
    names = [name for name, _ in adapted(decoder)]
    assert len(names) == 3 * 7 and names[0] == "layers.0.self_attn.q_proj"
    trained = {name for name, p in decoder.named_parameters() if p.requires_grad}
    assert trained and all(name.rpartition(".")[0] in names for name in trained)


def test_merge_reaches_all_maps():
    decoder = adapt(tiny_decoder(), rank=2, scale=1.0, dtype=torch.float32)
    for _, module in adapted(decoder):
        torch.nn.init.normal_(module.lora_B)
    merge(decoder)
    for _, module in adapted(decoder):
        torch.testing.assert_close(module.weight, module.base + module.lora_B @ module.lora_A)
