"""ProofWriter and BoardgameQA."""

from pathlib import Path

from support.conversions import (
    asked,
    assert_hidden,
    choices,
    converted,
    nouls,
    right,
    write_json,
    write_jsonl,
)

from steelyard.data.convert import boardgameqa, proofwriter_owa
from steelyard.data.forward_chaining import VARIABLE, Literal, Rule


def question(text: str, representation: str, answer: object, depth: int) -> object:
    return {
        "question": text,
        "answer": answer,
        "QDep": depth,
        "QLen": 1,
        "strategy": "proof",
        "proofs": "[(((SECRET)))]",
        "representation": representation,
    }


DOCUMENT = {
    "id": "AttNoneg-OWA-D3-1",
    "maxD": 3,
    "NFact": 1,
    "NRule": 2,
    "theory": "Anne is kind. If someone is kind then they are nice. Nice things are not cold.",
    "triples": {"triple1": {"text": "Anne is kind.", "representation": '("Anne" "is" "kind" "+")'}},
    "rules": {
        "rule1": {
            "text": "If someone is kind then they are nice.",
            "representation": '((("someone" "is" "kind" "+")) -> ("someone" "is" "nice" "+"))',
        },
        "rule2": {
            "text": "Nice things are not cold.",
            "representation": '((("something" "is" "nice" "+")) -> ("something" "is" "cold" "~"))',
        },
    },
    "questions": {
        "Q1": question("Anne is kind.", '("Anne" "is" "kind" "+")', True, 0),
        "Q2": question("Anne is nice.", '("Anne" "is" "nice" "+")', True, 1),
        "Q3": question("Anne is cold.", '("Anne" "is" "cold" "+")', False, 2),
        "Q4": question("Anne is not big.", '("Anne" "is" "big" "~")', "Unknown", 0),
    },
    "allProofs": "SECRET",
}


def test_representations_become_literals_and_rules() -> None:
    facts, rules = proofwriter_owa.theory(DOCUMENT)
    assert facts == [Literal("Anne", "is", "kind")]
    nice = Literal(VARIABLE, "is", "nice")
    assert rules[0] == Rule((Literal(VARIABLE, "is", "kind"),), nice)
    assert rules[1] == Rule((nice,), Literal(VARIABLE, "is", "cold", False))


def test_proofwriter_takes_the_deepest_of_each_answer_and_hides_proofs(tmp_path: Path) -> None:
    wrong = {
        **DOCUMENT,
        "id": "D5-2",
        "questions": {"Q1": question("Anne is nice: WRONG", '("Anne" "is" "nice" "+")', False, 1)},
    }
    write_jsonl(tmp_path / "proofwriter/OWA/depth-3/meta-train.jsonl", [DOCUMENT])
    write_jsonl(tmp_path / "proofwriter/OWA/depth-5/meta-train.jsonl", [wrong])
    found = converted(proofwriter_owa.SOURCE, tmp_path, seeds=20)
    assert len(found) == 3 * 20
    assert_hidden(found, "SECRET", "WRONG", "Anne is kind.\\", "QDep")
    by_statement = {"nice": "true", "cold": "false", "big": "unknown"}
    for each in choices(found):
        [answer] = [v for k, v in by_statement.items() if f" {k}." in asked(each)]
        assert any(names[answer] == right(each) for names in proofwriter_owa.ANSWERS)
    assert all((each.target[0] > 0.5) == ("nice" in asked(each)) for each in nouls(found))


def board(label: str, answer: str) -> object:
    return {
        "proof": f'We know the cat eats, so SECRET, so the answer is "{answer}".',
        "example": "A few players are playing a boardgame. The cat eats the dog. And the rules of "
        "the game are as follows. Rule1: If the cat eats, it sings. Based on the game state and "
        "the rules and preferences, does the cat sing a song?",
        "label": label,
        "rules": "Rule1: SECRET",
        "preferences": "SECRET",
        "theory": "Facts: SECRET",
        "goal": "(cat, sing, song)",
        "facts": "SECRET",
    }


def test_boardgameqa_splits_the_question_off_and_checks_label_against_proof(
    tmp_path: Path,
) -> None:
    rows = [board("proved", "yes"), board("disproved", "no"), board("unknown", "unknown")]
    slips = [board("proved", "no"), {**board("proved", "yes"), "proof": "no end"}]  # type: ignore[dict-item]
    write_json(tmp_path / "boardgameqa/BoardgameQA-Main-depth2/train.json", [*rows, *slips])
    write_json(tmp_path / "boardgameqa/BoardgameQA-Main-depth3/train.json", [])
    found = converted(boardgameqa.SOURCE, tmp_path, seeds=20)
    assert len(found) == 3 * 20
    assert_hidden(found, "SECRET", "(cat, sing")
    assert all("does the cat sing" not in str(each.state) for each in found)
    assert all("oes the cat sing a song?" in asked(each) for each in found)
    seen = {right(each) for each in choices(found)}
    assert seen == {text for names in boardgameqa.ANSWERS for text in names.values()}
    assert {each.target[0] > 0.5 for each in nouls(found)} == {True, False}
