"""STS-B means become levels, relations and yes or no with soft targets."""

import pytest
from support.samples import examples, of_kind, options, write_text

from steelyard.data.convert.stsb import SOURCE
from steelyard.types.example import Example

ROWS = (
    "A man plays a flute.,A man is playing the flute.,5.0\n"
    '"A man, alone, sings.",A woman cooks.,0.2\n'
    "A man plays a flute.,A man plays a guitar.,2.6\n"
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Example]:
    folder = tmp_path_factory.mktemp("train")
    write_text(folder / "stsb/stsb-en-train.csv.gz", ROWS)
    return examples(SOURCE, folder, seeds=40)


def mean(example: Example) -> float:
    return sum(level * share for level, share in enumerate(example.target))


def test_a_score_keeps_the_mean_of_the_raters(found: list[Example]) -> None:
    scores = of_kind(found, "score")
    assert {round(mean(example), 6) for example in scores} == {5.0, 0.2, 2.6}
    assert all(len(example.target) == 6 for example in scores)


def test_paraphrases_are_likely_and_unrelated_pairs_are_not(found: list[Example]) -> None:
    choices = [example for example in of_kind(found, "choice") if "paraphrase" in options(example)]
    shares = {round(e.target[options(e).index("paraphrase")], 2) for e in choices}
    assert min(shares) < 0.01
    assert max(shares) > 0.9
    assert any(0.01 < share < 0.5 for share in shares)


def test_pairs_with_one_first_sentence_share_a_group(found: list[Example]) -> None:
    assert {example.group for example in found} == {"0", "1"}
    assert {example.licence for example in found} == {"CC-BY-SA-4.0"}
    assert len(of_kind(found, "noul")) > 20
