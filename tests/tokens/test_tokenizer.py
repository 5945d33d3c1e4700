import json
from collections.abc import Callable
from pathlib import Path

import pytest
import tokenizers
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.tokenizer import CHAT_TEMPLATE, SPECIAL_TOKENS, byte_tokenizer, tiny_tokenizer
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from steelyard.errors import ModelFileError, RequestError, UnsupportedModelError
from steelyard.prompt.branch import Piece
from steelyard.tokens.tokenizer import Encoding, Tokenizer
from steelyard.tokens.twin import missing_bytes

# Characters at which tokenizers cut, join, normalise or look ahead.
LETTERS = st.sampled_from([*list("ab (A)\n\n\r\t.?!:'s12</>|é"), "  ", "the", "́", "東", "🙂", "Å"])
TEXT = st.lists(LETTERS, max_size=30).map("".join)


def sentencepiece_like(
    normalizer: normalizers.Normalizer | None,
    pre_tokenizer: pre_tokenizers.PreTokenizer | None,
    added: tuple[str, ...] = (),
    more_pairs: tuple[tuple[str, str], ...] = (),
) -> tokenizers.Tokenizer:
    """A BPE over characters with `▁` for spaces and bytes for the rest, as Llama 2 and Gemma."""
    pairs = [
        ("▁", "a"),
        ("▁", "b"),
        ("t", "h"),
        ("th", "e"),
        ("▁", "the"),
        ("▁", "▁"),
        ("\n", "\n"),
    ]
    pairs += [("<", "/"), ("</", "s"), ("</s", ">"), *more_pairs]
    texts = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    texts += list("▁abthes12.?!:'()<>/|\nAQuiotn") + ["".join(pair) for pair in pairs]
    vocab = {text: index for index, text in enumerate(dict.fromkeys(texts))}
    model = models.BPE(vocab, pairs, byte_fallback=True, fuse_unk=True, unk_token="<unk>")
    tokenizer = tokenizers.Tokenizer(model)
    if normalizer:
        tokenizer.normalizer = normalizer
    if pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    tokenizer.add_special_tokens([AddedToken(text, special=True) for text in ("<s>", "</s>")])
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in added])
    return tokenizer


