"""Each suite reads what is published and asks what its labels answer."""

from collections import Counter

import pytest
from support.published import write_json, write_lines, write_text

from steelyard.errors import InputFileError
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
from steelyard.evaluation.suites.own import suite_of_file
from steelyard.evaluation.suites.registry import SUITES
from steelyard.evaluation.suites.suite import between_levels
from steelyard.types.example import Example, encode_example
from steelyard.types.question import Choice, Noul, Score

YES, NO = (1.0, 0.0), (0.0, 1.0)


def labels(example):
    return list(example.question.criteria)


def gold_label(example):
    return labels(example)[example.gold]


def test_names_are_those_of_the_registry():
    assert all(name == suite.name for name, suite in SUITES.items())
    assert all(suite.what and suite.licence for suite in SUITES.values())


SYS1 = {
    "task_id": "t1",
    "state": {"text": "Hi"},
    "questions": {
        "queue": {
            "type": "choice",
            "instructions": "Which queue?",
            "criteria": [{"key": "a", "description": "First"}, {"key": "b", "description": "Last"}],
            "ground_truth": "b",
        },
        "angry": {"type": "noul", "instructions": "Angry?", "criteria": None, "ground_truth": True},
        "priority": {
            "type": "score",
            "instructions": "How urgent?",
            "criteria": [{"level": 0, "description": "low"}, {"level": 1, "description": "high"}],
            "ground_truth": 1,
        },
    },
}


def test_sys1bench_has_all_three_kinds_on_one_state(tmp_path):
    write_lines(tmp_path / "sys1bench" / "canary.jsonl.gz", [SYS1])
    queue, angry, priority = sys1bench.load(tmp_path)
    assert queue.question == Choice("Which queue?", {"a": "First", "b": "Last"})
    assert (queue.target, queue.group) == ((0.0, 1.0), "t1")
    assert (angry.question, angry.target) == (Noul("Angry?"), YES)
    assert (priority.question, priority.target) == (
        Score("How urgent?", ["low", "high"]),
        (0.0, 1.0),
    )
    assert queue.state == angry.state == priority.state == {"text": "Hi"}


@pytest.mark.parametrize(
    ("question", "change", "message"),
    [
        ("queue", {"ground_truth": "c"}, "ground_truth: got 'c'; allowed: one of the options"),
        ("angry", {"type": "maybe"}, "type: got 'maybe'; allowed: noul, choice, score"),
        ("angry", {"ground_truth": "yes"}, "ground_truth: got 'yes'; allowed: true or false"),
        ("priority", {"ground_truth": 2}, "ground_truth: got the number 2"),
    ],
)
def test_a_label_that_fits_no_option_is_named_by_file_line_and_question(
    tmp_path, question, change, message
):
    bad = SYS1["questions"] | {question: SYS1["questions"][question] | change}
    write_lines(tmp_path / "sys1bench" / "canary.jsonl.gz", [SYS1, SYS1 | {"questions": bad}])
    with pytest.raises(InputFileError, match=f"line 2, questions, {question}: {message}"):
        sys1bench.load(tmp_path)


def test_jevbench_keeps_what_nobody_can_know_apart(tmp_path):
    questions = {
        "late": {"type": "noul", "instructions": "Late?"},
        "team": {"type": "choice", "instructions": "Team?", "criteria": {"x": "X", "y": "Y"}},
        "risk": {"type": "score", "instructions": "Risk?", "criteria": ["low", "mid", "high"]},
    }
    cases = [{"id": name, "state": name, "questions": questions} for name in ("a", "b", "closed")]
    gold = [
        {"id": "a", "gold": {"late": False, "team": "unknown", "risk": 2}},
        {"id": "b", "gold": {"late": "unknown", "team": "x", "risk": "unknown"}},
    ]
    write_lines(tmp_path / "jevbench240" / "cases.jsonl.gz", cases)
    write_lines(tmp_path / "jevbench240" / "gold_6domains.jsonl", gold)
    known = jevbench.known(tmp_path)
    assert [(example.group, example.target) for example in known] == [
        ("a", NO),
        ("a", (0.0, 0.0, 1.0)),
        ("b", (1.0, 0.0)),
    ]
    unknown = jevbench.unknown(tmp_path)
    assert [(example.group, example.target) for example in unknown] == [
        ("a", (0.5, 0.5)),
        ("b", (0.5, 0.5)),
        ("b", (1 / 3, 1 / 3, 1 / 3)),
    ]


