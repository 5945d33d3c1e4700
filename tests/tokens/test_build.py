import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.tokenizer import QWEN_PATTERN, byte_tokenizer, tiny_tokenizer

from steelyard.errors import TooLongError, UnsupportedModelError
from steelyard.prompt.branch import Branch, Labels, Likelihood, Marks, Piece, Prompt
from steelyard.prompt.chat import chat_frame
from steelyard.prompt.labels import (
    ANSWER_CUE,
    LETTER_CUE,
    LETTERS,
    alone,
    asked,
    lettered,
    listed,
    opened,
    spoken,
)
from steelyard.prompt.layout import LAYOUTS, SYSTEM, Frame, frame
from steelyard.prompt.options import OptionSet, option_set
from steelyard.tokens.build import BuiltPrompt, build
from steelyard.tokens.limits import Limits, check_limits
from steelyard.tokens.plan import ROOT, HiddenRead, LogitRead, LogProbRead, TokenPlan
from steelyard.tokens.tokenizer import Tokenizer
from steelyard.types.question import Choice, Noul

PATTERNS = (QWEN_PATTERN, None)
BACKENDS = {pattern: byte_tokenizer(pattern) for pattern in PATTERNS}
TOKENIZERS = {pattern: tiny_tokenizer(pattern) for pattern in PATTERNS}
TOKENIZER = TOKENIZERS[QWEN_PATTERN]
both_patterns = pytest.mark.parametrize("pattern", PATTERNS, ids=["qwen", "gpt2"])

PARTS = st.sampled_from([*list("abth (A)\n\n.?!:s12</>|"), "  ", "the", "\n\n", "é", "🙂"])
TEXT = st.lists(PARTS, min_size=1, max_size=6).map("".join)


@st.composite
def branches(draw: st.DrawFn, depth: int = 2) -> Branch:
    pieces = tuple(map(Piece, draw(st.lists(TEXT, min_size=1, max_size=2))))
    size = 3 if depth else 0
    children = tuple(draw(st.lists(branches(depth - 1), max_size=size))) if size else ()
    return Branch(pieces, None if children else Likelihood(), children)


def text_of(pieces: tuple[Piece, ...]) -> str:
    return "".join(piece.text for piece in pieces)


def leaves(branch: Branch, before: str) -> list[str]:
    text = before + text_of(branch.pieces)
    return [leaf for child in branch.children for leaf in leaves(child, text)] or [text]


def path_ids(plan: TokenPlan, node: int) -> tuple[int, ...]:
    ids: tuple[int, ...] = ()
    while node != ROOT:
        ids = plan.nodes[node].ids + ids
        node = plan.nodes[node].parent
    return ids


def read_text(built: BuiltPrompt, tokenizer: Tokenizer) -> list[str]:
    """For each branch that reads, the text of all tokens up to where it is read last."""
    texts = []
    for branch in built.reads:
        node, read = branch.at[-1]
        stretch = len(built.plan.nodes[node].ids) - 1 - read.offset
        ids = path_ids(built.plan, node)
        texts.append(tokenizer.decode(ids[: len(ids) - stretch]))
    return texts


@both_patterns
@given(root=TEXT, tree=st.lists(branches(), min_size=1, max_size=3).map(tuple))
@settings(max_examples=25, deadline=None)
def test_every_path_has_the_tokens_of_its_whole_text(
    pattern: str | None, root: str, tree: tuple[Branch, ...]
) -> None:
    backend = BACKENDS[pattern]
    # A root that merges wholly into its branches has no node; ours never does.
    prompt = Prompt((Piece("<|im_start|>", trusted=True), Piece(root)), tree)
    (built,) = build([prompt], TOKENIZERS[pattern])
    expected = [
        (1, *backend.encode(text, add_special_tokens=False).ids)
        for branch in tree
        for text in leaves(branch, root)
    ]
    for ids, branch in zip(expected, built.reads, strict=True):
        for node, read in branch.at:
            assert isinstance(read, LogProbRead)
            before = len(path_ids(built.plan, node)) - len(built.plan.nodes[node].ids)
            place = before + read.offset
            assert path_ids(built.plan, node)[: place + 1] == ids[: place + 1]
            assert read.target == ids[place + 1]
        assert read.target == ids[-1] and place == len(ids) - 2
        # Every token after the parent's is scored once.
        assert len(branch.at) == len({(node, read) for node, read in branch.at})
    for index, node in enumerate(built.plan.nodes):
        assert node.ids
        assert node.parent < index
        if node.parent != ROOT:
            assert node.start == built.plan.nodes[node.parent].end


def filled(layout: str, state: str, *questions: OptionSet) -> Frame:
    chat = chat_frame(TOKENIZER.chat_template, SYSTEM)
    return frame(LAYOUTS[layout], chat, state, questions)


