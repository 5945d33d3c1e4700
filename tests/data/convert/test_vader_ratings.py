"""VADER ratings become votes on the scale, on the side and on yes or no."""

from pathlib import Path

import pytest
from support.samples import examples, gold, of_kind, options, write_text

from steelyard.data.convert.vader_ratings import SOURCE
from steelyard.types.example import Example

VOTES = [4, 4, 3, 3, 3, 3, 2, 2, 0, -1]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Example]:
    folder = tmp_path_factory.mktemp("train")
    write_sample(folder)
    return examples(SOURCE, folder, seeds=40)


def write_sample(folder: Path) -> None:
    base = folder / "vader_ratings"
    for name, ids in (("amazon", ("7_1", "7_2")), ("movie", ("1", "2"))):
        rated = "".join(f"{key}\t2.3\t1.4\t{VOTES}\n" for key in ids)
        write_text(base / f"{name}ReviewSnippets_anonDataRatings.txt.gz", f"\ufeff{rated}")
        text = "".join(f'{key}\t2.3\ta "lovely" thing &amp; more\r\n' for key in ids)
        write_text(base / f"{name}ReviewSnippets_GroundTruth.txt.gz", text)
    write_text(base / "vader_lexicon.txt.gz", f":-)\t2.3\t1.4\t{VOTES}\n")


def test_nine_levels_get_the_shares_of_the_votes(found: list[Example]) -> None:
    nine = [example for example in found if len(example.target) == 9]
    assert nine
    expected = [(VOTES.count(rating) + 0.5) / (10 + 4.5) for rating in range(-4, 5)]
    assert all(example.target == pytest.approx(expected) for example in nine)


def test_coarse_levels_add_the_votes_of_their_ratings_up(found: list[Example]) -> None:
    five = [example for example in of_kind(found, "score") if len(example.target) == 5]
    three = [example for example in of_kind(found, "score") if len(example.target) == 3]
    assert five
    assert three
    assert all(
        e.target == pytest.approx([c / 12.5 for c in (0.5, 1.5, 1.5, 2.5, 6.5)]) for e in five
    )
    assert all(e.target == pytest.approx([c / 11.5 for c in (1.5, 1.5, 8.5)]) for e in three)


def test_a_choice_names_the_side_of_most_votes(found: list[Example]) -> None:
    choices = of_kind(found, "choice")
    assert {gold(example) for example in choices} == {"positive", "good", "favourable"}
    assert all(max(example.target) == pytest.approx(8.5 / 11.5) for example in choices)


def test_a_noul_has_the_share_of_the_votes_that_say_yes(found: list[Example]) -> None:
    nouls = of_kind(found, "noul")
    shares = {round(example.target[0], 6) for example in nouls}
    positive, negative, strong = 8.5 / 11, 1.5 / 11, 6.5 / 11
    assert shares == {round(share, 6) for share in (positive, negative, strong)}


def test_sentences_of_one_amazon_review_share_a_group(found: list[Example]) -> None:
    groups = {example.group for example in found}
    assert groups == {"amazon-7", "movie-1", "movie-2", "word-:-)"}


def test_entities_are_decoded_and_quotation_marks_kept(found: list[Example]) -> None:
    assert any(example.state == 'a "lovely" thing & more' for example in found)


def test_a_single_word_has_no_author(found: list[Example]) -> None:
    lone = [example for example in found if example.group.startswith("word")]
    assert not any("author" in f"{e.question.instructions}{options(e)}" for e in lone)
    assert {example.licence for example in found} == {"MIT"}
