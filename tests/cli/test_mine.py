"""`steelyard mine`: the mined file, its report and its answers; a killed run goes on."""

import json
from pathlib import Path

import pytest
from support.examples import choice, noul
from support.fake_engine import UNTRAINED, FakeEngine, fake_response

import steelyard
from steelyard.cli.main import run
from steelyard.data.dataset import read_examples, write_examples
from steelyard.types import Request

POOL = [
    choice(f"state {index // 2}", ("a", "b"), instructions=f"{index % 2}?", source="made")
    for index in range(80)
]
COMMAND = ["mine", "first", "pool.jsonl.gz", "-o", "out.jsonl.gz", "--seed", "1"]


class Dies(FakeEngine):
    """Answers one call and then dies."""

    def decide_many(self, requests, **how):
        if self.calls:
            raise KeyboardInterrupt
        return super().decide_many(requests)


@pytest.fixture
def engines(monkeypatch, tmp_path):
    """The engines that were loaded, with what they were loaded by, in a folder with a pool."""
    loaded = []

    def load(model, **options):
        loaded.append((FakeEngine(), model, options))
        return loaded[-1][0]

    monkeypatch.setitem(vars(steelyard), "load", load)
    monkeypatch.chdir(tmp_path)
    write_examples(Path("pool.jsonl.gz"), POOL)
    return loaded


def forecast(example):
    response = fake_response(Request(example.state, {"q": example.question}))
    return tuple(response.answers["q"].probabilities.values())


def asked(example):
    return example.state, example.question.instructions


def report():
    return json.loads(Path("out.report.json").read_text())


def test_what_the_model_gets_wrong_is_kept_and_its_answers_are_replayed(engines, capsys):
    assert run([*COMMAND, "--most-hard", "20"]) == 0
    kept = {asked(one): one for one in read_examples(Path("out.jsonl.gz"))}
    hard, easy, replayed = 0, 0, 0
    for example in POOL:
        one, p = kept.get(asked(example)), forecast(example)
        if one is None:
            continue
        if one.target != example.target:
            assert one.target == pytest.approx(p, abs=1e-6)
            replayed += 1
        elif p[0] < 0.8:
            hard += 1
        else:
            easy += 1
    counts = report()
    assert (hard, easy, replayed) == (20, 5, 25)
    assert (counts["hard"], counts["easy"], counts["replay"]) == (20, 5, 25)
    assert counts["found_hard"] == sum(forecast(example)[0] < 0.8 for example in POOL)
    assert counts["wanted"] == {"easy": 5, "replay": 25}
    assert counts["weights"] == "f" * 64 and list(counts["inputs"]) == ["pool.jsonl.gz"]
    out, err = capsys.readouterr()
    assert out.split()[-7:] == ["all", "80", str(counts["found_hard"]), "0", "20", "5", "25"]
    assert f"warning: {UNTRAINED}\n" in err and "80 of 80 questions read\n" in err


def test_the_model_is_read_without_its_temperatures_and_states_once(engines):
    assert run([*COMMAND, "--readout", "letters", "--threads", "1"]) == 0
    ((engine, model, options),) = engines
    assert model == "first" and options["calibrated"] is False
    assert (options["readout"], options["threads"]) == ("letters", 1)
    assert {len(request.questions) for call in engine.calls for request in call} == {2}
    assert engine.closed


def test_the_report_is_printed_as_json(engines, capsys):
    assert run([*COMMAND, "--json", "--limit", "10"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == report()
    assert printed["read"] == 10


def test_a_killed_run_goes_on_and_another_choice_asks_nothing(engines, monkeypatch):
    killed = Dies()
    with monkeypatch.context() as patched:
        patched.setitem(vars(steelyard), "load", lambda model, **options: killed)
        assert run(COMMAND) == 130
    assert not Path("out.jsonl.gz").exists()
    assert run(COMMAND) == 0
    ((resumed, *_),) = engines
    states = [request.state for call in (*killed.calls, *resumed.calls) for request in call]
    assert sorted(states) == sorted({example.state for example in POOL})

    first = Path("out.jsonl.gz").read_bytes()
    for again, arguments in ((True, []), (False, ["--easy", "0"])):
        Path("out.jsonl.gz").unlink()
        assert run([*COMMAND, *arguments]) == 0
        assert (Path("out.jsonl.gz").read_bytes() == first) == again
        assert engines[-1][0].calls == []


def test_an_example_of_two_files_is_read_once(engines):
    write_examples(Path("more.jsonl"), [*POOL[:4], noul("new")])
    assert run([*COMMAND[:3], "more.jsonl", *COMMAND[3:]]) == 0
    assert report()["read"] == 81
    assert list(report()["inputs"]) == ["pool.jsonl.gz", "more.jsonl"]


def test_a_source_is_read_as_far_as_a_training_run_takes_it(engines):
    Path("run.toml").write_text(
        'model = {base = "mini"}\noptim = {steps = 1}\n'
        'data = {train = ["x"], valid = "y", mix = {made = 0.25}}\n'
    )
    assert run([*COMMAND, "--mix", "run.toml"]) == 0
    assert 4 < report()["read"] < 40
    assert report()["mix"] == "run.toml"


def test_a_pool_without_enough_to_replay_is_told(engines, capsys):
    assert run(COMMAND) == 0
    counts = report()
    assert counts["replay"] < counts["wanted"]["replay"]
    assert (
        f"warning: {counts['replay']} replay of {counts['wanted']['replay']} wanted: the pool has "
        "no more; read more, or keep fewer by --most-hard\n"
    ) in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--below", "1.5"], 2, "below: 1.5; allowed: between 0 and 1"),
        (["-o", "pool.jsonl.gz"], 1, "pool.jsonl.gz exists already; nothing is overwritten"),
        (["nowhere.jsonl"], 2, "nowhere.jsonl cannot be read"),
    ],
)
def test_what_cannot_be_mined_is_told_before_the_model_is_loaded(
    engines, arguments, code, said, capsys
):
    assert run([*COMMAND, *arguments]) == code
    assert said in capsys.readouterr().err
    assert engines == []


def test_an_empty_pool_is_asked_wrongly(engines, capsys):
    Path("empty.jsonl").write_text("")
    assert run(["mine", "first", "empty.jsonl", "-o", "out.jsonl", "--seed", "1"]) == 2
    assert "empty.jsonl: no examples" in capsys.readouterr().err
