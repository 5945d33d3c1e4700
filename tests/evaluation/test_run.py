"""A run goes on where it stopped, asks states once, and never mixes answers."""

import json
from dataclasses import replace

import pytest
from support.engines import tiny_engine
from support.fake_engine import FakeEngine

from steelyard.errors import OutputError, RequestError, UnavailableError
from steelyard.evaluation.asking import STATES_PER_CALL
from steelyard.evaluation.run import Failure, example_id, read_predictions, run
from steelyard.types.example import Example
from steelyard.types.question import Choice, Noul, Score

QUESTIONS = [
    (Noul("Late?"), (1.0, 0.0)),
    (Choice("Which?", ["a", "b", "c"]), (0.0, 0.0, 1.0)),
    (Score("How?", ["low", "high"]), (0.25, 0.75)),
]
EXAMPLES = [
    Example(f"state {state}", question, target, "s", f"g{state}", "MIT")
    for question, target in QUESTIONS
    for state in range(STATES_PER_CALL + 2)
]


class OtherLayout(FakeEngine):
    """The same weights, asked with another layout."""

    def decide_many(self, requests, **how):
        responses = super().decide_many(requests)
        return [replace(r, audit=replace(r.audit, layout="11")) for r in responses]


class OtherWeights(FakeEngine):
    digest = "e" * 64


class Dies(FakeEngine):
    """Answers one call and then dies."""

    def decide_many(self, requests, **how):
        if self.calls:
            raise KeyboardInterrupt
        return super().decide_many(requests)


def test_predictions_follow_the_examples_and_come_back_from_the_file(tmp_path):
    path = tmp_path / "a.jsonl"
    predictions = run(FakeEngine(), "s", EXAMPLES, path, code="abc")
    assert [(p.group, p.kind, p.target) for p in predictions[:: STATES_PER_CALL + 2]] == [
        ("g0", "noul", (1.0, 0.0)),
        ("g0", "choice", (0.0, 0.0, 1.0)),
        ("g0", "score", (0.25, 0.75)),
    ]
    assert all(p.code == "abc" and p.exit_layer == 30 and p.suite == "s" for p in predictions)
    maker, kept = read_predictions(path)
    assert (maker.weights, maker.layout, maker.exit_layers) == ("f" * 64, "00", (30,))
    assert sorted(kept, key=lambda p: p.example) == sorted(predictions, key=lambda p: p.example)


def test_probabilities_are_the_engines_and_a_nouls_begin_with_yes(tmp_path):
    engine = tiny_engine()
    asked = EXAMPLES[:: STATES_PER_CALL + 2]
    predictions = run(engine, "s", asked, tmp_path / "a.jsonl")
    response = engine.decide("state 0", {str(n): e.question for n, e in enumerate(asked)})
    noul = response.answers["0"].noul
    assert predictions[0].probabilities == pytest.approx((noul, 1 - noul), abs=1e-6)
    for prediction, name in zip(predictions[1:], "12", strict=True):
        answer = response.answers[name]
        assert prediction.probabilities == pytest.approx(
            tuple(answer.probabilities.values()), abs=1e-6
        )
        assert prediction.exit_layer == answer.basis.exit_layer


def test_the_questions_of_a_state_are_asked_together(tmp_path):
    engine = FakeEngine()
    run(engine, "s", EXAMPLES, tmp_path / "a.jsonl")
    assert [len(call) for call in engine.calls] == [STATES_PER_CALL, 2]
    assert all(len(request.questions) == 3 for call in engine.calls for request in call)


def test_a_killed_run_goes_on_where_it_stopped(tmp_path):
    path = tmp_path / "a.jsonl"
    with pytest.raises(KeyboardInterrupt):
        run(Dies(), "s", EXAMPLES, path)
    path.write_text(path.read_text()[:-40])  # the kill tore the last line
    engine, counts = FakeEngine(), []
    resumed = run(engine, "s", EXAMPLES, path, progress=lambda done, total: counts.append(done))
    whole = run(FakeEngine(), "s", EXAMPLES, tmp_path / "b.jsonl")
    assert [p.probabilities for p in resumed] == [p.probabilities for p in whole]
    asked = sum(len(request.questions) for call in engine.calls for request in call)
    assert asked == 3 * 2 + 1  # two states, and the torn answer
    assert counts[-1] == len(EXAMPLES)


