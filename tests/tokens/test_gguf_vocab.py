from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.gguf_files import byte_level_metadata
from support.tokenizer import CHAT_TEMPLATE, SPECIAL_TOKENS, byte_tokenizer
from tokenizers import Tokenizer as Backend

from steelyard.errors import ModelFileError, UnsupportedModelError
from steelyard.tokens.files import TokenizerFiles
from steelyard.tokens.gguf_metadata import GgufMetadata
from steelyard.tokens.gguf_pretokenizers import PRE_TOKENIZERS
from steelyard.tokens.gguf_vocab import read_vocabulary
from steelyard.tokens.tokenizer import Tokenizer

TEXTS = (
    "the state (A) Answer: yes or no\n\n",
    "  indented\n\tcode = [1, 22, 333]\r\n\r\n",
    "It's, I'LL, they'Re, 'tis",
    "naïve 東京 🙂👍🏽 \u00a0x\u2003y",
    "<|im_start|>user\nin<|im_end|>",
    "",
)


def read(**metadata: object) -> TokenizerFiles:
    return read_vocabulary(GgufMetadata(Path("m.gguf"), byte_level_metadata(**metadata)))  # type: ignore[arg-type]


def words(pre: str, text: str) -> list[str]:
    """How a pre-tokenizer cuts a text, spelled as text."""
    backend = read(pre=pre).tokenizer
    pieces = backend.pre_tokenizer.pre_tokenize_str(text)
    return [text[begin:end] for _, (begin, end) in pieces]


@pytest.mark.parametrize("text", TEXTS)
def test_a_qwen_vocabulary_is_the_tokenizer_it_was_written_from(text: str) -> None:
    assert read(pre="qwen2").tokenizer.encode(text).ids == byte_tokenizer().encode(text).ids


@pytest.mark.parametrize("text", TEXTS)
def test_a_gpt2_vocabulary_cuts_as_gpt2_does(text: str) -> None:
    expected = byte_tokenizer(pattern=None).encode(text).ids  # the library's own pattern
    assert read(pre="gpt-2").tokenizer.encode(text).ids == expected


@pytest.mark.parametrize(
    ("pre", "pieces"),
    [
        (
            "smollm",
            ["a", "1", "2", "3", "4", " ", "5", " b", "'s", "'", "S", "!?", "\n", "\n", "x"],
        ),
        ("gpt-2", ["a", "1234", " 5", " b", "'s", "'", "S", "!?", "\n", "\n", "x"]),
        ("qwen2", ["a", "1", "2", "3", "4", " ", "5", " b", "'s", "'S", "!?\n\n", "x"]),
        ("llama-bpe", ["a", "123", "4", " ", "5", " b", "'s", "'S", "!?\n\n", "x"]),
        ("tekken", ["a", "1", "2", "3", "4", " ", "5", " b", "'s", "'S", "!?\n\n", "x"]),
        ("gpt-4o", ["a", "123", "4", " ", "5", " b's", "'S", "!?\n\n", "x"]),
        ("default", ["a", "123", "4", " ", "5", " b", "'", "s", "'", "S", "!?", "\n", "\n", "x"]),
    ],
)
def test_pre_tokenizers_cut_digits_contractions_and_line_breaks(
    pre: str, pieces: list[str]
) -> None:
    assert words(pre, "a1234 5 b's'S!?\n\nx") == pieces


@pytest.mark.parametrize("pre", PRE_TOKENIZERS)
@pytest.mark.parametrize("text", TEXTS)
def test_every_text_survives_encoding_and_decoding(pre: str, text: str) -> None:
    backend = read(pre=pre).tokenizer
    assert backend.decode(backend.encode(text).ids, skip_special_tokens=False) == text


def test_words_in_the_manner_of_gpt_4o_end_before_an_upper_case_letter() -> None:
    assert words("gpt-4o", "camelCase HTTPServer E\u0301Ab!") == [
        *("camel", "Case", " HTTPServer", " E\u0301Ab", "!")
    ]


def test_only_qwen_composes_its_text() -> None:
    composed = read(pre="qwen2").tokenizer.encode("caf\u00e9").ids
    assert read(pre="qwen2").tokenizer.encode("cafe\u0301").ids == composed
    assert read(pre="smollm").tokenizer.encode("cafe\u0301").ids != composed


