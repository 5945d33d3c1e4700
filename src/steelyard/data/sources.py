"""Every source that there is, one line each: what a build takes, and what it takes by name only."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.data.convert import (
    aokvqa,
    autoj_pairwise,
    banking77,
    bipia,
    boardgameqa,
    boolq_passage,
    chaosnli,
    clinc150,
    commonsense,
    commonsenseqa,
    cuad,
    drop,
    finqa,
    folio,
    halueval,
    helpsteer,
    hitab,
    hotpotqa,
    legalbench,
    maud,
    measuring_hate_speech,
    metatool,
    mind2web,
    mt_bench_human,
    musique,
    prm800k,
    proofwriter,
    proofwriter_owa,
    pubmedqa,
    ropes,
    rubric_scores,
    sbic,
    scienceqa,
    sharc,
    sst5,
    strategyqa,
    stsb,
    summeval,
    tabfact,
    tatqa,
    tatqa_train,
    tempreason,
    test_of_time,
    truthfulqa_judge,
    unieval,
    vader_ratings,
    who_and_when,
    wikimultihop,
    wikisql,
)
from steelyard.data.generate import (
    chance,
    counting,
    dates,
    injections,
    needle,
    ordering,
    records,
    routing,
    rules,
    severity,
    tradeoffs,
    unknowable,
)
from steelyard.data.source import Source
from steelyard.errors import RequestError

SOURCES: tuple[Source, ...] = (
    # corpora
    autoj_pairwise.SOURCE,
    banking77.SOURCE,
    bipia.SOURCE,
    clinc150.SOURCE,
    commonsense.ARC_CHALLENGE,
    commonsense.ARC_EASY,
    commonsense.BOOLQ,
    commonsense.OPENBOOKQA,
    commonsenseqa.SOURCE,
    folio.SOURCE,
    halueval.SOURCE,
    legalbench.SOURCE,
    metatool.SOURCE,
    proofwriter.SOURCE,
    pubmedqa.SOURCE,
    rubric_scores.SOURCE,
    sst5.SOURCE,
    strategyqa.SOURCE,
    stsb.SOURCE,
    tabfact.SOURCE,
    tatqa.SOURCE,
    truthfulqa_judge.SOURCE,
    unieval.REPLIES,
    unieval.SENTENCES,
    vader_ratings.SOURCE,
    who_and_when.SOURCE,
    # generators
    chance.SOURCE,
    counting.SOURCE,
    dates.SOURCE,
    injections.SOURCE,
    needle.SOURCE,
    ordering.SOURCE,
    records.SOURCE,
    routing.SOURCE,
    rules.SOURCE,
    severity.SOURCE,
    tradeoffs.SOURCE,
    unknowable.SOURCE,
)
"""What a build takes by itself."""

ELSEWHERE: tuple[Source, ...] = (
    aokvqa.SOURCE,
    boardgameqa.SOURCE,
    boolq_passage.SOURCE,
    chaosnli.SOURCE,
    cuad.SOURCE,
    drop.SOURCE,
    finqa.SOURCE,
    helpsteer.SOURCE,
    hitab.SOURCE,
    hotpotqa.SOURCE,
    maud.SOURCE,
    measuring_hate_speech.SOURCE,
    mind2web.SOURCE,
    mt_bench_human.SOURCE,
    musique.SOURCE,
    prm800k.SOURCE,
    proofwriter_owa.SOURCE,
    ropes.SOURCE,
    sbic.SOURCE,
    scienceqa.SOURCE,
    sharc.SOURCE,
    summeval.SOURCE,
    tatqa_train.SOURCE,
    tempreason.SOURCE,
    test_of_time.SOURCE,
    wikimultihop.SOURCE,
    wikisql.SOURCE,
)
"""Corpora whose files a user has to fetch; a build takes them by name only."""


def select(
    names: Sequence[str] | None,
    sources: Sequence[Source] = SOURCES,
    elsewhere: Sequence[Source] = ELSEWHERE,
) -> tuple[Source, ...]:
    """The sources of these names, in the order of the registry; all of `sources` for None.

    Raises:
        RequestError: a name that no source has.
    """
    if names is None:
        return tuple(sources)
    named = {source.name: source for source in (*sources, *elsewhere)}
    for name in names:
        if name not in named:
            raise RequestError(
                f"got {name!r}; allowed: {', '.join(sorted(named))}", field="sources"
            )
    return tuple(source for name, source in named.items() if name in set(names))
