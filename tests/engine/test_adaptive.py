"""Adaptive depth: what a question gets does not depend on its company."""

import pytest
from support.engines import tiny_engine

from steelyard.engine.exits import ExitPolicy
from steelyard.types import Choice, Request

QUESTION = Choice("Which?", ["red", "blue", "green"])
REQUESTS = [Request(f"state {index} " * 5, {"q": QUESTION}) for index in range(12)]
READOUTS = ("letters", "continuation", "pairwise", "pointer", "pointer-set")


def engine(readout, threshold, store_bytes=0):
    return tiny_engine(
        readout=readout, exits=ExitPolicy((1, 2), threshold), store_bytes=store_bytes
    )


def one_by_one(readout, how):
    """Answers asked alone, by the first rule by which they leave at different exits."""
    for threshold in (0.34, 0.35, 0.36, 0.38, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99, 0.999):
        made = engine(readout, threshold)
        answers = [
            made.decide(one.state, one.questions, depth="adaptive", **how).answers["q"]
            for one in REQUESTS
        ]
        if len({answer.basis.exit_layer for answer in answers}) > 1:
            return threshold, answers
    raise AssertionError("all questions leave together")


@pytest.mark.parametrize("readout", READOUTS)
def test_alone_and_in_many_batches_an_answer_leaves_at_the_same_exit(readout):
    how = {"rotations": 2} if readout in ("letters", "pointer") else {}
    threshold, alone = one_by_one(readout, how)
    for store_bytes in (0, 2**24):
        made = engine(readout, threshold, store_bytes)
        object.__setattr__(made._pipeline, "budget_tokens", 300)  # so that prompts come apart
        responses = made.decide_many(REQUESTS, depth="adaptive", **how)
        for one, response in zip(alone, responses, strict=True):
            other = response.answers["q"]
            assert one.basis.exit_layer == other.basis.exit_layer
            for label, p in one.probabilities.items():
                assert other.probabilities[label] == pytest.approx(p, abs=1e-6)