def test_clinc_offers_all_intents_or_the_right_one_and_19_others(tmp_path):
    pairs = [[f"text {number}", f"intent_{number % 30}"] for number in range(60)]
    path = tmp_path / "clinc150" / "data_full_test.json.gz"
    write_json(path, {"oos_test": [["out", "oos"]], "test": pairs})
    few, among_all = clinc150.among_few(tmp_path), clinc150.among_all(tmp_path)
    for example, (text, intent) in zip([*few, *among_all], pairs + pairs, strict=True):
        assert example.state == text
        assert gold_label(example) == intent.replace("_", " ")
    assert {len(labels(example)) for example in few} == {20}
    assert {len(labels(example)) for example in among_all} == {30}
    assert len({tuple(labels(example)) for example in few}) == 60  # drawn anew
    assert len({example.gold for example in few}) > 8  # the right one stands anywhere
    assert few == clinc150.among_few(tmp_path)


def test_banking_offers_every_topic(tmp_path):
    write_text(
        tmp_path / "banking77" / "test.csv.gz",
        'text,category\n"Where, please?",card_arrival\nMine is lost,lost_card\n',
    )
    first, second = banking77.load(tmp_path)
    assert first.state == "Where, please?"
    assert labels(first) == ["card arrival", "lost card"]
    assert (first.gold, second.gold) == (0, 1)
    assert first.group != second.group


def tool_prompt(*tools):
    lines = [
        f"{number}. tool name: {name}, tool description: {text}"
        for number, (name, text) in enumerate(tools, start=1)
    ]
    return "Choose.\n[List Start]\n" + "\n".join(lines) + "\n\n[List End]\nExamples."


TOOLS = (("News", "Latest news."), ("Money", "['Rates.', 'Rates.']"), ("Gif", "['Pictures']"))


def write_metatool(folder):
    write_json(
        folder / "metatool" / "Task1.json.gz",
        [
            {"query": "Weather now?", "label": "positive", "tool": "Weather"},
            {"query": "2 + 2?", "label": "negative"},
        ],
    )
    prompt = tool_prompt(*TOOLS)
    write_json(
        folder / "metatool" / "Task2-Subtask3.json.gz",
        [{"action_prompt": prompt, "query": "Book a flight", "tool": "Travel", "index": 1}],
    )
    write_json(
        folder / "metatool" / "Task2-Subtask4.json.gz",
        [{"action_prompt": prompt, "query": "Tesla and rates", "tool": ["News", "Money"]}],
    )


def test_metatool_asks_whether_a_tool_is_needed_and_fits(tmp_path):
    write_metatool(tmp_path)
    assert [(e.state, e.target) for e in metatool.needed(tmp_path)] == [
        ("Weather now?", YES),
        ("2 + 2?", NO),
    ]
    fits = metatool.fits(tmp_path)
    assert [(e.state["request"], e.target) for e in fits] == [
        ("Book a flight", NO),
        ("Tesla and rates", YES),
    ]
    assert fits[0].state["tools"] == {"News": "Latest news.", "Money": "Rates.", "Gif": "Pictures"}


def test_metatool_asks_for_each_of_two_tools_without_the_other(tmp_path):
    write_metatool(tmp_path)
    first, second = metatool.which(tmp_path)
    assert (labels(first), gold_label(first)) == (["News", "Gif"], "News")
    assert (labels(second), gold_label(second)) == (["Money", "Gif"], "Money")
    assert first.group == second.group


