"""The tokenizer that a GGUF file describes, rebuilt with the `tokenizers` library."""

from __future__ import annotations

from collections.abc import Sequence

from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors
from tokenizers import Tokenizer as Backend

from steelyard.errors import ModelFileError, UnsupportedModelError
from steelyard.tokens.files import TokenizerFiles
from steelyard.tokens.gguf_metadata import GgufMetadata
from steelyard.tokens.gguf_pretokenizers import PRE_TOKENIZERS, PreTokenizer
from steelyard.tokens.gguf_sentencepiece import sentencepiece

CONTROL, USER_DEFINED = 3, 4  # types of the tokens that are found in text as a whole


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
        cutting = _pre_tokenizer(metadata)
        backend, adds_bos = _byte_level(metadata, vocabulary, cutting), cutting.adds_bos
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


def _pre_tokenizer(metadata: GgufMetadata) -> PreTokenizer:
    # llama.cpp takes "default" for a missing name and warns of bad quality; we do not guess.
    name = metadata.get("tokenizer.ggml.pre", str)
    if name not in PRE_TOKENIZERS:
        raise UnsupportedModelError(
            f"{metadata.path}: the pre-tokenizer tokenizer.ggml.pre = {name!r} is not known here; "
            f"known are {', '.join(PRE_TOKENIZERS)}; the llama.cpp runtime may run it"
        )
    return PRE_TOKENIZERS[name]


def _byte_level(
    metadata: GgufMetadata, vocabulary: dict[str, int], cutting: PreTokenizer
) -> Backend:
    merges = []
    for merge in metadata.need_list("tokenizer.ggml.merges", str):
        left, _, right = merge.partition(" ")
        known = left in vocabulary and right in vocabulary and left + right in vocabulary
        if not known:
            raise ModelFileError(
                f"{metadata.path}: the merge {merge!r} has tokens that the vocabulary lacks"
            )
        merges.append((left, right))
    backend = Backend(models.BPE(vocabulary, merges, ignore_merges=cutting.ignore_merges))
    if cutting.nfc:
        backend.normalizer = normalizers.NFC()
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [
            *(pre_tokenizers.Split(Regex(split), "isolated") for split in cutting.splits),
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
