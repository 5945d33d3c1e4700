"""A small byte-level tokenizer built in code: every byte, some merges, ChatML."""

from __future__ import annotations

from collections.abc import Iterable

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, pre_tokenizers, trainers

from steelyard.tokens.tokenizer import Tokenizer

CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
SPECIAL_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")

# Merges over seams are the point: line breaks, a space before a word, brackets with letters.
MERGED = (
    "\n\n", "\n ", ".\n", "?\n", ">\n", " a", " b", "th", "the", " the", "st", "state", " (", "(A",
    "er", "An", "sw", "Answ", "Answer", " yes", " no", "in", " in", "or", " or", "  ", "::", "</",
    " Y", " N", "es", " Yes", " No",
)  # fmt: skip

QWEN_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|"
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def byte_tokenizer(pattern: str | None = QWEN_PATTERN) -> tokenizers.Tokenizer:
    """Tokens 0-2 are special, 3-258 are the bytes, then the merges.

    `pattern` cuts text into pre-tokens; None means GPT-2's own pattern.
    """
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {text: index for index, text in enumerate((*SPECIAL_TOKENS, *alphabet))}
    merges: list[tuple[str, str]] = []
    for text in MERGED:
        parts = _spell(text, merges)
        while len(parts) > 1:
            pair = (parts[0], parts[1])
            merges.append(pair)
            vocab.setdefault("".join(pair), len(vocab))
            parts = ["".join(pair), *parts[2:]]
    tokenizer = tokenizers.Tokenizer(models.BPE(vocab=vocab, merges=merges))
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pattern is None)
    if pattern is None:
        tokenizer.pre_tokenizer = byte_level
    else:
        split = pre_tokenizers.Split(Regex(pattern), behavior="isolated")
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(text, special=True) for text in SPECIAL_TOKENS])
    return tokenizer


def taught_tokenizer(texts: Iterable[str], vocab: int) -> tokenizers.Tokenizer:
    """Every byte and the merges that are common in `texts`: prompts of a fifth of the tokens."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(QWEN_PATTERN), behavior="isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def tiny_tokenizer(pattern: str | None = QWEN_PATTERN) -> Tokenizer:
    """The byte tokenizer as models use it: ChatML, no token in front."""
    tokenizer = byte_tokenizer(pattern)
    return Tokenizer(
        tokenizer,
        chat_template=CHAT_TEMPLATE,
        special_tokens={text: tokenizer.token_to_id(text) for text in SPECIAL_TOKENS},
        bos="<|endoftext|>",
        eos="<|im_end|>",
    )


def _spell(text: str, merges: list[tuple[str, str]]) -> list[str]:
    """The parts that earlier merges leave of `text`, in the byte alphabet."""
    spelled = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(
        text
    )[0][0]
    parts = list(spelled)
    for left, right in merges:
        index = 0
        while index + 1 < len(parts):
            if (parts[index], parts[index + 1]) == (left, right):
                parts[index : index + 2] = [left + right]
            index += 1
    return parts
