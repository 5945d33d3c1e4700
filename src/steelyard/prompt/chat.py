"""The model's own chat template, reduced to what stands before and after the user's text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn

import jinja2
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from steelyard.errors import UnsupportedModelError

SENTINEL = "steelyard-user-text"

# A template that prints today's date would change every answer overnight. This is the date that
# the Llama 3 templates themselves fall back to.
TODAY = datetime(2024, 7, 26)


@dataclass(frozen=True, slots=True)
class ChatFrame:
    """Trusted text around the user's text.

    Attributes:
        head: everything before it, the system text included.
        tail: everything after it, up to where the model's answer begins.
    """

    head: str
    tail: str


def chat_frame(
    template: str | None,
    system: str,
    *,
    bos: str | None = None,
    eos: str | None = None,
    adds_bos: bool = False,
) -> ChatFrame:
    """Render `template` around a user text, thinking off; without a template, plain text.

    Args:
        system: our instructions; they open the user text where the template has no system role.
        bos, eos: the tokens' text, as templates name them.
        adds_bos: whether a text without a template begins with `bos`.
    Raises:
        UnsupportedModelError: the template fails, or does not show the user's text exactly once.
    """
    if template is None:
        return ChatFrame(f"{bos if adds_bos and bos else ''}{system}\n\n", "\n")
    compiled = _compile(template)
    user = {"role": "user", "content": SENTINEL}
    tokens = {name: text for name, text in (("bos_token", bos), ("eos_token", eos)) if text}
    opening = ""
    try:
        text = _render(compiled, [{"role": "system", "content": system}, user], tokens)
    except jinja2.TemplateError:
        text = ""  # many templates refuse a system role in so many words
    if system not in text.partition(SENTINEL)[0]:
        opening = f"{system}\n\n"
        try:
            text = _render(compiled, [user], tokens)
        except jinja2.TemplateError as error:
            raise UnsupportedModelError(f"the chat template fails: {error}") from error
    if text.count(SENTINEL) != 1:
        raise UnsupportedModelError(
            f"the chat template shows the user's text {text.count(SENTINEL)} times; allowed: once"
        )
    head, _, tail = text.partition(SENTINEL)
    return ChatFrame(head + opening, tail)


def _render(
    template: jinja2.Template, messages: list[dict[str, str]], tokens: dict[str, str]
) -> str:
    return template.render(
        messages=messages, add_generation_prompt=True, enable_thinking=False, **tokens
    )


def _compile(template: str) -> jinja2.Template:
    """Templates come with models, so they run in a sandbox, with what transformers gives them."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, loopcontrols]
    )
    environment.filters["tojson"] = _tojson
    environment.globals["raise_exception"] = _raise_exception
    environment.globals["strftime_now"] = TODAY.strftime
    try:
        return environment.from_string(template)
    except jinja2.TemplateSyntaxError as error:
        raise UnsupportedModelError(
            f"the chat template does not parse: {error.message} in line {error.lineno}"
        ) from error


def _raise_exception(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)


def _tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )


class _Generation(Extension):
    """`{% generation %}` marks text to train on; here it only lets its contents through."""

    tags = {"generation"}  # noqa: RUF012 - jinja declares it so

    def parse(self, parser: jinja2.parser.Parser) -> list[jinja2.nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)
