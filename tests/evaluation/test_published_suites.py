"""The published files give as many questions as their table says."""

from collections import Counter

import pytest
from support.published import SHARED_DATA

from steelyard.evaluation.suites.registry import SUITES
from steelyard.types.question import kind_of

FOLDER = SHARED_DATA / "eval"

pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="the published evaluation sets are not beside the repository"
)

# Rows of the data's README, by kind; JevBench's 1,206 answers and its 146 unknown ones; BIPIA's 100
# contexts clean and attacked; MetaTool's 995 + 497, and its 497 pairs; BFCL's 240 + 400 and
# 884 + 16 + 258.
COUNTS = {
    "sys1bench": {"noul": 700, "choice": 200, "score": 200},
    "jevbench240": {"noul": 642, "choice": 287, "score": 131},
    "jevbench240-unknown": {"noul": 90, "choice": 33, "score": 23},
    "clinc150-20": {"choice": 4500},
    "clinc150": {"choice": 4500},
    "banking77": {"choice": 3080},
    "metatool-needed": {"noul": 1040},
    "metatool-fits": {"noul": 995 + 497},
    "metatool-which": {"choice": 2 * 497},
    "commonsenseqa": {"choice": 1221},
    "strategyqa": {"noul": 229},
    "bbh": {"choice": 4319, "noul": 1187},
    "judgebench": {"choice": 2 * (270 + 350)},
    "chaosnli": {"choice": 1514 + 1599 + 1532},
    "tabfact": {"noul": 1998},
    "vader": {"score": 2810},
    "stsb": {"score": 1379},
    "bastioncorpus": {"noul": 181},
    "agent-injection-bench": {"noul": 24},
    "bipia": {"noul": 2 * 100},
    "bfcl-multiple": {"choice": 200},
    "bfcl-live-multiple": {"choice": 1053},
    "bfcl-relevance": {"noul": 240 + 400},
    "bfcl-live-relevance": {"noul": 884 + 16 + 258},
}
OPTIONS = {"clinc150": 150, "clinc150-20": 20, "banking77": 77, "vader": 9, "stsb": 6}


def test_every_suite_is_counted():
    assert COUNTS.keys() == SUITES.keys()


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_has_as_many_questions_as_were_published(name):
    examples = SUITES[name].load(FOLDER)
    assert Counter(kind_of(example.question) for example in examples) == COUNTS[name]
    assert {example.licence for example in examples} == {SUITES[name].licence}
    assert {example.source.partition("/")[0] for example in examples} == {name}
    if name in OPTIONS:
        assert {len(example.target) for example in examples} == {OPTIONS[name]}