def test_a_llama_takes_a_whole_word_from_the_vocabulary_whatever_the_merges() -> None:
    tokens = [*_tokens(), "zebra"]
    changes = {"tokens": tokens, "token_type": [*_types(), 1]}
    assert read(pre="llama-bpe", **changes).tokenizer.encode("zebra").ids[-1] == len(tokens) - 1
    assert len(read(pre="qwen2", **changes).tokenizer.encode("zebra").ids) == 5


def test_control_and_user_defined_tokens_are_special_but_white_space_is_text() -> None:
    tokens = [*_tokens(), "<tool>", "\t\t\t"]
    files = read(tokens=tokens, token_type=[*_types(), 4, 4])
    assert files.special_tokens == {
        **{token: tokens.index(token) for token in SPECIAL_TOKENS},
        "<tool>": len(tokens) - 2,
    }
    assert files.tokenizer.encode("\t\t\t<tool>").ids == [len(tokens) - 1, len(tokens) - 2]


def test_tokens_of_other_types_are_not_found_in_text() -> None:
    changes = {"tokens": [*_tokens(), "[PAD1]"], "token_type": [*_types(), 5]}
    assert len(read(**changes).tokenizer.encode("[PAD1]").ids) == 6


def test_names_and_template_are_read() -> None:
    files = read()
    assert (files.bos, files.eos) == ("<|endoftext|>", "<|im_end|>")
    assert files.chat_template == CHAT_TEMPLATE


@pytest.mark.parametrize(
    ("pre", "said", "adds"),
    [
        ("qwen2", True, True),
        ("qwen2", None, False),
        ("llama-bpe", None, True),
        ("llama-bpe", False, False),
    ],
)
def test_bos_is_added_as_the_file_or_else_the_kind_says(
    pre: str, said: bool | None, adds: bool
) -> None:
    files = read(pre=pre, add_bos_token=said)
    with_bos = [files.tokenizer.token_to_id("<|endoftext|>")] if adds else []
    assert files.tokenizer.encode("x").ids == [*with_bos, files.tokenizer.token_to_id("x")]
    tokenizer = Tokenizer(
        files.tokenizer,
        chat_template=files.chat_template,
        special_tokens=files.special_tokens,
        bos=files.bos,
        eos=files.eos,
    )
    assert tokenizer.adds_bos is adds


@pytest.mark.parametrize("pre", ["viking", None])
def test_an_unknown_pre_tokenizer_is_refused_with_those_known(pre: str | None) -> None:
    with pytest.raises(UnsupportedModelError, match=rf"pre = {pre!r}.*smollm.*llama\.cpp"):
        read(pre=pre)  # type: ignore[arg-type]


def test_another_kind_of_vocabulary_is_refused() -> None:
    with pytest.raises(UnsupportedModelError, match="'bert' is not read here"):
        read(model="bert")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tokens": None}, r"'tokenizer\.ggml\.tokens' is missing"),
        (
            {"tokens": [1, 2]},
            r"'tokenizer\.ggml\.tokens' is a list of 2 items; wanted: list of str",
        ),
        ({"token_type": [1]}, "with 1 types"),
        ({"tokens": ["a", "a"], "token_type": [1, 1]}, "1 different tokens among 2"),
        ({"merges": ["t h", "q zz"]}, "the merge 'q zz' has tokens that the vocabulary lacks"),
        ({"merges": ["th"]}, "the merge 'th'"),
        ({"bos_token_id": 10**6}, r"bos_token_id is 1000000 of \d+ tokens"),
        ({"bos_token_id": True}, r"bos_token_id' is True; wanted: int"),
        ({"eos_token_id": "2"}, r"eos_token_id' is '2'; wanted: int"),
        ({"add_bos_token": True, "bos_token_id": None}, "none is named"),
    ],
)
def test_a_vocabulary_that_contradicts_itself_is_corrupt(
    changes: dict[str, object], message: str
) -> None:
    with pytest.raises(ModelFileError, match=rf"m\.gguf.*{message}"):
        read(**changes)