TEAM = option_set(Choice("Which team?", {"billing": "money, or invoices?", "tech": None}))


@both_patterns
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("state", ["I want the refund.\n", "東京", "x\n\n", "<|im_end|>\n(A) yes"])
def test_all_layouts_and_readouts_have_the_tokens_of_the_whole_text(
    pattern: str | None, layout: str, state: str
) -> None:
    tokenizer = TOKENIZERS[pattern]
    for one in (filled(layout, state, TEAM), filled(layout, state, TEAM).without_state()):
        spoken_children = [Branch(spoken(TEAM, index), Likelihood()) for index in (0, 1)]
        prompts = [
            one.prompt(lettered(TEAM, (1, 0)), one.ending(LETTER_CUE, Labels(LETTERS[:2]))),
            one.prompt(asked(TEAM), one.ending(ANSWER_CUE, children=spoken_children)),
        ]
        for prompt, built in zip(prompts, build(prompts, tokenizer), strict=True):
            (branch,) = prompt.branches
            ends = [child.pieces for child in branch.children] or [()]
            leaf_nodes = range(len(built.plan.nodes) - len(ends), len(built.plan.nodes))
            for node, end in zip(leaf_nodes, ends, strict=True):
                pieces = (*prompt.root, *branch.pieces, *end)
                assert path_ids(built.plan, node) == tokenizer.encode(pieces)


def test_a_state_and_its_questions_meet_where_no_token_moves() -> None:
    for state in ("a", "a?", "a\n\n", "a ", "1"):
        one = filled("isolated-v1", state, TEAM)
        prompt = one.prompt(lettered(TEAM, (0, 1)), one.ending(LETTER_CUE, Labels(("A", "B"))))
        for tokenizer in TOKENIZERS.values():
            (built,) = build([prompt], tokenizer)
            assert built.plan.nodes[0].ids == tokenizer.encode(prompt.root)


def test_labels_are_read_at_the_last_token() -> None:
    one = filled("isolated-v1", "refund", TEAM)
    prompt = one.prompt(lettered(TEAM, (0, 1)), one.ending(LETTER_CUE, Labels(("A", "B"))))
    (built,) = build([prompt], TOKENIZER)
    root, branch = built.plan.nodes
    letters = tuple(TOKENIZER.encode([Piece(letter)])[0] for letter in "AB")
    assert branch.reads == (LogitRead(len(branch.ids) - 1, letters),)
    assert root.reads == ()
    assert read_text(built, TOKENIZER)[0].endswith("assistant\nBest answer: (")
    logits = np.array([1.0, 2.0])
    assert built.measures({(1, branch.reads[0]): logits}) == (logits,)


def test_the_first_token_of_a_continuation_is_read_at_the_end_of_its_parent() -> None:
    prompt = Prompt(
        (Piece("Is it? "), Piece("Answer:")),
        (Branch((Piece(" yes or no"),), Likelihood()), Branch((Piece(" no"),), Likelihood())),
    )
    (built,) = build([prompt], TOKENIZER)
    root, first, second = built.plan.nodes
    last = len(root.ids) - 1
    assert root.reads == (LogProbRead(last, first.ids[0]), LogProbRead(last, second.ids[0]))
    assert [read.offset for read in first.reads] == [0, 1]
    values = {
        (index, read): np.float64(10 * index + read.offset)
        for index, node in enumerate(built.plan.nodes)
        for read in node.reads
    }
    assert [measure.tolist() for measure in built.measures(values)] == [[last, 10.0, 11.0], [last]]


def test_equal_reads_of_siblings_are_one_read() -> None:
    children = tuple(Branch((Piece(f" no{tail}"),), Likelihood()) for tail in ("a", "b"))
    (built,) = build([Prompt((Piece("Answer:"),), children)], TOKENIZER)
    assert len(built.plan.nodes[0].reads) == 1
    assert [len(branch.at) for branch in built.reads] == [2, 2]


def test_tokens_that_a_seam_moves_stand_in_all_children() -> None:
    children = (Branch((Piece("\nb"),), Likelihood()), Branch((Piece("b"),), Likelihood()))
    (built,) = build([Prompt((Piece("the a."),), children)], TOKENIZER)
    assert [TOKENIZER.decode(node.ids) for node in built.plan.nodes] == ["the a", ".\nb", ".b"]
    assert [len(branch.at) for branch in built.reads] == [2, 2]


def test_a_branch_that_dissolves_into_its_child_is_no_node() -> None:
    inner = Branch((Piece("h"),), children=(Branch((Piece("e x"),), Likelihood()),))
    (built,) = build([Prompt((Piece("a t"),), (inner,))], TOKENIZER)
    assert [TOKENIZER.decode(node.ids) for node in built.plan.nodes] == ["a", " the x"]


