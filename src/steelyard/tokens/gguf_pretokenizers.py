"""How text is cut before byte-level merges, by the names that GGUF files have for it.

A GGUF stores only a name (`tokenizer.ggml.pre`); llama.cpp (src/llama-vocab.cpp) says what each
means. Where llama.cpp approximates the model's own tokenizer.json, the latter is followed, since
the model was trained with it: NFC normalisation, which llama.cpp leaves out, and combining marks,
which its regular expressions cannot name.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PreTokenizer:
    """A way of cutting text.

    Attributes:
        splits: regular expressions, each cutting the pieces that the one before it left.
        nfc: whether the text is normalised first.
        ignore_merges: a piece that is in the vocabulary is a token, whatever the merges say.
        adds_bos: whether bos is put in front where the file does not say.
    """

    splits: tuple[str, ...]
    nfc: bool = False
    ignore_merges: bool = False
    adds_bos: bool = False


_CONTRACTED = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def _cl100k(digits: str, letter: str = r"\p{L}") -> str:
    """The pattern of GPT-4, and with other numbers of digits of Llama 3 and Qwen."""
    return (
        rf"{_CONTRACTED}|[^\r\n\p{{L}}\p{{N}}]?[{letter}]+|\p{{N}}{digits}"
        rf"| ?[^\s{letter}\p{{N}}]+[\r\n]*|{_SPACES}"
    )


def _o200k(digits: str, ending: str) -> str:
    """The pattern of GPT-4o: words end where an upper-case letter follows a lower-case one."""
    before = r"[^\r\n\p{L}\p{N}]?"
    return (
        rf"{before}{_UPPER}*{_LOWER}+{ending}|{before}{_UPPER}+{_LOWER}*{ending}"
        rf"|\p{{N}}{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}"
    )


_LLAMA3 = PreTokenizer((_cl100k("{1,3}"),), ignore_merges=True, adds_bos=True)

PRE_TOKENIZERS = {
    "default": PreTokenizer((r"[\p{P}\$\+<=>\^~\|]+", _GPT2, r"\p{N}+", r"[0-9][0-9][0-9]")),
    "gpt-2": PreTokenizer((_GPT2,)),
    "phi-2": PreTokenizer((_GPT2,)),
    "mpt": PreTokenizer((_GPT2,)),
    "olmo": PreTokenizer((_GPT2,)),
    "smollm": PreTokenizer((r"\p{N}", _GPT2)),
    "starcoder": PreTokenizer((r"\p{N}", _GPT2)),
    "refact": PreTokenizer((r"\p{N}", _GPT2)),
    "command-r": PreTokenizer((r"\p{N}", _GPT2), nfc=True),
    "llama3": _LLAMA3,
    "llama-v3": _LLAMA3,
    "llama-bpe": _LLAMA3,
    "falcon3": _LLAMA3,
    "smaug-bpe": PreTokenizer((_cl100k("{1,3}"),)),
    "dbrx": PreTokenizer((_cl100k("{1,3}"),)),
    "qwen2": PreTokenizer((_cl100k(""),), nfc=True),
    "qwen35": PreTokenizer((_cl100k("", letter=r"\p{L}\p{M}"),), nfc=True),
    "deepseek-r1-qwen": PreTokenizer((_cl100k(""),)),
    "stablelm2": PreTokenizer((_cl100k(""),)),
    "tekken": PreTokenizer((_o200k("", ""),), ignore_merges=True, adds_bos=True),
    "gpt-4o": PreTokenizer((_o200k("{1,3}", f"{_CONTRACTED}?"),)),
}
