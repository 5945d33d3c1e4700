"""SentencePiece vocabularies of GGUF files (Llama 2, Mistral, TinyLlama), with `tokenizers`.

SentencePiece joins, of all neighbouring pieces whose join is in the vocabulary, always those of
the best score. Ranked by score, the possible joins of two pieces are the merges of a BPE.
"""

from __future__ import annotations

from collections.abc import Sequence

from tokenizers import Tokenizer as Backend
from tokenizers import decoders, models, normalizers

from steelyard.errors import ModelFileError
from steelyard.tokens.gguf_metadata import GgufMetadata

NORMAL, UNKNOWN, USER_DEFINED, BYTE = 1, 2, 4, 6  # token types
SPACE = "\u2581"


def sentencepiece(
    metadata: GgufMetadata, vocabulary: dict[str, int], types: Sequence[int]
) -> Backend:
    """The tokenizer without its added tokens.

    As in llama.cpp and in the "legacy" tokenizer.json of these models, a space is put in front of
    every run of text between special tokens, unless the file says otherwise.

    Raises:
        ModelFileError: scores are missing, or bytes or the unknown token are not in the vocabulary.
    """
    scores = metadata.need_list("tokenizer.ggml.scores", float)
    if len(scores) != len(types):
        raise ModelFileError(f"{metadata.path}: {len(types)} tokens, but {len(scores)} scores")
    if types.count(BYTE) != 256 or UNKNOWN not in types:
        # Without them some text would vanish without a trace.
        raise ModelFileError(
            f"{metadata.path}: a SentencePiece vocabulary needs 256 byte tokens and an unknown one"
        )
    tokens = list(vocabulary)
    joined = [index for index, code in enumerate(types) if code in (NORMAL, USER_DEFINED)]
    pieces = {tokens[index] for index in joined}
    joined.sort(key=lambda index: -scores[index])  # stable: ties keep the order of their ids
    backend = Backend(
        models.BPE(
            vocabulary,
            [pair for index in joined for pair in _pairs(tokens[index], pieces)],
            unk_token=tokens[types.index(UNKNOWN)],
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    prefixed = metadata.get("tokenizer.ggml.add_space_prefix", bool) is not False
    spaces = normalizers.Replace(" ", SPACE)
    backend.normalizer = (
        normalizers.Sequence([normalizers.Prepend(SPACE), spaces]) if prefixed else spaces
    )
    backend.decoder = decoders.Sequence(
        [
            decoders.Replace(SPACE, " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            *([decoders.Strip(" ", 1, 0)] if prefixed else []),
        ]
    )
    return backend


def _pairs(token: str, pieces: set[str]) -> list[tuple[str, str]]:
    """The ways to join `token` out of two pieces."""
    cuts = ((token[:cut], token[cut:]) for cut in range(1, len(token)))
    return [(left, right) for left, right in cuts if left in pieces and right in pieces]
