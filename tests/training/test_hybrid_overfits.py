"""A random Qwen3.5 learns two hundred decisions by heart and comes back from transformers."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from random import Random

import pytest
import torch
from safetensors.torch import load_file
from support.folders import write_tokenizer
from support.reference import filled
from support.tokenizer import taught_tokenizer, tiny_tokenizer
from support.training import question_texts, write_examples
from transformers import AutoModelForCausalLM, Qwen3_5Config, Qwen3_5ForConditionalGeneration

from steelyard.prompt.layout import LAYOUTS, SYSTEM, frame
from steelyard.prompt.options import option_set
from steelyard.training.config import DataConfig, ModelConfig, OptimConfig, TrainConfig
from steelyard.training.export import export
from steelyard.training.loop import LOG, Run, train
from steelyard.training.merged import write_merged
from steelyard.training.micro_batch import placed
from steelyard.training.readouts import Lettered
from steelyard.training.setup import set_up
from steelyard.training.shelf import shelved
from steelyard.types import Example, Noul, Score

pytestmark = pytest.mark.slow

LAYERS, WIDTH, VOCAB, STEPS = 8, 48, 1200, 100
LEVELS = ["low", "middle", "high"]


def decisions(number: int) -> list[Example]:
    """Yes or no, low to high: what is right was drawn, so it can only be learned by heart."""
    rng = Random(0)
    names = [
        "".join(letters) for letters in product("bdfgklmnprst", "aeiou", "bdgklmnrst", "aeiou")
    ]
    rng.shuffle(names)
    found = []
    for index, name in enumerate(names[:number]):
        state, origin = f"shelf {index // 20}", ("made", str(index), "MIT")
        if index % 2:
            question, size = Noul(f"{name} sold?"), 2
        else:
            question, size = Score(f"{name} worth?", LEVELS), 3
        right = rng.randrange(size)
        target = tuple(float(option == right) for option in range(size))
        found.append(Example(state, question, target, *origin))
    return found


def write_base(folder: Path, examples: list[Example]) -> None:
    """A checkpoint as transformers writes it: eight layers, a vision tower, several files."""
    text = {
        "vocab_size": VOCAB,
        "hidden_size": WIDTH,
        "intermediate_size": 64,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": 16,
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 4,
        "linear_key_head_dim": 8,
        "linear_value_head_dim": 8,
        "max_position_embeddings": 2048,
        "tie_word_embeddings": True,
    }
    vision = {"depth": 1, "hidden_size": 16, "intermediate_size": 16, "num_heads": 2,
              "out_hidden_size": WIDTH, "num_position_embeddings": 16}  # fmt: skip
    config = Qwen3_5Config(text_config=text, vision_config=vision, tie_word_embeddings=True)
    model = filled(Qwen3_5ForConditionalGeneration(config), "qwen3_5")
    model.save_pretrained(folder, max_shard_size="200KB")
    write_tokenizer(folder, taught_tokenizer([*map(text_of, examples)] * 3, VOCAB))


def text_of(example: Example) -> str:
    """The prompt that asks it."""
    options = option_set(example.question)
    chat = tiny_tokenizer().chat_frame(SYSTEM)
    filled = frame(LAYOUTS["isolated-v1"], chat, example.state, [options])
    (prompt,) = Lettered().prompts(options, filled)
    (branch,) = prompt.branches
    return "".join(piece.text for piece in (*prompt.root, *branch.pieces))


def run_of(folder: Path, name: str) -> Run:
    config = TrainConfig(
        model=ModelConfig(
            base=str(folder / "base"), readout="letters", rank=8, dtype="float32", exits=(4, 6)
        ),
        data=DataConfig(train=("train.jsonl",), valid="train.jsonl"),
        optim=OptimConfig(
            steps=STEPS, step_tokens=1500, batch_tokens=4000, lr=6e-3, warmup_steps=5
        ),
        validate_every=STEPS,
        checkpoint_minutes=0.0,
    )
    return set_up(config, root=folder, folder=folder / name)


def log_of(run: Run) -> list[dict]:
    return [json.loads(line) for line in (run.folder / LOG).read_text().splitlines()]


def steps_of(run: Run) -> dict[int, float]:
    return {line["step"]: line["loss"] for line in log_of(run) if "loss" in line}


def killed_after(step: int, run: Run, *, resume: bool = False) -> None:
    def stop(line):
        if line["step"] == step and "loss" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(run, resume=resume, report=stop)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("overfit")
    examples = decisions(200)
    write_base(made / "base", examples)
    write_examples(made / "train.jsonl", examples)
    return made


@pytest.fixture(scope="module")
def whole(folder: Path) -> Run:
    run = run_of(folder, "whole")
    train(run)
    return run


def test_two_hundred_decisions_are_learned_by_heart(whole: Run) -> None:
    first, last = (line["valid"] for line in log_of(whole) if "valid" in line)
    depth = str(LAYERS)
    loss, accuracy, questions = last[depth]["all"]
    assert questions == 200
    assert accuracy >= 0.98 > 0.6 > first[depth]["all"][1]
    assert loss < 0.1 * first[depth]["all"][0]
    for layer in ("4", "6"):  # exits learn what the last layer says
        assert last[layer]["all"][0] < first[layer]["all"][0]


def test_a_run_that_is_killed_goes_on_to_the_same_losses(folder: Path, whole: Run) -> None:
    killed_after(6, run_of(folder, "cut"))
    again = run_of(folder, "cut")
    killed_after(9, again, resume=True)
    expected = steps_of(whole)
    assert steps_of(again) == {step: expected[step] for step in range(1, 10)}


def test_merged_it_gives_the_same_logits_in_transformers(folder: Path, whole: Run) -> None:
    rule = export(whole, folder / "model", name="heart", merged=torch.float32)
    assert rule is not None and rule.full_accuracy >= 0.98
    asked = [whole.asker.ask(bundle) for bundle in shelved(decisions(40), "isolated-v1")]
    micro = placed(asked, join=True)
    with torch.no_grad():
        scores = whole.trainee.scores(micro)[LAYERS]
        for kind in (Qwen3_5ForConditionalGeneration, AutoModelForCausalLM):
            theirs = kind.from_pretrained(folder / "model").eval()
            for row, (ids, labels) in zip(scores, question_texts(micro), strict=True):
                expected = theirs(torch.tensor([ids]), use_cache=False).logits[0, -1][labels]
                torch.testing.assert_close(row[: len(labels)], expected, rtol=0, atol=1e-4)


def test_files_and_vision_tower_are_those_of_the_base(folder: Path, whole: Run) -> None:
    made = folder / "merged"
    made.mkdir()
    write_merged(whole, made, torch.bfloat16)
    names = sorted(path.name for path in (folder / "base").glob("model*"))
    assert len(names) > 2 and names == sorted(path.name for path in made.glob("model*"))
    for name in names[:-1]:
        before, after = load_file(folder / "base" / name), load_file(made / name)
        assert before.keys() == after.keys()
        for key in (key for key in before if key.startswith("model.visual.")):
            assert torch.equal(before[key], after[key])
