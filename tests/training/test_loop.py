"""Runs on a tiny model: what is learned, chosen, saved and resumed."""

import json
import math

import pytest
import torch
from support.training import small_config, small_examples, small_run, write_examples

from steelyard.errors import DivergedError, InputFileError, OutputError, RequestError
from steelyard.training.loop import BEST, CHECKPOINT, LOG, train

READOUTS = ("pointer", "pointer-set", "letters", "continuation")


def log_of(run, *, timed=False):
    lines = [json.loads(line) for line in (run.folder / LOG).read_text().splitlines()]
    return lines if timed else [{k: v for k, v in line.items() if k != "seconds"} for line in lines]


def parameters(run):
    return {name: p.detach().clone() for name, p in run.trainee.named_parameters()}


@pytest.mark.parametrize("readout", READOUTS)
def test_the_training_loss_falls(tmp_path, readout):
    run = small_run(
        tmp_path,
        model={"readout": readout, "rank": 8},
        optim={"steps": 40, "lr": 2e-2, "head_lr": 1e-2},
        validate_every=1000,
    )
    train(run)
    losses = [line["loss"] for line in log_of(run) if "loss" in line]
    assert len(losses) == 40
    assert sum(losses[-5:]) < 0.8 * sum(losses[:5])


def test_step_0_is_a_validation_and_the_best_weights_are_those_of_the_lowest_loss(tmp_path):
    run = small_run(tmp_path, optim={"steps": 6, "lr": 1.0})  # a rate that spoils the weights
    untrained = parameters(run)
    progress = train(run)
    validated = {
        line["step"]: line["valid"]["3"]["all"][0] for line in log_of(run) if "valid" in line
    }
    assert list(validated) == [0, 2, 4, 6]
    assert progress.best_step == min(validated, key=validated.__getitem__)
    assert progress.best_loss == pytest.approx(min(validated.values()), abs=1e-5)
    if progress.best_step == 0:
        from steelyard.training.checkpoint import load

        _, kept = load(run.folder / BEST)
        assert all(torch.equal(kept[name], value) for name, value in untrained.items())


def test_two_runs_never_write_into_one_folder(tmp_path):
    refused = []

    def start_another(line):
        with pytest.raises(OutputError, match="another process trains in"):
            train(small_run(tmp_path, "same"), resume=True)
        refused.append(line["step"])

    train(small_run(tmp_path, "same", optim={"steps": 1}), report=start_another)
    assert refused
    train(small_run(tmp_path, "same", optim={"steps": 1}), resume=True)  # the lock went with it


def test_a_run_that_is_cut_goes_on_to_the_same_losses(tmp_path):
    whole = small_run(tmp_path, "whole")
    train(whole)
    cut = small_run(tmp_path, "cut")

    def stop(line):
        if line["step"] == 3 and "loss" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(cut, report=stop)  # step 3 is in the log, and step 2 in the checkpoint
    again = small_run(tmp_path, "cut")
    train(again, resume=True)
    assert log_of(again) == log_of(whole)
    assert all(
        torch.equal(value, parameters(whole)[name]) for name, value in parameters(again).items()
    )


def test_a_folder_with_a_run_is_kept_and_another_runs_checkpoint_refused(tmp_path):
    run = small_run(tmp_path)
    train(run)
    with pytest.raises(OutputError, match="holds a run already"):
        train(small_run(tmp_path))
    other = small_run(tmp_path, optim={"lr": 5e-3})
    with pytest.raises(InputFileError, match="another configuration"):
        train(other, resume=True)


def test_a_half_written_checkpoint_is_an_error_that_names_the_file(tmp_path):
    run = small_run(tmp_path)
    train(run)
    path = run.folder / CHECKPOINT
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(InputFileError, match=CHECKPOINT):
        train(small_run(tmp_path), resume=True)


def test_a_checkpoint_that_cannot_be_written_leaves_the_one_before(tmp_path, monkeypatch):
    from safetensors import SafetensorError

    run = small_run(tmp_path, optim={"steps": 2})
    train(run)
    before = (run.folder / CHECKPOINT).read_bytes()

    def full(tensors, path, metadata):
        path.write_bytes(b"half")
        raise SafetensorError("no space left")

    monkeypatch.setattr("steelyard.training.checkpoint.save_file", full)
    again = small_run(tmp_path, "again", optim={"steps": 2})
    with pytest.raises(OutputError, match="no space left"):
        train(again)
    assert (run.folder / CHECKPOINT).read_bytes() == before
    assert not list(again.folder.glob("*.part"))


