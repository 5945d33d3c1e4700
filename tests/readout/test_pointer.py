"""The pointer readouts: the head, its file, which positions are marked, what order means."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from support.engines import tiny_engine, tiny_head
from support.tokenizer import tiny_tokenizer

from steelyard.engine.engine import Engine
from steelyard.errors import CapabilityError, ModelFileError, ShapeError
from steelyard.prompt.branch import Marks, Prompt
from steelyard.prompt.chat import chat_frame
from steelyard.prompt.layout import LAYOUTS, SYSTEM, Frame, frame
from steelyard.prompt.options import OptionSet, option_set
from steelyard.readout.pointer import list_prompt, set_prompt
from steelyard.readout.pointer_head import (
    PointerHead,
    read_pointer_head,
    write_pointer_head,
)
from steelyard.readout.registry import PLAIN, READOUTS, readout
from steelyard.tokens.build import build
from steelyard.types.answer import ChoiceAnswer, ScoreAnswer
from steelyard.types.question import Choice, Score

STATE = "The invoice of May was charged twice, and nobody answers since."
TOKENIZER = tiny_tokenizer()
TEAM = option_set(Choice("Which team?", {"billing": "Charges", "technical": None, "sales": "Buy"}))
ANGER = option_set(Score("How angry?", ["calm", "annoyed", "furious"]))


def filled(options: OptionSet, layout: str = "isolated-v1") -> Frame:
    chat = chat_frame(TOKENIZER.chat_template, SYSTEM)
    return frame(LAYOUTS[layout], chat, STATE, [options])


def marked_text(prompt: Prompt) -> list[str]:
    """The text from the root to each mark, in the order of the measures."""
    texts = []

    def walk(pieces, branch) -> None:
        for piece in branch.pieces:
            pieces = pieces + piece.text
            if piece.mark:
                assert isinstance(branch.read, Marks)
                texts.append(pieces)
        for child in branch.children:
            walk(pieces, child)

    for branch in prompt.branches:
        walk("", branch)
    return texts


def test_scores_are_the_scaled_product_of_query_and_keys() -> None:
    random = np.random.default_rng(1)
    head = tiny_head(32, pointer_width=9)
    cue, options = random.normal(size=32), random.normal(size=(5, 32))
    query = head.query_weight.astype(np.float64) @ cue + head.query_bias
    keys = options @ head.key_weight.astype(np.float64).T + head.key_bias
    found = head.scores(cue.astype(np.float32), options.astype(np.float32))
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, [query @ key / 3.0 for key in keys], atol=1e-5)


def test_a_list_marks_options_in_the_order_shown_and_then_the_cue() -> None:
    texts = marked_text(list_prompt(TEAM, filled(TEAM), [2, 0]))
    assert [text.rsplit("\n", 1)[-1] for text in texts] == [
        "- sales: Buy",
        "- billing: Charges",
        "Answer:",
    ]
    assert len(marked_text(list_prompt(TEAM, filled(TEAM)))) == 4


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_set_marks_each_option_apart_and_then_the_cue(layout: str) -> None:
    prompt = set_prompt(TEAM, filled(TEAM, layout))
    texts = marked_text(prompt)
    assert [text.rsplit("\n", 1)[-1] for text in texts] == [
        "- billing: Charges",
        "- technical",
        "- sales: Buy",
        "Answer:",
    ]
    assert all("- " not in text[: text.rindex("\n")] for text in texts)
    (built,) = build([prompt], TOKENIZER)
    *options, cue = built.plan.nodes[-4:]
    assert len({node.start for node in options}) == 1 and len(cue.sees) == 3
    assert all(read.read == Marks() and len(read.at) == 1 for read in built.reads)


def test_levels_of_a_score_are_a_list_in_their_own_order_in_both() -> None:
    assert set_prompt(ANGER, filled(ANGER)) == list_prompt(ANGER, filled(ANGER))
    question = {"q": Score("How angry?", ["calm", "annoyed", "furious"])}
    with tiny_engine() as engine:
        as_list, as_set, turned = (
            engine.decide(STATE, question, readout=name, rotations=rotations).answers["q"]
            for name, rotations in (("pointer", 1), ("pointer-set", 1), ("pointer", 3))
        )
    assert isinstance(as_list, ScoreAnswer) and isinstance(as_set, ScoreAnswer)
    assert isinstance(turned, ScoreAnswer)
    assert as_list.probabilities == as_set.probabilities == turned.probabilities
    assert turned.basis.passes == 1


def probabilities(engine: Engine, labels: list[str], readout: str) -> dict[str, float]:
    answer = engine.decide(STATE, {"q": Choice("Which?", labels)}, readout=readout).answers["q"]
    assert isinstance(answer, ChoiceAnswer)
    return dict(answer.probabilities)


@pytest.mark.parametrize("count", [2, 7, 60])
def test_permuting_a_set_permutes_its_probabilities_and_a_list_is_another_list(count: int) -> None:
    random = np.random.default_rng(count)
    labels = [f"team {'x' * int(n)} {i}" for i, n in enumerate(random.integers(1, 9, count))]
    shuffled = [labels[i] for i in np.roll(random.permutation(count), 1)]
    if shuffled == labels:
        shuffled.reverse()
    with tiny_engine(store_bytes=0) as engine:
        for name, alike in (("pointer-set", True), ("pointer", False)):
            first, second = (probabilities(engine, x, name) for x in (labels, shuffled))
            furthest = max(abs(first[label] - second[label]) for label in labels)
            assert (furthest <= 1e-6) == alike, (name, furthest)
            assert max(first.values()) - min(first.values()) > 1e-3


def test_rotations_and_readings_change_nothing_for_a_set() -> None:
    question = {"q": Choice("Which?", ["a", "b", "c"])}
    with tiny_engine(readout="pointer-set") as engine:
        plain = engine.decide(STATE, question).answers["q"]
        more = engine.decide(STATE, question, rotations=3, reread_below=1.0).answers["q"]
    assert isinstance(plain, ChoiceAnswer) and isinstance(more, ChoiceAnswer)
    assert plain.probabilities == pytest.approx(more.probabilities, abs=1e-6)
    assert more.basis.passes == 1


def test_a_model_without_a_head_says_so() -> None:
    for name in READOUTS:
        if name in PLAIN:
            assert readout(name, None) is PLAIN[name]
        else:
            with pytest.raises(CapabilityError, match=f"'{name}' needs a trained pointer head"):
                readout(name, None)


def test_a_head_survives_its_file(tmp_path: Path) -> None:
    path, head = tmp_path / "pointer.safetensors", tiny_head(32)
    write_pointer_head(head, path)
    assert set(load_file(path)) == {"query.weight", "query.bias", "key.weight", "key.bias"}
    again = read_pointer_head(path, width=32)
    for name, array in head.tensors().items():
        assert np.array_equal(again.tensors()[name], array), name
    with pytest.raises(ModelFileError, match=r"is for hidden states of 32; the model has 48"):
        read_pointer_head(path, width=48)


def test_a_file_that_is_no_head_is_named(tmp_path: Path) -> None:
    path = tmp_path / "pointer.safetensors"
    with pytest.raises(ModelFileError, match="no such file"):
        read_pointer_head(path, width=32)
    write_pointer_head(tiny_head(32), path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ModelFileError, match=r"pointer\.safetensors: cut short or corrupt"):
        read_pointer_head(path, width=32)
    good = tiny_head(32).tensors()
    for change, message in (
        ({"more": np.zeros(1, np.float32)}, "holds key.bias, key.weight, more"),
        ({"key.bias": np.zeros(3, np.float32)}, r"key.bias has the shape \(3,\); needed: \(16,\)"),
        ({"key.bias": np.zeros(16, np.float16)}, "key.bias is float16; allowed: float32"),
        ({"query.bias": np.full(16, np.nan, np.float32)}, "query.bias holds numbers that are not"),
    ):
        save_file({**good, **change}, path)
        with pytest.raises(ModelFileError, match=message):
            read_pointer_head(path, width=32)


def test_a_head_of_shapes_that_do_not_fit_is_refused() -> None:
    weight, bias = np.zeros((4, 8), np.float32), np.zeros(4, np.float32)
    with pytest.raises(ShapeError, match=r"query\.weight has the shape"):
        PointerHead(bias, bias, weight, bias)
    with pytest.raises(ShapeError, match=r"key\.weight has the shape"):
        PointerHead(weight, bias, weight.T.copy(), bias)