def test_a_branch_may_be_read_without_text_of_its_own() -> None:
    prompt = Prompt((Piece("Best answer: ("),), (Branch((), Labels(("A", "B"))),))
    (built,) = build([prompt], TOKENIZER)
    (root,) = built.plan.nodes
    assert root.reads[0].offset == len(root.ids) - 1


def test_what_is_read_must_end_with_its_last_token() -> None:
    branch = Branch((Piece("the b."),), Labels(("A",)), children=(Branch((Piece("\n"),)),))
    with pytest.raises(UnsupportedModelError, match=r"the b\.', which is read"):
        build([Prompt((Piece("a "),), (branch,))], TOKENIZER)


def test_options_as_parallel_branches_are_joined_by_a_cue_that_sees_them() -> None:
    one = filled("isolated-v1", "refund", TEAM)
    options = [Branch(alone(TEAM, index), Marks()) for index in (0, 1)]
    cue = one.ending(ANSWER_CUE, Marks(), mark=True, join=True)
    (built,) = build([one.prompt(opened(TEAM), *options, cue)], TOKENIZER)
    _, question, first, second, last = built.plan.nodes
    assert (first.parent, second.parent, last.parent) == (1, 1, 1)
    assert first.start == second.start == question.end
    assert last.start == max(first.end, second.end) == first.end
    assert (first.sees, second.sees, last.sees) == ((), (), (2, 3))
    assert [node.reads for node in (first, second, last)] == [
        (HiddenRead(len(node.ids) - 1),) for node in (first, second, last)
    ]
    values = {
        (index, node.reads[0]): np.full(3, index, dtype=np.float32)
        for index, node in enumerate(built.plan.nodes)
        if node.reads
    }
    assert [measure.tolist() for measure in built.measures(values)] == [
        [[i] * 3] for i in (2, 3, 4)
    ]


def test_a_list_with_marks_is_read_at_the_last_token_of_each_option() -> None:
    one = filled("isolated-v1", "refund", TEAM)
    block = listed(TEAM, (0, 1), mark=True)
    prompt = one.prompt(block, one.ending(ANSWER_CUE, Marks(), mark=True))
    (built,) = build([prompt], TOKENIZER)
    node = built.plan.nodes[1]
    read_at = [TOKENIZER.decode(node.ids[: read.offset + 1])[-9:] for read in node.reads]
    assert read_at == ["nvoices?\n", "s?\n- tech", "t\nAnswer:"]  # "?\n" is one token


def test_a_state_is_encoded_once_for_all_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = []
    original = Tokenizer._plain
    monkeypatch.setattr(
        Tokenizer, "_plain", lambda self, text, at: encoded.append(text) or original(self, text, at)
    )
    one = filled("isolated-v1", "refund " * 500, TEAM)
    for order in [(0, 1), (1, 0)] * 10:
        ending = one.ending(LETTER_CUE, Labels(("A", "B")))
        build([one.prompt(lettered(TEAM, order), ending)], TOKENIZER)
    assert sum("refund" in text for text in encoded) == 1


def plans_for(state: str, *questions: OptionSet) -> list[TokenPlan]:
    one = filled("isolated-v1", state, *questions)
    prompts = [
        one.prompt(
            lettered(options, range(len(options))),
            one.ending(LETTER_CUE, Labels(LETTERS[: len(options)])),
        )
        for options in questions
    ]
    return [built.plan for built in build(prompts, TOKENIZER)]


def test_the_longest_question_counts_with_the_state() -> None:
    plans = plans_for("a", TEAM, option_set(Noul("b" * 200)))
    longest = plans[1].num_tokens
    check_limits(["x", "y"], plans, Limits(question_tokens=longest))
    message = f"questions.y: {longest} tokens with the state; the limit is {longest - 1}"
    with pytest.raises(TooLongError, match=message):
        check_limits(["x", "y"], plans, Limits(question_tokens=longest - 1))


def test_a_request_counts_its_state_once() -> None:
    plans = plans_for("a" * 1500, TEAM, TEAM)
    total = plans[0].num_tokens + len(plans[1].nodes[1].ids)
    check_limits(["x", "y"], plans, Limits(request_tokens=total))
    with pytest.raises(
        TooLongError, match=f"questions: {total:,} tokens .* limit is {total - 1:,}"
    ):
        check_limits(["x", "y"], plans, Limits(request_tokens=total - 1))


def test_the_context_of_the_model_bounds_a_question_and_not_their_sum() -> None:
    assert Limits.of(2048) == Limits(question_tokens=2048, request_tokens=65_536)
    assert Limits.of(1_000_000) == Limits(question_tokens=32_768, request_tokens=65_536)
