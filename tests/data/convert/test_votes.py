"""ChaosNLI, Measuring Hate Speech, SBIC, MT-Bench, SummEval, A-OKVQA: votes become targets."""

import csv
from pathlib import Path

import polars
import pytest
from support.conversions import (
    asked,
    assert_hidden,
    choices,
    converted,
    nouls,
    options,
    right,
    scores,
    shown,
    write_json,
    write_jsonl,
)

from steelyard.data import soft
from steelyard.data.convert import (
    aokvqa,
    chaosnli,
    measuring_hate_speech,
    mt_bench_human,
    sbic,
    summeval,
)
from steelyard.data.source import is_shippable


def nli(counts: dict[str, int]) -> object:
    return {
        "uid": "SECRET-UID",
        "label_counter": counts,
        "majority_label": "n",
        "label_dist": [0.3, 0.7, 0.0],
        "label_count": [30, 70, 0],
        "entropy": 0.88,
        "example": {
            "uid": "SECRET-UID",
            "premise": "Two children wash their hands.",
            "hypothesis": "Two kids at a ballgame wash their hands.",
            "source": "SECRET-SOURCE",
        },
        "old_label": "n",
        "old_labels": ["neutral"],
    }


def test_chaosnli_targets_are_smoothed_votes_and_it_is_not_shipped(tmp_path: Path) -> None:
    alpha = {
        "uid": "u",
        "label_counter": {"1": 97, "2": 3},
        "majority_label": 1,
        "example": {"uid": "u", "obs1": "Ron began.", "obs2": "Ron was fired.", "hyp1": "He swore.",
                    "hyp2": "He slept.", "source": "abdnli_dev"},
        "old_label": 1,
    }  # fmt: skip
    write_jsonl(tmp_path / "chaosnli/chaosNLI_snli.jsonl", [nli({"n": 70, "e": 30})])
    write_jsonl(tmp_path / "chaosnli/chaosNLI_mnli_m.jsonl", [])
    write_jsonl(tmp_path / "chaosnli/chaosNLI_alphanli.jsonl", [alpha])
    found = converted(chaosnli.SOURCE, tmp_path, seeds=20)
    assert_hidden(found, "SECRET")
    assert not is_shippable(chaosnli.SOURCE.licence)
    for each in choices(found):
        if "Ron" in shown(each):
            assert right(each) == "He swore."
            assert max(each.target) == pytest.approx(97.5 / 101)
        else:
            assert sorted(each.target) == pytest.approx([0.5 / 101.5, 30.5 / 101.5, 70.5 / 101.5])
            assert right(each) in [names[1] for names in chaosnli.NAMES]
    assert nouls(found)
    assert all(each.target[0] == pytest.approx(30.5 / 101) for each in nouls(found))


def test_hate_speech_needs_three_raters_and_grades_by_votes(tmp_path: Path) -> None:
    def rating(comment: int, verdict: float, insult: float) -> dict[str, object]:
        return {
            "comment_id": comment, "annotator_id": 9, "platform": 3, "text": f"comment {comment}",
            "hatespeech": verdict, "insult": insult, "violence": 0.0, "dehumanize": 0.0,
            "hate_speech_score": 7.77,
        }  # fmt: skip

    rows = [rating(1, v, i) for v, i in ((2.0, 4.0), (2.0, 3.0), (0.0, 4.0), (1.0, 4.0))]
    rows += [rating(2, 2.0, 4.0), rating(2, 2.0, 4.0)]
    path = tmp_path / "measuring_hate_speech/measuring-hate-speech.parquet"
    path.parent.mkdir()
    polars.DataFrame(rows).write_parquet(path)
    found = converted(measuring_hate_speech.SOURCE, tmp_path, seeds=20)
    assert {each.state for each in found} == {"comment 1"}
    assert_hidden(found, "7.77")
    verdicts = [each for each in scores(found) if len(each.target) == 3]
    assert all(each.target == soft.votes([1, 1, 2]) for each in verdicts) and len(verdicts) == 20
    insults = [each for each in scores(found) if "insult" in asked(each)]
    assert insults and all(each.target == soft.votes([0, 0, 0, 1, 3]) for each in insults)
    assert all(each.target[0] == pytest.approx(3 / 5) for each in nouls(found))


