"""The plain loop that training is compared with asks the same questions of the same model."""

from __future__ import annotations

import pytest
import torch
from support.training import small_run

from benchmarks.plain_loop import PlainLoop, rows_of
from benchmarks.train_speed import compare, counts
from steelyard.training.loop import training_steps
from steelyard.training.loss import LossWeights
from steelyard.training.micro_batch import placed
from steelyard.training.stream import Cursor

# transformers 5.24 says so of a property that peft 0.21 reads
with_peft = pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")


@pytest.fixture
def run(tmp_path):
    run = small_run(tmp_path, model={"readout": "pointer"})
    run.trainee.merge()
    return run


@pytest.fixture
def plain(run):
    pytest.importorskip("peft")
    plain = PlainLoop(run.weights, rank=2, alpha=4.0, lr=1e-2, dtype=torch.float32, rows=4)
    head = run.trainee.readout.parameters()
    with torch.no_grad():
        for name, part in (("query", plain.query), ("key", plain.key)):
            part.weight.copy_(head[f"{name}.weight"])
            part.bias.copy_(head[f"{name}.bias"])
    return plain


@pytest.mark.slow  # imports transformers and peft
@with_peft
def test_the_plain_loop_computes_the_scores_that_ours_computes(run, plain):
    asked, _ = next(training_steps(run, Cursor()))
    rows = rows_of(asked, run.asker)
    ours = run.trainee.scores(placed(asked))[run.trainee.decoder.config.layers]
    theirs = plain.scores(rows)
    assert len({len(row.ids) for row in rows}) > 1  # so that padding is in play
    torch.testing.assert_close(theirs, ours, rtol=0, atol=1e-5)


@pytest.mark.slow  # imports transformers and peft
@with_peft
def test_the_plain_loop_learns(run, plain):
    asked, _ = next(training_steps(run, Cursor()))
    rows = rows_of(asked, run.asker)
    losses = [plain.step(rows, LossWeights(), clip=1.0) for _ in range(8)]
    assert losses[-1] < losses[0]


@pytest.mark.slow  # imports transformers and peft
@with_peft
def test_tokens_are_counted_once_each(run, plain):
    asked, _ = next(training_steps(run, Cursor()))
    rows = rows_of(asked, run.asker)
    found = counts(asked, rows, plain)
    assert found["decisions"] == len(rows)
    assert found["plain_tokens"] == sum(len(row.ids) for row in rows)
    assert found["plain_tokens"] - found["plain_repeated"] == found["tokens"]  # no set here
    assert found["plain_padding"] == sum(
        max(len(row.ids) for row in batch) * len(batch) - sum(len(row.ids) for row in batch)
        for batch in (rows[at : at + 4] for at in range(0, len(rows), 4))
    )


def test_ratios_are_of_times_side_by_side():
    def step(ours, plain):
        counted = {"tokens": 10, "plain_tokens": 30, "plain_padding": 10, "plain_repeated": 15}
        times = {"ours": {"wall": ours, "cpu": 1.0}, "float32": {"wall": plain, "cpu": 2.0}}
        return {"decisions": 4, **counted, **times}

    found = compare([step(1.0, 2.0), step(2.0, 8.0), step(1.0, 3.0)], ["float32"])
    ratio = found["ratio"]["float32"]
    assert (ratio["low"], ratio["median"], ratio["high"]) == (2.0, 3.0, 4.0)
    assert ratio["overall"] == 13 / 4
    assert found["ratio_cpu"]["float32"]["overall"] == 2.0
    assert found["ours"]["decisions_per_second"] == 3.0
    assert found["plain"]["float32"]["tokens_per_second"] == 90 / 13
    assert (found["padding_share"], found["repeated_share"]) == (0.25, 0.5)