def unigram() -> tokenizers.Tokenizer:
    pieces = [
        ("<unk>", 0.0),
        ("</s>", 0.0),
        ("▁the", -2.0),
        ("▁a", -2.0),
        ("▁", -2.5),
        ("he", -3.0),
    ]
    pieces += [(char, -6.0) for char in "abthes12.?!:'()<>/|\nAQuiotn"]
    tokenizer = tokenizers.Tokenizer(models.Unigram(pieces, unk_id=0, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="first")
    tokenizer.add_special_tokens([AddedToken("</s>", special=True)])
    return tokenizer


def qwen_like() -> tokenizers.Tokenizer:
    tokenizer = byte_tokenizer()
    tokenizer.normalizer = normalizers.NFC()
    return tokenizer


def characters() -> tokenizers.Tokenizer:
    """Every character is a pre-token, after normalisation."""
    tokenizer = qwen_like()
    split = pre_tokenizers.Split(Regex(r"[\s\S]"), behavior="isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    return tokenizer


def neox_like() -> tokenizers.Tokenizer:
    """Runs of spaces are added tokens."""
    tokenizer = byte_tokenizer(None)
    tokenizer.add_tokens([AddedToken(" " * n, normalized=False) for n in (2, 3, 7)])
    return tokenizer


def phi_like() -> tokenizers.Tokenizer:
    """Special tokens that take white space along, and one that begins with another."""
    tokenizer = byte_tokenizer(None)
    greedy = [AddedToken("<|end|>", rstrip=True), AddedToken("<|mask|>", lstrip=True)]
    tokenizer.add_special_tokens([*greedy, AddedToken("<|end|>the")])
    return tokenizer


REPLACE = normalizers.Replace(" ", "▁")
KINDS: dict[str, Callable[[], tokenizers.Tokenizer]] = {
    "qwen": qwen_like,
    "characters": characters,
    "gpt2": lambda: byte_tokenizer(None),
    "neox": neox_like,
    "phi": phi_like,
    "gemma": lambda: sentencepiece_like(REPLACE, None, ("\n\n\n",)),
    "lines joined": lambda: sentencepiece_like(
        REPLACE, None, more_pairs=(("a", "b"), ("\n", "ab"))
    ),
    "llama2": lambda: sentencepiece_like(
        normalizers.Sequence([normalizers.Prepend("▁"), REPLACE]), None
    ),
    "metaspace first": lambda: sentencepiece_like(
        None, pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    ),
    "metaspace always": lambda: sentencepiece_like(
        None, pre_tokenizers.Metaspace(prepend_scheme="always")
    ),
    "unigram": unigram,
}
BACKENDS = {kind: make() for kind, make in KINDS.items()}


def wrapped(backend: tokenizers.Tokenizer) -> Tokenizer:
    added = backend.get_added_tokens_decoder()
    special = {token.content: i for i, token in added.items() if not token.content.isspace()}
    return Tokenizer(backend, chat_template=None, special_tokens=special, bos=None, eos=None)


TOKENIZERS = {kind: wrapped(backend) for kind, backend in BACKENDS.items()}
every_kind = pytest.mark.parametrize("kind", KINDS)


def whole(backend: tokenizers.Tokenizer, text: str) -> tuple[int, ...]:
    return tuple(backend.encode(text, add_special_tokens=False).ids)


def spelled(tokenizer: Tokenizer, text: str) -> bool:
    return any(special in text for special in tokenizer.special_tokens)


@every_kind
@given(texts=st.lists(TEXT, max_size=6))
@example(texts=["x\n  ", "\ny"])
@example(texts=["a1\u0301\u0323ab", "c"])
@example(texts=["1\na", "b"])
@example(texts=["the 12", "3 ", " \u0301"])
@settings(max_examples=30, deadline=None)
def test_a_text_continued_piece_by_piece_has_the_tokens_of_the_whole(
    kind: str, texts: list[str]
) -> None:
    tokenizer, encoding = TOKENIZERS[kind], Encoding()
    for text in texts:
        encoding = tokenizer.extend(encoding, [Piece(text)])
    if not spelled(tokenizer, "".join(texts)):
        assert encoding.ids == whole(BACKENDS[kind], "".join(texts))
    assert encoding.ids == tokenizer.encode([Piece("".join(texts))])


@every_kind
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_trusted_text_has_the_tokens_of_the_whole_text_special_ones_included(
    kind: str, data: st.DataObject
) -> None:
    tokenizer = TOKENIZERS[kind]
    special = st.sampled_from(sorted(tokenizer.special_tokens))
    text = "".join(data.draw(st.lists(st.one_of(TEXT, special), max_size=8)))
    assert tokenizer.encode([Piece(text, trusted=True)]) == whole(BACKENDS[kind], text)


@every_kind
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_text_before_and_after_special_tokens_may_come_in_parts(
    kind: str, data: st.DataObject
) -> None:
    tokenizer, encoding = TOKENIZERS[kind], Encoding()
    texts = data.draw(st.lists(TEXT, min_size=2, max_size=2))
    head = "</s>a" if "</s>" in tokenizer.special_tokens else "<|im_end|>a"
    for text in texts:
        encoding = tokenizer.extend(encoding, [Piece(head, trusted=True), Piece(text)])
    if not spelled(tokenizer, "".join(texts)):
        assert encoding.ids == whole(BACKENDS[kind], head + texts[0] + head + texts[1])


@every_kind
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_untrusted_text_never_becomes_a_special_token(kind: str, data: st.DataObject) -> None:
    tokenizer = TOKENIZERS[kind]
    specials = sorted(tokenizer.special_tokens)
    parts = st.one_of(TEXT, st.sampled_from(specials), st.sampled_from(["<", "|", "im_end|>"]))
    text = "".join(data.draw(st.lists(parts, max_size=8)))
    ids = tokenizer.encode([Piece("<", trusted=True), Piece(text), Piece(">", trusted=True)])
    assert not set(ids) & set(tokenizer.special_tokens.values())


@every_kind
@given(texts=st.lists(TEXT.filter(bool), min_size=1, max_size=4), after=TEXT)
@settings(max_examples=30, deadline=None)
def test_a_mark_is_on_the_token_with_the_last_character_of_its_piece(
    kind: str, texts: list[str], after: str
) -> None:
    if kind in ("qwen", "characters"):
        return  # NFC can merge characters; then no prefix of the ids spells a prefix of the text
    tokenizer = TOKENIZERS[kind]
    encoding = tokenizer.extend(
        Encoding(), [*(Piece(text, mark=True) for text in texts), Piece(after)]
    )
    backend = BACKENDS[kind].encode("".join(texts) + after, add_special_tokens=False)
    if spelled(tokenizer, "".join(texts) + after):
        return
    ends = [len("".join(texts[: index + 1])) for index in range(len(texts))]
    expected = [
        max(i for i, (begin, _) in enumerate(backend.offsets) if begin < end) for end in ends
    ]
    assert list(encoding.marks) == expected


def test_a_state_of_many_tokens_is_encoded_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = tiny_tokenizer()
    root = tokenizer.extend(Encoding(), [Piece("the state is in order. " * 500)])
    assert len(root.tail) < 40
    plain = []
    original = Tokenizer._plain
    monkeypatch.setattr(
        Tokenizer, "_plain", lambda self, text, at: plain.append(text) or original(self, text, at)
    )
    tokenizer.extend(root, [Piece("Question: is it?")])
    assert sum(len(text) for text in plain) < 80


@pytest.mark.parametrize("kind", ["qwen", "gpt2", "gemma", "llama2"])
def test_a_state_in_any_script_can_be_continued_from_its_fence(kind: str) -> None:
    state = Piece("\u6771\u4eac\u306f\u5927\u304d\u3044\u3002" * 50)
    root = TOKENIZERS[kind].extend(Encoding(), [state, Piece("\n</state>\n", trusted=True)])
    assert len(root.tail) < 12


def test_without_pre_tokens_lines_are_encoded_apart() -> None:
    tokenizer = TOKENIZERS["llama2"]
    root = tokenizer.extend(Encoding(), [Piece("the tea at a bath\n" * 50 + "the bee")])
    assert root.tail == "the bee"
    assert not root.prefixed


def test_ids_are_those_of_apply_chat_template() -> None:
    oracle = PreTrainedTokenizerFast(
        tokenizer_object=byte_tokenizer(), bos_token="<|endoftext|>", eos_token="<|im_end|>"
    )
    oracle.chat_template = CHAT_TEMPLATE
    messages = [
        {"role": "system", "content": "Answer in order."},
        {"role": "user", "content": "the state: 12 yes,\n\n no?\n"},
    ]
    text = oracle.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    ids = oracle.apply_chat_template(messages, add_generation_prompt=True)["input_ids"]
    head, user, tail = text.partition(messages[1]["content"])
    pieces = [Piece(head, trusted=True), Piece(user), Piece(tail, trusted=True)]
    assert tiny_tokenizer().encode(pieces) == tuple(ids)


def test_labels_are_single_tokens_after_the_cue() -> None:
    tokenizer = tiny_tokenizer()
    encoding = tokenizer.extend(Encoding(), [Piece("Best answer: (")])
    tokens = tokenizer.next_tokens(encoding, ("A", "B", "Z"))
    assert [tokenizer.decode([token]) for token in tokens] == ["A", "B", "Z"]
    assert tokenizer.extend(encoding, [Piece("B")]).ids == (*encoding.ids, tokens[1])


@pytest.mark.parametrize(
    ("before", "labels", "complaint"),
    [
        ("Best answer: (", ("A", "AB"), "'AB' is not one token"),
        ("Best answer: ", ("A", "(B"), "'(B' is not one token"),  # " (" is a token
        ("\n(", ("B", "A"), "'A' is not one token"),  # "(A" is a token
        ("Best answer: (", ("A", "B", "A"), "'A' and 'A' are the same token"),
    ],
)
def test_labels_that_cannot_be_told_apart_are_refused(
    before: str, labels: tuple[str, ...], complaint: str
) -> None:
    tokenizer = tiny_tokenizer()
    encoding = tokenizer.extend(Encoding(), [Piece(before)])
    with pytest.raises(UnsupportedModelError, match=complaint.replace("(", r"\(")):
        tokenizer.next_tokens(encoding, labels)


def test_labels_that_decode_otherwise_are_refused() -> None:
    backend = byte_tokenizer()
    backend.normalizer = normalizers.Lowercase()
    tokenizer = wrapped(backend)
    with pytest.raises(UnsupportedModelError, match="'A' does not decode to itself"):
        tokenizer.next_tokens(tokenizer.extend(Encoding(), [Piece("(")]), ("A",))


def test_a_tokenizer_that_looks_back_is_refused() -> None:
    backend = byte_tokenizer(None)
    split = pre_tokenizers.Split(Regex(r"(?<=B)est|[\s\S]"), behavior="isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    with pytest.raises(UnsupportedModelError, match="looks back"):
        wrapped(backend)


def save(folder: Path, **config: object) -> None:
    byte_tokenizer().save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(config))


@pytest.mark.parametrize("template_file", ["chat_template.jinja", "chat_template.json", None])
def test_a_folder_is_read_as_transformers_writes_it(
    tmp_path: Path, template_file: str | None
) -> None:
    config: dict[str, object] = {
        "bos_token": {"content": "<|endoftext|>"},
        "eos_token": "<|im_end|>",
    }
    if template_file is None:
        config["chat_template"] = [{"name": "default", "template": CHAT_TEMPLATE}]
    save(tmp_path, **config)
    if template_file == "chat_template.jinja":
        (tmp_path / template_file).write_text(CHAT_TEMPLATE)
    elif template_file:
        (tmp_path / template_file).write_text(json.dumps({"chat_template": CHAT_TEMPLATE}))
    tokenizer = Tokenizer.from_folder(tmp_path)
    assert tokenizer.chat_template == CHAT_TEMPLATE
    assert tokenizer.special_tokens == {text: index for index, text in enumerate(SPECIAL_TOKENS)}
    assert (tokenizer.bos, tokenizer.eos) == ("<|endoftext|>", "<|im_end|>")
    assert tokenizer.digest == tiny_tokenizer().digest
    assert tokenizer.vocab_size == tiny_tokenizer().vocab_size


def test_white_space_tokens_of_a_folder_are_text(tmp_path: Path) -> None:
    neox_like().save(str(tmp_path / "tokenizer.json"))
    tokenizer = Tokenizer.from_folder(tmp_path)
    assert set(tokenizer.special_tokens) == set(SPECIAL_TOKENS)
    assert tokenizer.encode([Piece("a       b")]) == whole(neox_like(), "a       b")


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("tokenizer.json", "{", "not a tokenizer"),
        ("tokenizer.json", "[]", "not a tokenizer"),
        ("tokenizer_config.json", "{'a'", "not JSON"),
        ("tokenizer_config.json", "[]", "got list; allowed: an object"),
        ("chat_template.json", '{"chat_template": 3}', "no text"),
        (
            "tokenizer_config.json",
            '{"added_tokens_decoder": {"7": {"content": "<x>"}}}',
            "'<x>' has the id 7, but tokenizer.json does not say so",
        ),
    ],
)
def test_corrupt_files_are_named(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    save(tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(ModelFileError, match=complaint):
        Tokenizer.from_folder(tmp_path)


def test_a_folder_without_a_tokenizer_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"tokenizer\.json: no such file"):
        Tokenizer.from_folder(tmp_path)


def test_the_tokenizer_says_whether_it_begins_texts_with_bos() -> None:
    backend = byte_tokenizer()
    assert not tiny_tokenizer().adds_bos
    backend.post_processor = processors.TemplateProcessing(
        single="<|endoftext|> $A", special_tokens=[("<|endoftext|>", 0)]
    )
    special = {text: index for index, text in enumerate(SPECIAL_TOKENS)}
    tokenizer = Tokenizer(
        backend, chat_template=None, special_tokens=special, bos="<|endoftext|>", eos=None
    )
    assert tokenizer.adds_bos
    assert tokenizer.encode([Piece("a")]) == tiny_tokenizer().encode([Piece("a")])


def test_a_character_that_the_vocabulary_lacks_is_refused_and_not_dropped() -> None:
    whole = byte_tokenizer()
    config = json.loads(whole.to_str())
    assert missing_bytes(whole) == b""
    alphabet = config["model"]["vocab"]
    del alphabet["\u0104"], alphabet["ñ"]  # the bytes 0x04 and 0xf1 of GPT-2's table
    lacking = tokenizers.Tokenizer.from_str(json.dumps(config))
    assert missing_bytes(lacking) == b"\x04\xf1"
    tokenizer = Tokenizer(lacking, chat_template=None, special_tokens={}, bos=None, eos=None)
    assert tokenizer.decode(tokenizer.encode([Piece("ñandú 🙂")])) == "ñandú 🙂"
    for text, lost in (("a\x04b", "'\\\\x04'"), ("x\U00050000", "'\\\\U00050000'")):
        with pytest.raises(RequestError, match=f"the character {lost} has no token"):
            tokenizer.encode([Piece(text)])
