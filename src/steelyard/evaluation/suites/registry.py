"""All suites by name.

A suite is a function from the folder of evaluation sets to examples, and a line here. Options and
texts come from the published files; the wording of questions that have none there is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from steelyard.evaluation.suites import (
    banking77,
    bbh,
    bfcl,
    chaosnli,
    clinc150,
    commonsenseqa,
    injections,
    jevbench,
    judgebench,
    metatool,
    strategyqa,
    stsb,
    sys1bench,
    tabfact,
    vader,
)
from steelyard.evaluation.suites.suite import Suite
from steelyard.types.example import Example


def _suite(name: str, load: Callable[[Path], list[Example]], licence: str, what: str) -> Suite:
    return Suite(name=name, load=load, what=what, licence=licence)


_ALL = (
    _suite("sys1bench", sys1bench.load, sys1bench.LICENCE, "tickets and e-mails under a policy"),
    _suite("jevbench240", jevbench.known, jevbench.LICENCE, "business records of six domains"),
    _suite(
        "jevbench240-unknown",
        jevbench.unknown,
        jevbench.LICENCE,
        "questions the record does not answer: nothing to be sure of",
    ),
    _suite("clinc150-20", clinc150.among_few, clinc150.LICENCE, "routing among 20 intents"),
    _suite("clinc150", clinc150.among_all, clinc150.LICENCE, "routing among 150 intents"),
    _suite("banking77", banking77.load, banking77.LICENCE, "routing among 77 topics of a bank"),
    _suite("metatool-needed", metatool.needed, metatool.LICENCE, "is a tool needed at all?"),
    _suite("metatool-fits", metatool.fits, metatool.LICENCE, "does one of ten tools fit?"),
    _suite("metatool-which", metatool.which, metatool.LICENCE, "which of nine tools fits"),
    _suite("commonsenseqa", commonsenseqa.load, commonsenseqa.LICENCE, "everyday knowledge"),
    _suite("strategyqa", strategyqa.load, strategyqa.LICENCE, "what follows from given facts"),
    _suite("bbh", bbh.load, bbh.LICENCE, "puzzles, dates, fallacies: 23 tasks"),
    _suite("judgebench", judgebench.load, judgebench.LICENCE, "which answer is right, both orders"),
    _suite("chaosnli", chaosnli.load, chaosnli.LICENCE, "what follows, against 100 votes"),
    _suite("tabfact", tabfact.load, tabfact.LICENCE, "does the table support it?"),
    _suite("vader", vader.load, vader.LICENCE, "sentiment, against 15 votes"),
    _suite("stsb", stsb.load, stsb.LICENCE, "similarity of sentences, against a mean grade"),
    _suite("bastioncorpus", injections.bastioncorpus, "MIT", "attacks on an assistant"),
    _suite(
        "agent-injection-bench",
        injections.agent_injection_bench,
        "MIT",
        "instructions hidden in what an agent reads",
    ),
    _suite("bipia", injections.bipia, "MIT AND CC-BY-SA-4.0", "instructions hidden in tables"),
    _suite("bfcl-multiple", bfcl.multiple, bfcl.LICENCE, "which function, written requests"),
    _suite("bfcl-live-multiple", bfcl.live_multiple, bfcl.LICENCE, "which function, users"),
    _suite("bfcl-relevance", bfcl.relevance, bfcl.LICENCE, "does the function fit?"),
    _suite("bfcl-live-relevance", bfcl.live_relevance, bfcl.LICENCE, "does a function fit? users"),
)

SUITES: Mapping[str, Suite] = {suite.name: suite for suite in _ALL}