def test_a_metatool_prompt_without_tools_is_named(tmp_path):
    write_metatool(tmp_path)
    write_json(
        tmp_path / "metatool" / "Task2-Subtask4.json.gz",
        [{"action_prompt": "nothing", "query": "q", "tool": ["a", "b"]}],
    )
    with pytest.raises(InputFileError, match=r"Subtask4.json.gz, entry 1: action_prompt: no lines"):
        metatool.which(tmp_path)


def test_commonsense_merges_an_answer_that_is_offered_twice(tmp_path):
    choices = [
        {"label": label, "text": text}
        for label, text in zip("ABCDE", ["bank", "mall", "bank", "park", "home"], strict=True)
    ]
    row = {"id": "q1", "answerKey": "D", "question": {"stem": "Where?", "choices": choices}}
    write_lines(tmp_path / "commonsenseqa" / "dev_rand_split.jsonl.gz", [row])
    (example,) = commonsenseqa.load(tmp_path)
    assert labels(example) == ["bank", "mall", "park", "home"]
    assert (gold_label(example), example.state) == ("park", "Where?")


def test_strategyqa_has_its_facts_as_the_state(tmp_path):
    row = {"qid": "q", "question": "Is A larger?", "answer": False, "facts": ["A: 1.", "B: 2."]}
    write_json(tmp_path / "strategyqa" / "dev.json.gz", [row])
    (example,) = strategyqa.load(tmp_path)
    assert (example.state, example.question) == ("A: 1.\nB: 2.", Noul("Is A larger?"))
    assert example.target == NO


def test_tabfact_asks_all_statements_of_a_table_about_one_state(tmp_path):
    write_json(
        tmp_path / "tabfact" / "small_test_examples.json.gz",
        {"t.csv": [["a wins", "b wins"], [1, 0], "cup"]},
    )
    write_json(
        tmp_path / "tabfact" / "small_test_tables.json.gz",
        {"t.csv": "team#points\r\na#3\r\nb#1\r\n"},
    )
    first, second = tabfact.load(tmp_path)
    assert first.state == second.state == "cup\nteam | points\na | 3\nb | 1"
    assert (first.target, second.target, first.group) == (YES, NO, "t.csv")


def test_vader_counts_votes(tmp_path):
    write_text(
        tmp_path / "vader_ratings" / "movieReviewSnippets_GroundTruth.txt.gz", "3\t-0.6\tTepid\n"
    )
    ratings = tmp_path / "vader_ratings" / "movieReviewSnippets_anonDataRatings.txt.gz"
    write_text(ratings, "3\t-0.6\t0.8\t[-4, -1, -1, 4]\n")
    (example,) = vader.load(tmp_path)
    assert example.target == (0.25, 0, 0, 0.5, 0, 0, 0, 0, 0.25)
    assert example.state == "Tepid"
    write_text(ratings, "3\t-0.6\t0.8\t[-5, 0]\n")
    with pytest.raises(InputFileError, match=r"line 1: votes: got .*; allowed: -4 to 4"):
        vader.load(tmp_path)


@pytest.mark.parametrize("mean", [0.0, 0.25, 2.5, 3.6, 4.9, 5.0])
def test_a_mean_grade_is_split_so_that_it_stays_the_mean(mean):
    target = between_levels(mean, 6)
    assert sum(level * share for level, share in enumerate(target)) == pytest.approx(mean)
    assert sum(target) == pytest.approx(1)
    assert sum(share > 0 for share in target) <= 2


