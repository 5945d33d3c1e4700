"""A model's tokenizer, safe for text that anybody may have written, and able to go on.

`extend` continues an encoding: its ids are exactly those of encoding the whole text at once, at
the cost of the new text alone. What makes this possible: a pre-tokenizer scans forward, so beyond
a few pre-tokens before its end a text keeps its tokens whatever follows. `Encoding.tail` is the
part that may still change.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby
from pathlib import Path
from unicodedata import combining

import tokenizers

from steelyard.errors import RequestError, UnsupportedModelError
from steelyard.prompt.branch import Piece
from steelyard.prompt.chat import ChatFrame, chat_frame
from steelyard.tokens.files import TokenizerFiles, read_folder, write_folder
from steelyard.tokens.twin import bare, missing_bytes, spells_no_special

MARGIN_PRETOKENS = 3
"""Pre-tokens at the end of a text that are taken to depend on what follows. Two do: in "x\\n\\n  "
a line break to come joins the spaces, and with them the line breaks before. One is caution."""

PROBE = "user\nIt's 12345 °C,  naïve  (A) 東京🙂 \n\n</state>\nQuestion: x?!\n\n\tBest answer: ("


@dataclass(frozen=True, slots=True)
class Encoding:
    """The tokens of a text that may go on.

    Attributes:
        ids: token ids of the text so far.
        tail: the end of the text, from the last place before which no later text changes a token.
        tail_index: how many of `ids` come before the tail.
        prefixed: whether the tail stands where the tokenizer puts a space in front.
        marks: index in `ids` of the last token of every marked piece of the last `extend`.
    """

    ids: tuple[int, ...] = ()
    tail: str = ""
    tail_index: int = 0
    prefixed: bool = True
    marks: tuple[int, ...] = ()


@dataclass(slots=True)
class _Run:
    """A stretch of plain text, or one special token; `marks` are ends within the text."""

    text: str
    token: int | None
    marks: list[int]


class Tokenizer:
    """Text to token ids and back.

    Args:
        tokenizer: of the `tokenizers` library, without truncation and padding.
        chat_template: the model's Jinja template, or None.
        special_tokens: text -> id of the tokens that only trusted text may spell.
        bos, eos: text of the tokens that begin and end a sequence, as the template names them.
    Raises:
        UnsupportedModelError: encoding piece by piece gives other tokens than encoding the whole.
    """

    def __init__(
        self,
        tokenizer: tokenizers.Tokenizer,
        *,
        chat_template: str | None,
        special_tokens: Mapping[str, int],
        bos: str | None,
        eos: str | None,
    ) -> None:
        self.chat_template = chat_template
        self.special_tokens = dict(special_tokens)
        self.bos = bos
        self.eos = eos
        self._whole = tokenizer
        self._prefixed = spells_no_special(tokenizer, self.special_tokens)
        self._bare, self._prefix_every_run = bare(self._prefixed)
        self._special_pattern = _pattern(tokenizer, self.special_tokens)
        self._missing_bytes = missing_bytes(self._bare)
        self._begun = lru_cache(maxsize=16)(lambda pieces: self.extend(Encoding(), pieces))
        self._label_memo: dict[tuple[str, bool, tuple[str, ...]], tuple[int, ...]] = {}
        self._check_itself()

    @classmethod
    def from_folder(cls, path: Path | str) -> Tokenizer:
        """Read tokenizer.json, tokenizer_config.json and the chat template of a model folder.

        Every added token is special, except those that are white space (some models add runs of
        spaces): they are text.

        Raises:
            ModelFileError: a file is missing or corrupt.
            UnsupportedModelError: the tokenizer cannot be used.
        """
        files = read_folder(Path(path))
        return cls(
            files.tokenizer,
            chat_template=files.chat_template,
            special_tokens=files.special_tokens,
            bos=files.bos,
            eos=files.eos,
        )

    def save(self, folder: Path) -> None:
        """Write tokenizer.json and tokenizer_config.json, for `from_folder` and transformers."""
        files = TokenizerFiles(
            tokenizer=self._whole,
            chat_template=self.chat_template,
            special_tokens=self.special_tokens,
            bos=self.bos,
            eos=self.eos,
        )
        write_folder(files, folder)

    def chat_frame(self, system: str) -> ChatFrame:
        """The model's own chat template around our `system` text; see `chat_frame`."""
        return chat_frame(
            self.chat_template, system, bos=self.bos, eos=self.eos, adds_bos=self.adds_bos
        )

    def encode(self, pieces: Sequence[Piece]) -> tuple[int, ...]:
        """Token ids of the pieces as one text; no token is added in front or at the end."""
        return self.extend(Encoding(), pieces).ids

    def begin(self, pieces: tuple[Piece, ...]) -> Encoding:
        """The encoding of a prompt's root. The last few are kept: one state has many questions."""
        return self._begun(pieces)

    def extend(self, encoding: Encoding, pieces: Sequence[Piece]) -> Encoding:
        """The encoding of the text so far followed by `pieces`.

        Special tokens are recognised in trusted pieces only (adjacent ones are read as one text);
        all other text is plain, and adjacent plain text is encoded as one. A special token takes
        the white space beside it, where the model says so, from trusted text only.

        Raises:
            RequestError: a character that the vocabulary has no token for; none is dropped.
        """
        runs = self._runs(pieces)
        if not runs:
            return Encoding(encoding.ids, encoding.tail, encoding.tail_index, encoding.prefixed)
        if runs[0].token is None:
            shift = len(encoding.tail)
            runs[0].text = encoding.tail + runs[0].text
            runs[0].marks = [mark + shift for mark in runs[0].marks]
            ids, prefixed = list(encoding.ids[: encoding.tail_index]), encoding.prefixed
        else:
            ids, prefixed = list(encoding.ids), False
        marks: list[int] = []
        for run in runs:
            begin, at = len(ids), prefixed
            encoded = self._append(ids, run, at, marks)
            prefixed = encoded is None and self._prefix_every_run
        if encoded is None:
            return Encoding(tuple(ids), "", len(ids), prefixed, tuple(marks))
        cut, tokens = self._last_cut(run.text, encoded)
        return Encoding(tuple(ids), run.text[cut:], begin + tokens, at and cut == 0, tuple(marks))

    def next_tokens(self, encoding: Encoding, labels: Sequence[str]) -> tuple[int, ...]:
        """The one token that spells each label right after the text.

        Raises:
            UnsupportedModelError: a label is not one token there, changes the tokens before it,
                does not decode to itself, or shares its token with another.
        """
        # Only the tail can change, so prompts that end alike are checked once.
        key = (encoding.tail, encoding.prefixed, tuple(labels))
        if key not in self._label_memo:
            if len(self._label_memo) >= 1024:
                self._label_memo.clear()
            self._label_memo[key] = self._check_labels(encoding, key[2])
        return self._label_memo[key]

    def decode(self, ids: Sequence[int]) -> str:
        """The text of token ids, special tokens spelled out."""
        return self._whole.decode(list(ids), skip_special_tokens=False)

    @property
    def vocab_size(self) -> int:
        """Number of tokens, added ones included."""
        return self._whole.get_vocab_size(with_added_tokens=True)

    @cached_property
    def adds_bos(self) -> bool:
        """Whether the model's own tokenizer puts `bos` in front of a text without a template."""
        first = self._whole.encode("a", add_special_tokens=True).ids[:1]
        return self.bos is not None and first == [self._whole.token_to_id(self.bos)]

    @cached_property
    def digest(self) -> str:
        """sha256 over the tokenizer's JSON and the chat template, hexadecimal."""
        text = f"{self._whole.to_str()}\0{self.chat_template}"
        return hashlib.sha256(text.encode()).hexdigest()

    def _append(
        self, ids: list[int], run: _Run, prefixed: bool, marks: list[int]
    ) -> tokenizers.Encoding | None:
        """Add a run's tokens and marks; returns how it was encoded, None for a special token."""
        if run.token is not None:
            marks.extend([len(ids)] * len(run.marks))
            ids.append(run.token)
            return None
        encoded = self._plain(run.text, prefixed)
        if run.marks:
            begins = [begin for begin, _ in encoded.offsets]
            # The token that carries the piece's last character, even if it carries more.
            marks.extend(len(ids) + bisect_left(begins, mark) - 1 for mark in run.marks)
        ids.extend(encoded.ids)
        return encoded

    def _plain(self, text: str, prefixed: bool) -> tokenizers.Encoding:
        if self._missing_bytes:
            self._refuse_lost(text)
        return (self._prefixed if prefixed else self._bare).encode(text, add_special_tokens=False)

    def _refuse_lost(self, text: str) -> None:
        """Some vocabularies lack rare bytes, and the library would drop them without a word."""
        data = text.encode()
        if len(data.translate(None, self._missing_bytes)) == len(data):
            return
        lost = next(c for c in text if not set(self._missing_bytes).isdisjoint(c.encode()))
        raise RequestError(f"the character {lost!r} has no token in this model's vocabulary")

    def _runs(self, pieces: Sequence[Piece]) -> list[_Run]:
        runs: list[_Run] = []
        for trusted, group in groupby(pieces, key=lambda piece: piece.trusted):
            text, ends = "", []
            for piece in group:
                text += piece.text
                if piece.mark:
                    assert piece.text, "a marked piece needs text"
                    ends.append(len(text))
            for begin, end, token in self._split(text) if trusted else [(0, len(text), None)]:
                marks = [mark - begin for mark in ends if begin < mark <= end]
                if token is not None or not runs or runs[-1].token is not None:
                    if begin < end:
                        runs.append(_Run(text[begin:end], token, marks))
                else:
                    runs[-1].marks += [mark + len(runs[-1].text) for mark in marks]
                    runs[-1].text += text[begin:end]
        return runs

    def _split(self, text: str) -> Iterator[tuple[int, int, int | None]]:
        """Spans of trusted text with the special token each spells, or None."""
        begin = 0
        for match in self._special_pattern.finditer(text) if self._special_pattern else ():
            yield begin, match.start(), None
            spelled = match[0] if match[0] in self.special_tokens else match[0].strip()
            yield match.start(), match.end(), self.special_tokens[spelled]
            begin = match.end()
        yield begin, len(text), None

    def _last_cut(self, text: str, encoded: tokenizers.Encoding) -> tuple[int, int]:
        """The last (character, token) before which no later text can change a token."""
        words, offsets = encoded.word_ids, encoded.offsets
        pretokens = 0
        for index in range(len(words) - 1, 0, -1):
            begin = offsets[index][0]
            if offsets[index - 1][0] == begin:  # tokens that share a character
                continue
            if not self._has_pretokens:
                if self._lines_are_apart and text[begin - 1] == "\n" != text[begin]:
                    return begin, index
            elif words[index] != words[index - 1]:
                pretokens += 1
                # Normalisation may exchange combining characters, so none may begin the tail.
                if pretokens >= MARGIN_PRETOKENS and not combining(text[begin]):
                    return begin, index
        return 0, 0

    @cached_property
    def _has_pretokens(self) -> bool:
        return len(set(self._plain("a b, c", prefixed=False).word_ids)) > 1

    @cached_property
    def _lines_are_apart(self) -> bool:
        """Whether no token goes on after a line break, so that each line is encoded by itself.

        This serves tokenizers in the manner of SentencePiece, which have no pre-tokens.
        """
        return not any(re.search("[\nĊ][^\nĊ]", token) for token in self._bare.get_vocab())

    def _check_labels(self, encoding: Encoding, labels: tuple[str, ...]) -> tuple[int, ...]:
        tokens: dict[int, str] = {}
        count, before = len(encoding.ids), encoding.ids[encoding.tail_index :]
        for label in labels:
            ids = self.extend(encoding, [Piece(label)]).ids
            where = f"after {encoding.tail[-24:]!r}"
            if len(ids) != count + 1 or ids[:count] != encoding.ids:
                raise UnsupportedModelError(
                    f"the label {label!r} is not one token of this tokenizer {where}"
                )
            if self.decode((*before, ids[-1])) != self.decode(before) + label:
                raise UnsupportedModelError(
                    f"the label {label!r} does not decode to itself {where}"
                )
            if ids[-1] in tokens:
                raise UnsupportedModelError(
                    f"the labels {tokens[ids[-1]]!r} and {label!r} are the same token {where}"
                )
            tokens[ids[-1]] = label
        return tuple(tokens)

    def _check_itself(self) -> None:
        """Refuse a tokenizer on which a probe shows that the assumptions above do not hold."""
        specials = sorted(self.special_tokens)[:2]
        for trusted in ["".join((PROBE, *specials, PROBE, *specials[:1])), *specials]:
            if self.encode([Piece(trusted, trusted=True)]) != self._whole_ids(trusted):
                raise UnsupportedModelError(
                    "this tokenizer encodes text between special tokens in a way that is not "
                    "supported: piece by piece its tokens differ from those of the whole text"
                )
        whole = self.encode([Piece(PROBE)])
        for cut in range(1, len(PROBE)):
            head = self.extend(Encoding(), [Piece(PROBE[:cut])])
            if self.extend(head, [Piece(PROBE[cut:])]).ids != whole:
                raise UnsupportedModelError(
                    "this tokenizer looks back over the text in a way that is not supported: "
                    f"a text continued at character {cut} has other tokens than the whole"
                )

    def _whole_ids(self, text: str) -> tuple[int, ...]:
        return tuple(self._whole.encode(text, add_special_tokens=False).ids)


def _pattern(
    tokenizer: tokenizers.Tokenizer, special_tokens: Mapping[str, int]
) -> re.Pattern[str] | None:
    """Matches any special token, the longest first, with the white space that it takes along."""
    if not special_tokens:
        return None
    added = {token.content: token for token in tokenizer.get_added_tokens_decoder().values()}
    alternatives = []
    for text in sorted(special_tokens, key=len, reverse=True):
        pattern = re.escape(text)
        if token := added.get(text):
            pattern = rf"(?<!\w){pattern}(?!\w)" if token.single_word else pattern
            pattern = rf"\s*{pattern}" if token.lstrip else pattern
            pattern = rf"{pattern}\s*" if token.rstrip else pattern
        alternatives.append(pattern)
    return re.compile("|".join(alternatives))