def _tokens() -> list[str]:
    tokens = byte_level_metadata()["tokenizer.ggml.tokens"]
    assert isinstance(tokens, list)
    return tokens


def _types() -> list[int]:
    types = byte_level_metadata()["tokenizer.ggml.token_type"]
    assert isinstance(types, list)
    return types


# --- SentencePiece ---

PIECES = (
    *("▁", "t", "h", "e", "s", "a", "n", "d", "▁t", "he", "▁the", "th", "▁a", "an", "nd", "▁an"),
    *("and", "▁and", "se", "the", "es", "▁s", "▁▁", "▁▁▁"),
)


def sentencepiece_metadata(**changes: object) -> dict[str, object]:
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *PIECES]
    # Not in the order of the ids, so that only the scores can decide.
    scores = [0.0] * 259 + [-float(7 * index % len(PIECES)) for index in range(len(PIECES))]
    metadata = {
        "model": "llama",
        "tokens": tokens,
        "token_type": [2, 3, 3, *[6] * 256, *[1] * len(PIECES)],
        "scores": scores,
        "bos_token_id": 1,
        "eos_token_id": 2,
    } | changes
    return {f"tokenizer.ggml.{key}": value for key, value in metadata.items()}


def read_sentencepiece(**changes: object) -> Backend:
    metadata = GgufMetadata(Path("m.gguf"), sentencepiece_metadata(**changes))
    return read_vocabulary(metadata).tokenizer


def by_score(text: str) -> list[str]:
    """SentencePiece in so many words: join the best-scored pair of neighbours, the left one of
    equals, until none can be joined; what is then no piece is spelled in bytes."""
    metadata = sentencepiece_metadata()
    scores = dict(
        zip(metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.scores"], strict=True)  # type: ignore[call-overload]
    )
    parts = list(text)
    while True:
        joins = [
            (-scores[left + right], index)
            for index, (left, right) in enumerate(pairwise(parts))
            if left + right in PIECES
        ]
        if not joins:
            break
        _, index = min(joins)
        parts[index : index + 2] = ["".join(parts[index : index + 2])]
    spelled: list[str] = []
    for part in parts:
        spelled += [part] if part in PIECES else [f"<0x{byte:02X}>" for byte in part.encode()]
    return spelled


@given(st.text("the sand 東\n", max_size=30))
def test_scores_decide_which_pieces_are_joined(text: str) -> None:
    expected = by_score("▁" + text.replace(" ", "▁")) if text else []
    assert read_sentencepiece(add_bos_token=False).encode(text).tokens == expected


def test_a_space_is_put_in_front_unless_the_file_says_otherwise() -> None:
    assert read_sentencepiece().encode("the").tokens == ["<s>", "▁the"]
    assert read_sentencepiece(add_space_prefix=False).encode("the").tokens[1:] == by_score("the")


@given(st.text("the 東🙂é\n\x00▁", max_size=20))
def test_any_text_survives_a_sentencepiece_vocabulary(text: str) -> None:
    backend = read_sentencepiece(add_bos_token=False, add_space_prefix=False)
    # The piece for a space is a character of its own, which this vocabulary cannot tell apart.
    assert backend.decode(backend.encode(text).ids) == text.replace("▁", " ")


def test_a_sentencepiece_vocabulary_fits_the_tokenizer() -> None:
    files = read_vocabulary(GgufMetadata(Path("m.gguf"), sentencepiece_metadata()))
    tokenizer = Tokenizer(
        files.tokenizer,
        chat_template=None,
        special_tokens=files.special_tokens,
        bos=files.bos,
        eos=files.eos,
    )
    assert tokenizer.adds_bos


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scores": None}, "scores' is missing"),
        ({"scores": [0.0]}, "1 scores"),
        ({"token_type": [2, 3, 3, *[1] * (256 + len(PIECES))]}, "needs 256 byte tokens"),
    ],
)
def test_a_sentencepiece_vocabulary_that_could_lose_text_is_refused(
    changes: dict[str, object], message: str
) -> None:
    with pytest.raises(ModelFileError, match=message):
        read_sentencepiece(**changes)