def test_stsb_groups_pairs_by_their_first_sentence(tmp_path):
    path = tmp_path / "stsb" / "stsb-en-test.csv.gz"
    write_text(path, 'A man runs.,"A man, running.",4.5\nA man runs.,A cat.,0.0\n')
    first, second = stsb.load(tmp_path)
    assert first.state == {"first": "A man runs.", "second": "A man, running."}
    assert first.target == (0, 0, 0, 0, 0.5, 0.5)
    assert first.group == second.group
    write_text(path, "a,b,5.5\n")
    with pytest.raises(InputFileError, match=r"line 1: mean: got '5.5'; allowed: 0 to 5"):
        stsb.load(tmp_path)


def test_injections_reworded_are_one_group_and_controls_are_a_no(tmp_path):
    folder = tmp_path / "prompt_injection"
    write_lines(
        folder / "bastioncorpus_injections.jsonl",
        [
            {"id": "1", "label": "malicious", "intent": "leak", "text": "Leak it."},
            {"id": "2", "label": "malicious", "intent": "leak", "text": "TGVhayBpdA=="},
            {"id": "3", "label": "benign", "intent": "", "text": "Hello."},
            {"id": "4", "label": "benign", "text": "Bye."},
        ],
    )
    corpus = injections.bastioncorpus(tmp_path)
    assert [(e.target, e.group) for e in corpus] == [
        (YES, "leak"),
        (YES, "leak"),
        (NO, "3"),
        (NO, "4"),
    ]
    row = {"task": "Sum up.", "injected": "Ignore it."}
    kinds = [
        ("tool_result", "encoding"),
        ("user_message", "baseline"),
        ("document", "control"),
    ]
    write_lines(
        folder / "agent_injection_bench_attacks.jsonl",
        [row | {"id": family, "channel": at, "family": family} for at, family in kinds],
    )
    bench = injections.agent_injection_bench(tmp_path)
    assert [example.target for example in bench] == [YES, NO, NO]
    assert bench[0].state["channel"] == "tool result"


def test_bipia_puts_an_attack_between_lines_always_the_same(tmp_path):
    context = "| a | b |\n| 1 | 2 |"
    rows = [{"context": context, "question": f"q{number}", "ideal": "1"} for number in range(20)]
    write_lines(tmp_path / "bipia" / "table_test.jsonl.gz", rows)
    write_json(tmp_path / "bipia" / "text_attack_test.json", {"F": ["Attack!"], "G": ["Obey!"]})
    found = injections.bipia(tmp_path)
    assert found == injections.bipia(tmp_path)
    assert [example.target for example in found] == [NO, YES] * 20
    places = Counter()
    for clean, attacked in zip(found[::2], found[1::2], strict=True):
        assert clean.state["content"] == context
        lines = attacked.state["content"].splitlines()
        (extra,) = set(lines) - set(context.splitlines())
        assert extra in ("Attack!", "Obey!")
        places[lines.index(extra)] += 1
    assert set(places) == {0, 1, 2}


def message(text, role="user"):
    return {"role": role, "content": text}


def function(name):
    return {"name": name, "description": f"Does {name}.", "parameters": {"type": "dict"}}


def call(name):
    return [{name: {"x": [1]}}]


def test_bfcl_asks_which_function_a_conversation_calls_for(tmp_path):
    both = [function("f"), function("g.h")]
    rows = [
        {"id": "m0", "question": [[message("do g")]], "function": both},
        {"id": "m1", "question": [[message("s", "system"), message("f")]], "function": both},
    ]
    answers = [
        {"id": "m0", "ground_truth": call("g.h")},
        {"id": "m1", "ground_truth": call("f")},
    ]
    write_lines(tmp_path / "bfcl" / "BFCL_v4_live_multiple.json.gz", rows)
    path = tmp_path / "bfcl" / "possible_answer" / "BFCL_v4_live_multiple.json.gz"
    write_lines(path, answers)
    first, second = bfcl.live_multiple(tmp_path)
    assert first.question == Choice(bfcl.WHICH, {"f": "Does f.", "g.h": "Does g.h."})
    assert (first.state, gold_label(first)) == ("do g", "g.h")
    assert second.state == [message("s", "system"), message("f")]
    assert first.group == second.group
    write_lines(path, answers[:1])
    with pytest.raises(InputFileError, match=r"live_multiple.json.gz, line 2: .*calls none"):
        bfcl.live_multiple(tmp_path)


