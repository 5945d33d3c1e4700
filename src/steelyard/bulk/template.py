r"""A state made of several columns: `Subject: {subject}\n{body}`.

`{name}` stands for a column, `{{` and `}}` for braces, and `\n`, `\t`, `\\` for a newline, a tab
and a backslash, because a shell hands them over as two characters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from steelyard.errors import RequestError

_TOKEN = re.compile(r"\{\{|\}\}|\{[^{}]*\}|\\[nt\\]|[{}]")
_ESCAPES = {"{{": "{", "}}": "}", r"\n": "\n", r"\t": "\t", "\\\\": "\\"}


@dataclass(frozen=True, slots=True)
class Template:
    """Alternating text and columns: `texts[0] columns[0] texts[1] ...`, one text more."""

    texts: tuple[str, ...]
    columns: tuple[str, ...]

    def fill(self, record: Mapping[str, object]) -> str:
        """The template with the record's values in place of the columns.

        Strings are put in as they are, null as nothing, numbers, objects and arrays as JSON, and
        what JSON lacks, such as dates, as Python prints it.

        Raises:
            RequestError: the record lacks a column; the field names it.
        """
        filled = self.texts[0]
        for column, text in zip(self.columns, self.texts[1:], strict=True):
            if column not in record:
                raise RequestError("missing; the template names it", field=column)
            filled += _shown(record[column]) + text
        return filled


def parse_template(text: str) -> Template:
    """Read a template.

    Raises:
        RequestError: a stray brace, an empty name, or no column at all.
    """
    texts, columns, plain, position = [], [], "", 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        plain += text[position : match.start()]
        position = match.end()
        if token in _ESCAPES:
            plain += _ESCAPES[token]
        elif len(token) == 1 or not token[1:-1].strip():
            raise RequestError(
                f"{token!r} at character {match.start() + 1} of {text!r}; "
                "allowed: {column}, or {{ and }} for braces",
                field="template",
            )
        else:
            texts.append(plain)
            columns.append(token[1:-1])
            plain = ""
    if not columns:
        raise RequestError(
            f"{text!r} names no column; expected a text such as 'Subject: {{subject}}'",
            field="template",
        )
    return Template((*texts, plain + text[position:]), tuple(columns))


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | int | float | list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