def test_sbic_counts_a_rater_once_and_half_votes_as_half(tmp_path: Path) -> None:
    columns = ["whoTarget", "intentYN", "sexYN", "sexReason", "offensiveYN", "WorkerId", "HITId",
               "post", "targetMinority", "targetStereotype"]  # fmt: skip
    rows = [
        ["1.0", "0.66", "0.0", "", "1.0", "w1", "h1", "a joke", "SECRET", "SECRET"],
        ["1.0", "0.66", "0.0", "", "1.0", "w1", "h1", "a joke", "SECRET", "other"],
        ["", "0.33", "", "", "0.5", "w2", "h1", "a joke", "", ""],
    ]
    path = tmp_path / "sbic/SBIC.v2.trn.csv"
    path.parent.mkdir()
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([columns, *rows])
    found = converted(sbic.SOURCE, tmp_path, seeds=3)
    assert len(found) == 3 * 3 and len(nouls(found)) == 9
    assert_hidden(found, "SECRET", "w1")
    expected = {"offensiveYN": 2 / 3, "intentYN": 1.49 / 3, "sexYN": 0.25}
    for column, share in expected.items():
        mine = [each for each in found if asked(each) in sbic.ASKS[column]]
        assert len(mine) == 3
        assert all(each.target[0] == pytest.approx(share) for each in mine)


def test_mt_bench_gathers_votes_for_a_pair_whichever_side_it_stood_on(tmp_path: Path) -> None:
    def talk(name: str) -> list[dict[str, str]]:
        return [
            {"role": role, "content": f"{role} {turn} {name if role == 'assistant' else ''}"}
            for turn in (1, 2)
            for role in ("user", "assistant")
        ]

    def row(a: str, b: str, winner: str, turn: int = 1) -> dict[str, object]:
        return {
            "question_id": 81, "model_a": a, "model_b": b, "winner": winner, "judge": "expert_0",
            "conversation_a": talk(f"words-of-{a[-1]}"),
            "conversation_b": talk(f"words-of-{b[-1]}"), "turn": turn,
        }  # fmt: skip

    rows = [
        row("model-x", "model-y", "model_a"),
        row("model-y", "model-x", "model_b"),
        row("model-x", "model-y", "tie"),
        row("model-x", "model-y", "model_b", 2),
        row("model-x", "model-x", "tie"),
    ]
    path = tmp_path / "mt_bench_human/data/human-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    polars.DataFrame(rows).write_parquet(path)
    found = converted(mt_bench_human.SOURCE, tmp_path, seeds=20)
    assert len(found) == 2 * 20
    assert_hidden(found, "model-x", "model-y", "expert_0")
    for each in found:
        assert isinstance(each.state, dict)
        second = "assistant 2" in shown(each)
        better = "y" if second else "x"
        [side] = [key[-1] for key, said in each.state.items() if f"words-of-{better}" in str(said)]
        shares = dict(zip(options(each), each.target, strict=True))
        [mine] = [share for name, share in shares.items() if side in name.split()]
        assert mine == pytest.approx(1.5 / 2.5 if second else 2.5 / 4.5)
        tie = [s for n, s in shares.items() if "tie" in n or "both" in n or "neither" in n]
        assert tie == [pytest.approx(0.5 / 2.5 if second else 1.5 / 4.5)]


def test_summeval_spreads_the_experts_mean_over_two_levels(tmp_path: Path) -> None:
    grade = {"coherence": 1, "consistency": 5, "fluency": 1, "relevance": 3}
    row = {
        "id": "dm-test-1",
        "decoded": "a summary",
        "text": "an article",
        "expert_annotations": [grade, {**grade, "relevance": 4}, grade],
        "turker_annotations": [{**grade, "relevance": 1}],
        "references": ["SECRET"],
        "model_id": "M11",
        "filepath": "cnndm/x.story",
    }
    write_jsonl(tmp_path / "summeval/model_annotations.aligned.paired.jsonl", [row])
    found = converted(summeval.SOURCE, tmp_path, seeds=4)
    assert_hidden(found, "SECRET", "M11")
    targets = {tuple(round(share, 4) for share in each.target) for each in scores(found)}
    assert targets == {(0, 0, 0, 0, 1), (0, 0, 0.6667, 0.3333, 0)}


def test_aokvqa_skips_rows_that_need_their_image(tmp_path: Path) -> None:
    row = {
        "split": "train",
        "image_id": 299207,
        "question_id": "q",
        "question": "What is the man by the bags awaiting?",
        "choices": ["skateboarder", "train", "delivery", "cab"],
        "correct_choice_idx": 3,
        "direct_answers": ["ride", "ride", "bus", "Cab", "taxi", "train", "cab"],
        "difficult_direct_answer": False,
        "rationales": ["SECRET"],
    }
    with_caption = {**row, "caption": "A man stands by his bags at a kerb."}
    write_json(tmp_path / "aokvqa/aokvqa_v1p0_train.json", [row, with_caption])
    found = converted(aokvqa.SOURCE, tmp_path, seeds=4)
    assert len(found) == 4
    assert_hidden(found, "SECRET")
    for each in found:
        shares = dict(zip(options(each), each.target, strict=True))
        assert shares == {"cab": 4 / 5, "train": 1 / 5, "skateboarder": 0, "delivery": 0}
