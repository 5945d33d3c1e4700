"""The tokenizer that a GGUF file describes, rebuilt with the `tokenizers` library.

A GGUF stores vocabulary, merges and token types, but of the pre-tokenizer only a name. What the
names mean is written down in llama.cpp (src/llama-vocab.cpp); where llama.cpp and the model's own
tokenizer.json differ, the latter is followed, since the model was trained with it: Qwen's NFC
normalisation, and contractions matched without regard to case in Unicode.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors
from tokenizers import Tokenizer as Backend

from steelyard.errors import ModelFileError, UnsupportedModelError
from steelyard.tokens.files import TokenizerFiles
from steelyard.tokens.gguf_metadata import GgufMetadata
from steelyard.tokens.gguf_sentencepiece import sentencepiece

CONTROL, USER_DEFINED = 3, 4  # token types; the others are never matched as a whole

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_CASELESS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@dataclass(frozen=True, slots=True)
class _Kind:
    """A way of cutting text before the merges.

    Attributes:
        splits: regular expressions, each cutting the pieces that the one before it left.
        ignore_merges: a piece that is in the vocabulary is a token, whatever the merges say.
        adds_bos: whether bos is put in front where the file does not say.
    """

    splits: tuple[str, ...]
    nfc: bool = False
    ignore_merges: bool = False
    adds_bos: bool = False


_LLAMA3 = _Kind((_CASELESS % "{1,3}",), ignore_merges=True, adds_bos=True)
_DIGITS = _Kind((r"\p{N}", _GPT2))

KINDS = {
    "default": _Kind((r"[\p{P}\$\+<=>\^~\|]+", _GPT2, r"\p{N}+", r"[0-9][0-9][0-9]")),
    "gpt-2": _Kind((_GPT2,)),
    "smollm": _DIGITS,
    "starcoder": _DIGITS,
    "refact": _DIGITS,
    "llama3": _LLAMA3,
    "llama-v3": _LLAMA3,
    "llama-bpe": _LLAMA3,
    "falcon3": _LLAMA3,
    "smaug-bpe": _Kind(_LLAMA3.splits),
    "qwen2": _Kind((_CASELESS % "",), nfc=True),
    "deepseek-r1-qwen": _Kind((_CASELESS % "",)),
}
"""Pre-tokenizers by the names that llama.cpp gives them."""


def read_vocabulary(metadata: GgufMetadata) -> TokenizerFiles:
    """Rebuild the tokenizer; its special tokens are the control and the user-defined ones.

    Raises:
        ModelFileError: keys are missing, of the wrong type, or contradict each other.
        UnsupportedModelError: neither byte-level BPE nor SentencePiece, or a pre-tokenizer of an
            unknown name.
    """
    tokens = metadata.need_list("tokenizer.ggml.tokens", str)
    types = metadata.need_list("tokenizer.ggml.token_type", int)
    vocabulary = {token: index for index, token in enumerate(tokens)}
    if not len(vocabulary) == len(tokens) == len(types):
        raise ModelFileError(
            f"{metadata.path}: {len(vocabulary)} different tokens among {len(tokens)}, with "
            f"{len(types)} types"
        )
    model = metadata.need("tokenizer.ggml.model", str)
    if model == "gpt2":
        kind = _kind(metadata)
        backend, adds_bos = _byte_level(metadata, vocabulary, kind), kind.adds_bos
    elif model == "llama":
        backend, adds_bos = sentencepiece(metadata, vocabulary, types), True
    else:
        raise UnsupportedModelError(
            f"{metadata.path}: the tokenizer model {model!r} is not read here, only 'gpt2' and "
            "'llama'; the llama.cpp runtime can run it"
        )
    found = [index for index, code in enumerate(types) if code in (CONTROL, USER_DEFINED)]
    backend.add_tokens(
        [
            AddedToken(tokens[index], special=types[index] == CONTROL, normalized=False)
            for index in found
        ]
    )
    bos, eos = (_token(metadata, name, tokens) for name in ("bos", "eos"))
    said = metadata.get("tokenizer.ggml.add_bos_token", bool)
    if adds_bos if said is None else said:
        if bos is None:
            raise ModelFileError(f"{metadata.path}: a bos token is to be added, but none is named")
        backend.post_processor = processors.TemplateProcessing(
            single=[bos, "$A"], special_tokens=[(bos, vocabulary[bos])]
        )
    return TokenizerFiles(
        tokenizer=backend,
        chat_template=metadata.get("tokenizer.chat_template", str),
        # The runs of spaces that some vocabularies define are text.
        special_tokens={
            tokens[index]: index
            for index in found
            if types[index] == CONTROL or not tokens[index].isspace()
        },
        bos=bos,
        eos=eos,
    )


def _kind(metadata: GgufMetadata) -> _Kind:
    # llama.cpp takes "default" for a missing name and warns of bad quality; we do not guess.
    name = metadata.get("tokenizer.ggml.pre", str)
    if name not in KINDS:
        raise UnsupportedModelError(
            f"{metadata.path}: the pre-tokenizer tokenizer.ggml.pre = {name!r} is not known here; "
            f"known are {', '.join(KINDS)}; the llama.cpp runtime may run it"
        )
    return KINDS[name]


def _byte_level(metadata: GgufMetadata, vocabulary: dict[str, int], kind: _Kind) -> Backend:
    merges = []
    for merge in metadata.need_list("tokenizer.ggml.merges", str):
        left, _, right = merge.partition(" ")
        if not {left, right, left + right} <= vocabulary.keys():
            raise ModelFileError(
                f"{metadata.path}: the merge {merge!r} has tokens that the vocabulary lacks"
            )
        merges.append((left, right))
    backend = Backend(models.BPE(vocabulary, merges, ignore_merges=kind.ignore_merges))
    if kind.nfc:
        backend.normalizer = normalizers.NFC()
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [
            *(pre_tokenizers.Split(Regex(split), "isolated") for split in kind.splits),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    backend.decoder = decoders.ByteLevel()
    return backend


def _token(metadata: GgufMetadata, name: str, tokens: Sequence[str]) -> str | None:
    key = f"tokenizer.ggml.{name}_token_id"
    index = metadata.get(key, int)
    if index is None:
        return None
    if not 0 <= index < len(tokens):
        raise ModelFileError(f"{metadata.path}: {key} is {index} of {len(tokens)} tokens")
    return tokens[index]