def test_a_run_killed_before_its_first_checkpoint_begins_its_log_anew(tmp_path):
    run = small_run(tmp_path, "cut")

    def stop(line):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(run, report=stop)  # after the first validation
    again = small_run(tmp_path, "cut")
    train(again, resume=True)
    assert [line["step"] for line in log_of(again)].count(0) == 1


@pytest.mark.parametrize("line", [b"{\n", b"\xff\n", b'{"loss": 1}\n', b'{"step": {}}\n'])
def test_a_log_that_is_none_names_file_and_line(tmp_path, line):
    run = small_run(tmp_path)
    train(run)
    path = run.folder / LOG
    path.write_bytes(path.read_bytes() + line)
    with pytest.raises(InputFileError, match=r"log\.jsonl:\d+"):
        train(small_run(tmp_path), resume=True)


def test_a_run_that_leaves_the_finite_numbers_stops(tmp_path):
    run = small_run(tmp_path, optim={"lr": 1e30, "steps": 4})
    with pytest.raises(DivergedError, match="step"):
        train(run)


@pytest.mark.parametrize("name", ["train.jsonl", "valid.jsonl"])
def test_a_file_without_examples_is_named(tmp_path, name):
    small_config(tmp_path)
    (tmp_path / name).write_text("")
    with pytest.raises(InputFileError, match=name):
        train(small_run(tmp_path))


def test_exits_change_nothing_that_the_full_depth_learns(tmp_path):
    with_exits, without = small_run(tmp_path, "with"), small_run(tmp_path, "w", model={"exits": ()})
    for run in (with_exits, without):
        train(run)
    mine, theirs = parameters(with_exits), parameters(without)
    shared = [name for name in mine if not name.startswith("exits.")]
    assert set(shared) == set(theirs) and len(mine) > len(theirs)
    assert all(torch.equal(mine[name], theirs[name]) for name in shared)


def test_exits_come_closer_to_the_last_layer(tmp_path):
    run = small_run(tmp_path, optim={"steps": 30, "lr": 1e-5, "head_lr": 1e-5, "exit_lr": 2e-2})
    train(run)
    far = [line["exit_1"] for line in log_of(run) if "loss" in line]
    assert sum(far[-5:]) < 0.7 * sum(far[:5])


def test_every_example_of_an_epoch_is_learned_from_once(tmp_path):
    run = small_run(tmp_path, optim={"steps": 8})
    train(run)
    learned = [line["questions"] for line in log_of(run) if "loss" in line]
    assert sum(learned) >= 36  # 12 states of 3 questions: more than one epoch
    from steelyard.training.loop import training_steps
    from steelyard.training.stream import Cursor

    seen = []
    for asked, cursor in training_steps(run, Cursor()):
        seen += [one for each in asked for one in each.bundle.examples]
        if cursor.epoch == 1:
            break
    first = seen[:36]
    expected = small_examples(12)
    assert sorted((str(e.state), str(e.question.instructions)) for e in first) == sorted(
        (str(e.state), str(e.question.instructions)) for e in expected
    )


def test_what_is_watched_is_measured_and_never_chooses(tmp_path):
    plain = small_run(tmp_path, "plain")
    train(plain)
    write_examples(tmp_path / "far.jsonl", small_examples(3, seed=9))
    run = small_run(tmp_path, "watching", data={"watch": {"far": "far.jsonl"}})
    train(run)
    measured = [line for line in log_of(run) if "valid" in line]
    assert all(line["far"]["3"]["all"][2] == 9 for line in measured)
    assert [line["best_step"] for line in measured] == [
        line["best_step"] for line in log_of(plain) if "valid" in line
    ]


def test_a_state_longer_than_the_batch_is_learned_whole(tmp_path):
    run = small_run(tmp_path, optim={"steps": 1, "batch_tokens": 1, "step_tokens": 1})
    train(run)
    (line,) = [line for line in log_of(run) if "loss" in line]
    assert line["questions"] == 3 and line["tokens"] > 100 and math.isfinite(line["loss"])


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"model": {"exits": (2, 1)}}, "model.exits"),
        ({"model": {"exits": (3,)}}, "model.exits"),
        ({"model": {"device": "tpu"}}, "device"),
        ({"data": {"layouts": {"nonsense": 1.0}}}, "data.layouts"),
        ({"data": {"mix": {"nobody": 0.5}}}, "data.mix.nobody"),
        ({"data": {"mix": {"made": 0.0}}}, "data.mix"),
    ],
)
def test_what_does_not_fit_model_or_data_names_its_field(tmp_path, changes, field):
    small_config(tmp_path)
    with pytest.raises(RequestError) as caught:
        train(small_run(tmp_path, **changes))
    assert caught.value.field == field