def test_bfcl_asks_whether_any_function_fits(tmp_path):
    row = {"id": "i", "question": [[message("solve it")]], "function": [function("f")]}
    for part in ("irrelevance", "simple_python"):
        write_lines(tmp_path / "bfcl" / f"BFCL_v4_{part}.json.gz", [row])
    misfit, fit = bfcl.relevance(tmp_path)
    assert (misfit.target, fit.target) == (NO, YES)
    assert misfit.state == {"conversation": "solve it", "functions": {"f": "Does f."}}


def test_a_file_of_examples_is_a_suite_named_like_it(tmp_path):
    example = Example({"a": 1}, Score("How?", ["low", "high"]), (0.25, 0.75), "mine", "g", "MIT")
    path = write_lines(tmp_path / "validation.jsonl.gz", [encode_example(example)] * 2)
    suite = suite_of_file(path)
    assert (suite.name, suite.load(tmp_path)) == ("validation", [example] * 2)
    write_lines(path, [encode_example(example), encode_example(example) | {"target": [1.0]}])
    with pytest.raises(InputFileError, match="line 2: target: 1 probabilities for 2 options"):
        suite.load(tmp_path)
    write_text(path, "")
    with pytest.raises(InputFileError, match="empty; allowed: an example a line"):
        suite.load(tmp_path)


# -- what is answered twice, by option or by vote ---------------------------------------------


def test_judgebench_asks_each_pair_in_both_orders(tmp_path):
    pair = {"pair_id": "p", "source": "mmlu", "question": "2+2?", "response_A": "4"}
    pair |= {"response_B": "5", "label": "A>B"}
    for name in judgebench.FILES:
        write_lines(tmp_path / "judgebench" / f"{name}.jsonl.gz", [pair])
    once, swapped, *_ = judgebench.load(tmp_path)
    assert (once.state["first"], once.target) == ("4", (1.0, 0.0))
    assert (swapped.state["first"], swapped.target) == ("5", (0.0, 1.0))
    assert once.group == swapped.group == "p" and once.source == "judgebench/mmlu"
    write_lines(tmp_path / "judgebench" / f"{name}.jsonl.gz", [pair | {"label": "A=B"}])
    with pytest.raises(InputFileError, match="label: got 'A=B'; allowed: A>B, B>A"):
        judgebench.load(tmp_path)


def bbh_folder(tmp_path, **tasks):
    for task in {*bbh.NOULS, *bbh.CHOICES}:
        rows = [{"input": text, "target": target} for text, target in tasks.get(task, ())]
        write_json(tmp_path / "bbh" / f"{task}.json.gz", {"examples": rows})
    return tmp_path


def test_bbh_has_nouls_and_choices_by_text(tmp_path):
    lettered = "Which?\nOptions:\n(A) one\n(B) two"
    folder = bbh_folder(
        tmp_path,
        boolean_expressions=[("not True is", "False")],
        snarks=[
            (lettered, "(B)"),
            (lettered, "three"),  # the answer is none of the options
            ("Which?\nOptions:\n(A) one\n(B) one", "(A)"),
            ("Which?\nOptions:\n(A) one", "(A)"),
        ],
        formal_fallacies=[('"So."\nOptions:\n- valid \n- invalid', "invalid")],
    )
    true, valid, sarcastic = bbh.load(folder)
    assert (true.state, true.target, true.source) == ("not True is", NO, "bbh/boolean_expressions")
    assert labels(valid) == ["valid", "invalid"] and gold_label(valid) == "invalid"
    assert (sarcastic.state, labels(sarcastic)) == ("Which?", ["one", "two"])
    assert gold_label(sarcastic) == "two" and sarcastic.group == "snarks/0"


