"""MuSiQue, HotpotQA, 2WikiMultihopQA, TempReason: short answers from documents."""

from pathlib import Path

from support.conversions import (
    asked,
    assert_hidden,
    choices,
    converted,
    nouls,
    options,
    right,
    shown,
    write_json,
    write_jsonl,
)

from steelyard.data.convert import hotpotqa, musique, tempreason, wikimultihop
from steelyard.data.normal import overlap


def test_musique_excludes_aliases_and_draws_on_earlier_hops(tmp_path: Path) -> None:
    row = {
        "id": "2hop__482757_12019",
        "paragraphs": [
            {"idx": 0, "title": "Ann Lee", "paragraph_text": "Ann Lee was born in Yadkinville.",
             "is_supporting": True},
            {"idx": 1, "title": "Film", "paragraph_text": "The film by Ann Lee opened in Durham.",
             "is_supporting": True},
            {"idx": 2, "title": "Yadkinville, North Carolina",
             "paragraph_text": "A town near Boonville.", "is_supporting": False},
        ],
        "question": "Where was the director of Film born?",
        "question_decomposition": [
            {"id": 482757, "question": "SECRET >> director", "answer": "Ann Lee",
             "paragraph_support_idx": 1},
            {"id": 12019, "question": "SECRET #1 >> place of birth", "answer": "Yadkinville",
             "paragraph_support_idx": 0},
        ],
        "answer": "Yadkinville",
        "answer_aliases": ["Yadkinville, North Carolina", "Boonville"],
        "answerable": True,
    }  # fmt: skip
    other = {**row, "id": "3hop1__1_2_7", "answerable": False, "question": "WRONG"}
    write_jsonl(tmp_path / "musique/musique_ans_v1.0_train.jsonl", [row, other])
    found = converted(musique.SOURCE, tmp_path, seeds=40)
    assert len(found) == 40 and {each.group for each in found} == {"12019"}
    assert_hidden(found, "SECRET", "is_supporting", "WRONG")
    for each in choices(found):
        assert right(each) == "Yadkinville"
        wrong = [text for text in options(each) if text != "Yadkinville"]
        assert not any(overlap(text, "Yadkinville, North Carolina") for text in wrong)
        assert "Boonville" not in wrong
    assert any("Ann Lee" in options(each) for each in choices(found))
    assert {each.target[0] > 0.5 for each in nouls(found)} == {True, False}


def test_hotpotqa_decodes_titles_before_it_compares_them(tmp_path: Path) -> None:
    row = {
        "_id": "5a7a06935542990198eaf050",
        "answer": '"Dr. Death" Steve Williams',
        "question": "Which wrestler?",
        "supporting_facts": [["SECRET", 0]],
        "context": [
            ["&quot;Dr. Death&quot; Steve Williams", ["He wrestled.", " In Japan."]],
            ["Terry Gordy", ["Terry Gordy wrestled, too."]],
            ["Stan Hansen", ["A wrestler from Texas."]],
        ],
        "type": "bridge",
        "level": "hard",
    }
    yes = {**row, "_id": "2", "answer": "yes", "question": "Are both wrestlers?"}
    write_json(tmp_path / "hotpotqa/hotpot_train_v1.1.json", [row, yes])
    found = converted(hotpotqa.SOURCE, tmp_path, seeds=30)
    assert len(found) == 60
    assert_hidden(found, "SECRET", "&quot;", "bridge")
    for each in choices(found):
        assert sum("Steve Williams" in text for text in options(each)) == 1
    assert all(e.target[0] > 0.9 for e in nouls(found) if "both" in asked(e))


def test_2wiki_takes_aliases_by_id(tmp_path: Path) -> None:
    row = {
        "_id": "abc",
        "type": "compositional",
        "question": "Where does the director live?",
        "context": [["Film", ["A film by Kim."]],
                    ["Kim", ["Kim lives in the USA.", "Born in Rome."]],
                    ["Place", ["Somebody moved to America from Paris."]]],
        "supporting_facts": [["SECRET", 0]],
        "evidences": [["Film", "SECRET", "Kim"], ["Kim", "residence", "USA"]],
        "answer": "USA",
        "evidences_id": [["Q1", "director", "Q2"]],
        "answer_id": "Q30",
    }  # fmt: skip
    write_json(tmp_path / "2wikimultihopqa/train.json", [row])
    aliases = [{"Q_id": "Q30", "aliases": ["America", "United States"], "demonyms": ["American"]}]
    write_jsonl(tmp_path / "2wikimultihopqa/id_aliases.json", aliases)
    found = converted(wikimultihop.SOURCE, tmp_path, seeds=30)
    assert len(found) == 30
    assert_hidden(found, "SECRET")
    for each in choices(found):
        assert right(each) == "USA" and "America" not in options(each)
    checked_wrong = [asked(each) for each in nouls(found) if each.target[0] < 0.5]
    assert checked_wrong and not any("America" in text for text in checked_wrong)


def test_tempreason_asks_the_facts_with_the_published_wrong_answers(tmp_path: Path) -> None:
    row = {
        "question": "Which position did Ann hold in May, 1946?",
        "date": "May 27, 1946",
        "text_answers": {"text": ["senator", "member of the senate"]},
        "id": "L2_Q367750_P39_0",
        "fact_context": "Ann was a mayor from 1940 to 1944. Ann was a senator from 1945 to 1950.",
        "context": "long article",
        "none_context": "",
        "neg_answers": ["mayor", "governor", "state senator", "member of the senate"],
    }
    write_jsonl(tmp_path / "tempreason/train_l2.json", [row, {**row, "fact_context": " "}])
    found = converted(tempreason.SOURCE, tmp_path, seeds=20)
    assert len(found) == 20 and {each.group for each in found} == {"L2_Q367750_P39"}
    for each in choices(found):
        assert right(each) == "senator"
        assert set(options(each)) <= {"senator", "mayor", "governor"}
    assert all("long article" not in shown(each) for each in found)
