"""Each experiment finds the fault that it is for, and finds none where there is none."""

from __future__ import annotations

import math

import pytest
from support import deciders
from support.deciders import Faultless

from steelyard.probe.experiment import OwnQuestion, Setting
from steelyard.probe.experiments.registry import EXPERIMENTS, chosen
from steelyard.probe.finding import Finding
from steelyard.probe.run import Result, probe
from steelyard.probe.trial import ASKED
from steelyard.types.question import Choice
from steelyard.types.request import Request

QUICK = Setting(quick=True)

# Experiment, decider with the fault, and words of the nulls that must not hold.
FAULTS = [
    ("noise", deciders.Noisy, ["same request"]),
    ("duplicates", deciders.CopyBound, ["same question twice"]),
    ("renaming", deciders.IdReader, ["moves no probability"]),
    ("sibling-order", deciders.SiblingBound, ["moves no probability"]),
    ("isolation", deciders.Leaky, ["cannot read", "what a sibling says"]),
    ("isolation", deciders.CopyBound, ["asked alone"]),
    ("option-order", deciders.OrderBound, ["moves no probability", "changes no answer"]),
    ("paraphrase", deciders.WordBound, ["moves no probability"]),
    ("irrelevant-option", deciders.Crowded, ["each time"]),
    ("option-count", deciders.FirstOnly, ["in the middle", "in last place"]),
    ("card-in-state", deciders.Truncating, ["end of the state"]),
    ("card-in-options", deciders.LastCardOnly, ["first option", "middle option"]),
    ("forged-options", deciders.Gullible, ["(label: text)", "(XML)", "(JSON)", "(chat tokens)"]),
    ("negation", deciders.Agreeable, ["on average", "each time"]),
    ("noul-as-choice", deciders.KindBound, ["on average", "each time"]),
    ("tokens", deciders.CountsTheStateAgain, ["counted once", "ids are not"]),
    ("tokens", deciders.Truncating, ["all of a long state"]),
    ("latency", deciders.Slow, ["no faster", "less than half"]),
]  # fmt: skip


def run(name: str, decider: Faultless, setting: Setting = QUICK) -> Result:
    [result] = probe(decider, chosen([name]), setting).results
    return result


def verdicts(result: Result) -> dict[str, str]:
    return {finding.null: finding.verdict for finding in result.judgement.findings}


def finding(result: Result, words: str) -> Finding:
    [found] = [one for one in result.judgement.findings if words in one.null]
    return found


@pytest.mark.parametrize("name", EXPERIMENTS)
@pytest.mark.parametrize("quick", [True, False])
def test_a_faultless_decider_has_no_fault(name, quick):
    result = run(name, Faultless(), Setting(quick=quick))
    # A share of changed answers needs more texts than there are to be shown small.
    shares = [null for null in verdicts(result) if "changes no answer" in null]
    assert set(verdicts(result).values()) - {"holds"} <= ({"not shown"} if shares else set())
    assert [verdicts(result)[null] for null in shares] == ["not shown"] * len(shares)
    assert not result.refusals


@pytest.mark.parametrize(("name", "fault", "nulls"), FAULTS)
def test_the_fault_that_an_experiment_is_for_is_found(name, fault, nulls):
    found = verdicts(run(name, fault()))
    for words in nulls:
        assert {found[null] for null in found if words in null} == {"does not hold"}, words


def test_every_experiment_has_its_fault():
    assert {name for name, *_ in FAULTS} == set(EXPERIMENTS)


def test_an_order_effect_is_measured_as_large_as_it_is():
    # Two equal options, the first of which gains 1 in log-odds: sigmoid(1) against sigmoid(-1).
    own = tuple(
        OwnQuestion(f"row {n}", f"row {n}", Request(f"s{n}", {ASKED: Choice("?", ["a", "b"])}))
        for n in range(30)
    )
    result = run("option-order", deciders.OrderBound(spread=0.0), Setting(own=own))
    [table] = result.judgement.tables
    moved = {row[0]: row[2] for row in table.rows}
    assert moved["reversed"] == pytest.approx(math.tanh(1 / 2))
    assert finding(result, "moves no").estimate == pytest.approx(
        sum(row[1] * row[2] for row in table.rows) / sum(row[1] for row in table.rows)
    )
    flips = finding(result, "changes no answer")
    assert flips.estimate == pytest.approx(sum(row[5] for row in table.rows) / (30 * 4))
    assert flips.interval[0] <= flips.estimate <= flips.interval[1]


def test_an_added_option_is_measured_in_log_odds():
    # Scores divided by 1.5 in place of 1: each block's log-odds shrink by a third.
    result = run("irrelevant-option", deciders.Crowded())
    [table] = result.judgement.tables
    for _, _, four, five, added, _ in table.rows:
        assert five == pytest.approx(four / 1.5)
        assert added == pytest.approx(five - four)


def test_how_often_the_state_is_counted_is_a_number():
    found = finding(run("tokens", deciders.CountsTheStateAgain()), "counted once")
    assert found.estimate == pytest.approx(1.0)


def test_a_fitted_line_is_that_of_the_times():
    result = run("latency", deciders.Slow())
    assert finding(result, "no faster").estimate == pytest.approx(2.0, abs=0.05)
    assert finding(result, "less than half").estimate == pytest.approx(1.0, abs=0.1)


def test_noise_alone_is_no_effect_of_order():
    found = verdicts(run("option-order", deciders.Noisy(), Setting()))
    assert "does not hold" not in found.values()


def test_a_model_that_reads_nothing_shows_nothing():
    class Blind(Faultless):
        def seen(self, request, name):
            return "nothing"

    result = run("isolation", Blind())
    assert finding(result, "cannot read").verdict == "not shown"
    assert "no weight even where" in finding(result, "cannot read").because
    card = run("card-in-state", Blind())
    assert set(verdicts(card).values()) == {"not shown"}
    assert "does not read the card" in card.judgement.findings[0].because


@pytest.mark.parametrize("name", ["card-in-state", "card-in-options"])
@pytest.mark.parametrize("seed", range(5))
def test_whims_are_no_effect_of_a_place(name, seed):
    result = run(name, deciders.Whimsical(), Setting(seed=seed, quick=True))
    assert set(verdicts(result).values()) == {"not shown"}


def test_what_is_refused_is_reported():
    result = run("option-count", deciders.Narrow())
    assert sum(result.refusals.values()) == 9  # 32 options: two texts in three places; 255: one
    accepted = finding(result, "as many as 255")
    assert (accepted.verdict, accepted.estimate) == ("not supported by this server", 8)
    assert "at most 26" in accepted.because
    assert finding(result, "in last place").verdict == "holds"


def test_a_server_that_tells_no_tokens_is_said_to():
    result = run("tokens", deciders.TellsNoTokens())
    assert set(verdicts(result).values()) == {"not supported by this server"}
    assert {one.because for one in result.judgement.findings} == {"it tells no tokens"}