def test_a_longer_sample_asks_only_what_is_new(tmp_path):
    settings = {"exits": (1, 2)}
    run(FakeEngine(), "s", EXAMPLES[:4], tmp_path / "a.jsonl", settings=settings)
    engine = FakeEngine()
    longer = run(engine, "s", EXAMPLES[:5], tmp_path / "a.jsonl", settings=settings)
    assert len(longer) == 5
    assert [request.state for call in engine.calls for request in call] == ["state 4"]


def test_an_example_that_is_there_twice_is_asked_once(tmp_path):
    engine = FakeEngine()
    first, second = run(engine, "s", [EXAMPLES[0]] * 2, tmp_path / "a.jsonl")
    assert first == second
    assert len(engine.calls[0][0].questions) == 1


@pytest.mark.parametrize(
    ("engine", "suite", "how", "what"),
    [
        (OtherWeights(), "s", {}, "weights"),
        (OtherLayout(), "s", {}, "layout"),
        (FakeEngine(), "s", {"rotations": 2}, "settings"),
        (FakeEngine(), "t", {}, "suite"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_answers_of_another_maker_are_refused(tmp_path, engine, suite, how, what):
    path = tmp_path / "a.jsonl"
    run(FakeEngine(), "s", EXAMPLES[:2], path)
    before = path.read_text()
    with pytest.raises(OutputError, match=f"a.jsonl: holds answers of {what} .*, not "):
        run(engine, suite, EXAMPLES[:3], path, how=how)
    assert path.read_text() == before


def test_a_refused_request_says_which_example_and_keeps_the_answers_before(tmp_path):
    refused = replace(EXAMPLES[0], state="refuse me")
    path = tmp_path / "a.jsonl"
    with pytest.raises(RequestError, match=f"refused .*suite 's', .*{example_id(refused)}"):
        run(FakeEngine(), "s", [*EXAMPLES[:STATES_PER_CALL], refused], path)
    assert len(read_predictions(path)[1]) == STATES_PER_CALL


def test_what_is_no_file_of_answers_is_refused(tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"other": 1}) + "\n")
    for name in ("a.jsonl", "none.jsonl"):
        with pytest.raises(OutputError, match="no answers"):
            read_predictions(tmp_path / name)


# -- what is refused, when a run may go on ------------------------------------------------------


def test_refused_examples_are_told_and_the_others_answered(tmp_path):
    refused = [replace(EXAMPLES[n], state="refuse me", group="r") for n in (0, STATES_PER_CALL + 2)]
    failures: list[Failure] = []
    asked = [*EXAMPLES[:3], *refused, *EXAMPLES[3:5]]
    path = tmp_path / "a.jsonl"
    answered = run(FakeEngine(), "suite", asked, path, failures=failures)
    assert [p.group for p in answered] == ["g0", "g1", "g2", "g3", "g4"]
    assert [(f.example, f.kind, f.group) for f in failures] == [
        (example_id(refused[0]), "noul", "r"),
        (example_id(refused[1]), "choice", "r"),
    ]
    assert {(f.code, f.message, f.suite) for f in failures} == {
        ("invalid_request", "state: refused", "suite")
    }
    engine = FakeEngine()
    run(engine, "suite", asked, path, failures=failures)  # asked again, and only they
    assert {request.state for call in engine.calls for request in call} == {"refuse me"}


def test_a_run_whose_first_questions_all_fail_ends(tmp_path):
    asked = [replace(EXAMPLES[0], state="refuse me", group=str(n)) for n in range(30)]
    engine = FakeEngine()
    with pytest.raises(RequestError, match="refused"):
        run(engine, "s", asked, tmp_path / "a.jsonl", failures=[])
    assert not (tmp_path / "a.jsonl").exists()


def test_what_concerns_the_server_ends_a_run_that_may_go_on(tmp_path):
    class Gone(FakeEngine):
        def decide_many(self, requests, **how):
            raise UnavailableError("gone")

    with pytest.raises(UnavailableError):
        run(Gone(), "s", EXAMPLES, tmp_path / "a.jsonl", failures=[])


def test_alone_each_question_is_a_call(tmp_path):
    engine = FakeEngine()
    run(engine, "s", EXAMPLES[:4], tmp_path / "a.jsonl", alone=True)
    assert [len(call) for call in engine.calls] == [1] * 4


def test_the_source_of_an_example_is_kept_where_it_is_not_the_suite(tmp_path):
    path = tmp_path / "a.jsonl"
    examples = [EXAMPLES[0], replace(EXAMPLES[1], source="s/hard")]
    run(FakeEngine(), "s", examples, path)
    assert [one.source for one in read_predictions(path)[1]] == ["", "s/hard"]
    assert '"source"' not in path.read_text().splitlines()[1]