@pytest.mark.parametrize(
    ("task", "row", "message"),
    [
        ("navigate", ("Back?\nOptions:\n- Yes\n- No", "maybe"), "target: got 'maybe'"),
        ("snarks", ("Which?\nOptions:\none", "(A)"), "a letter in front of each option"),
    ],
)
def test_bbh_refuses_another_form(tmp_path, task, row, message):
    with pytest.raises(InputFileError, match=message):
        bbh.load(bbh_folder(tmp_path, **{task: [row]}))


def chaos(uid, votes, **told):
    return {"uid": uid, "label_counter": votes, "example": told}


def test_chaosnli_has_the_share_of_each_vote(tmp_path):
    folder = tmp_path / "chaosnli"
    sentences = {"premise": "A dog runs.", "hypothesis": "It moves."}
    snli = chaos("1", {"n": 30, "e": 70}, **sentences, source="snli_agree_3")
    write_lines(folder / "chaosNLI_snli.jsonl.gz", [snli])
    mnli = chaos("2", {"c": 100}, **sentences, source="mnli_agree_3")
    write_lines(folder / "chaosNLI_mnli_m.jsonl.gz", [mnli])
    story = dict(zip(("obs1", "obs2", "hyp1", "hyp2"), "abcd", strict=True))
    alphanli = chaos("3", {"2": 63, "1": 37}, **story, source="abdnli_dev")
    write_lines(folder / "chaosNLI_alphanli.jsonl.gz", [alphanli])
    first, second, third = chaosnli.load(tmp_path)
    assert labels(first) == ["entailment", "neutral", "contradiction"]
    assert (first.target, second.target) == ((0.7, 0.3, 0.0), (0.0, 0.0, 1.0))
    assert third.target == (0.37, 0.63) and third.state["first"] == "c"
    assert [one.source.split("/")[1] for one in (first, second, third)] == [
        "snli", "mnli", "alphanli",
    ]  # fmt: skip
    write_lines(folder / "chaosNLI_snli.jsonl.gz", [snli | {"label_counter": {"x": 1}}])
    with pytest.raises(InputFileError, match="votes for e, n, c"):
        chaosnli.load(tmp_path)


TASK = {
    "id": "original-7",
    "state": "S",
    "question": {"type": "noul", "instructions": "Late?", "criteria": {"true": "Y", "false": "N"}},
    "labels": ["no", "yes"],
    "expected": "yes",
}


def test_a_file_of_jevbench_tasks_is_a_suite_with_tiers(tmp_path):
    level = {"type": "score", "instructions": "How?", "criteria": ["low", "mid", "high"]}
    law = {"type": "choice", "instructions": "Which?", "criteria": {"a": None, "b": None}}
    tasks = [
        TASK,
        TASK | {"id": "x", "tier": "hard", "question": level, "labels": ["0", "1", "2"],
                "expected": 2, "group": "g"},
        TASK | {"id": "judge-1", "question": law, "labels": ["a", "b"],
                "expected": {"a": 0.25, "b": 0.75}},
    ]  # fmt: skip
    path = write_lines(tmp_path / "mine.jsonl", tasks)
    noul, score, choice = suite_of_file(path).load(tmp_path)
    assert (noul.target, noul.source, noul.group) == (YES, "mine/standard", "original-7")
    assert (score.target, score.source, score.group) == ((0.0, 0.0, 1.0), "mine/hard", "g")
    assert (choice.target, choice.source) == ((0.25, 0.75), "mine/judge")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "later-1"}, "tier: got 'later'; allowed: easy, standard, judge, hard"),
        ({"expected": "maybe"}, "expected: got 'maybe'; allowed: yes, no"),
    ],
)
def test_a_jevbench_task_that_is_none_is_refused(tmp_path, change, message):
    path = write_lines(tmp_path / "mine.jsonl", [TASK | change])
    with pytest.raises(InputFileError, match=message):
        suite_of_file(path).load(tmp_path)
