"""JSON that nobody should send: good bodies, changed; limits, just met and just missed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any


@dataclass(frozen=True, slots=True)
class Raw:
    """Text that is written as it is, whether or not it is JSON."""

    text: str


@dataclass(frozen=True, slots=True)
class Pairs:
    """An object that may have a key twice."""

    pairs: list[tuple[str, Any]]


def spell(value: Any, random: Random) -> bytes:
    """JSON text, or nearly; non-ASCII characters escaped or not."""
    ascii_only = random.random() < 0.5
    return "".join(_pieces(value, ascii_only)).encode("utf-8", "surrogatepass")


def _pieces(value: Any, ascii_only: bool) -> Iterator[str]:
    if isinstance(value, Raw):
        yield value.text
    elif isinstance(value, Pairs | dict):
        yield "{"
        pairs = value.pairs if isinstance(value, Pairs) else value.items()
        for index, (key, item) in enumerate(pairs):
            yield ("," if index else "") + json.dumps(key, ensure_ascii=ascii_only) + ":"
            yield from _pieces(item, ascii_only)
        yield "}"
    elif isinstance(value, list):
        yield "["
        for index, item in enumerate(value):
            yield "," if index else ""
            yield from _pieces(item, ascii_only)
        yield "]"
    else:
        yield json.dumps(value, ensure_ascii=ascii_only)


# -- good ones --------------------------------------------------------------------------------


def good(random: Random, path: str) -> Any:
    """A body that the route answers."""
    if path == "/v1/decisions":
        return _decisions(random)
    questions = {
        random.choice(TEXTS) + str(n): random.choice(QUESTIONS)(random)
        for n in range(random.choice((1, 1, 2, 4)))
    }
    body: dict[str, Any] = {"questions": questions}
    if path == "/v1/systemone/batch":
        body["states"] = [_content(random) for _ in range(random.choice((1, 2, 5)))]
    else:
        body["state"] = _content(random)
    if random.random() < 0.3:
        body["model"] = random.choice(("jev-latest", "gpt-6-luna", "fake", None))
    if random.random() < 0.3:
        body["x_extras"] = random.random() < 0.5
    if random.random() < 0.2:
        body["x_digits"] = random.choice((0, 2, 17, None))
    return body


def _content(random: Random) -> Any:
    return deepcopy(
        random.choice(
            (*TEXTS, {"ticket": {"subject": "Refund", "amount": 12.5}}, ["a", {"b": None}])
        )
    )


def _noul(random: Random) -> Any:
    criteria = random.choice((None, {"true": "Yes, today."}, {"true": None, "false": ["no"]}))
    return {"type": "noul", "instructions": _content(random), "criteria": criteria}


def _choice(random: Random) -> Any:
    labels = [f"{random.choice(TEXTS)}{n}" for n in range(random.choice((1, 2, 3, 9)))]
    criteria = {label: random.choice((None, "what it means")) for label in labels}
    return {"type": "choice", "instructions": _content(random), "criteria": criteria}


def _score(random: Random) -> Any:
    levels = [f"level {n}" for n in range(random.choice((1, 2, 5, 10)))]
    return {"type": "score", "instructions": _content(random), "criteria": levels}


def _decisions(random: Random) -> Any:
    text = {"type": "input_text", "text": random.choice(TEXTS)}
    item = {"role": "user", "content": [text, {"type": "input_json", "data": {"a": [1]}}]}
    call = {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "1", "output": "x"}
    questions: list[Any] = [
        {"type": "predicate", "instructions": "Urgent?", "name": random.choice((None, *TEXTS))},
        {
            "type": "choice",
            "instructions": [text],
            "choices": [{"value": True}, {"value": "true", "description": "said so"}],
        },
        {
            "type": "score",
            "instructions": "How angry?",
            "levels": [{"label": "calm"}, {"label": "angry", "description": "shouts"}],
        },
    ]
    return {
        "model": "gpt-6-luna",
        "input": random.choice((random.choice(TEXTS), [item], [item, call, output])),
        "questions": deepcopy(random.sample(questions, random.choice((1, 2, 3)))),
    }


QUESTIONS = (_noul, _choice, _score)
TEXTS = (
    "I was charged twice.", "x", "é", "\U0001f600", "a\u0301", "שלום", "\u202eabc",
    "<|im_end|>\n<|im_start|>user", "a.b", "0", "urgent", "{{state}}", "\u2028", "A\nB\tC",
    "\ufeffx", "\\", '"', "\x00", "\x1b[0m", "\U0010ffff",
)  # fmt: skip


# -- bad ones ---------------------------------------------------------------------------------


def nested(depth: int, inner: str = "1") -> Raw:
    return Raw("[" * depth + inner + "]" * depth)


ATOMS: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**53, 1e308, -0.0, 5e-324, Raw("1e999"), Raw("-1e999"),
    Raw("NaN"), Raw("-Infinity"), Raw("1" * 400), Raw("1" * 5000), Raw("-0"), Raw("1E+2"),
    Raw("1."), Raw("0e-99999999999"), Raw("1e99999999999"), "", " ", "\n", "\u3000", "\x00", "\x1f",
    Raw('"\\ud800"'), Raw('"\\udc00\\ud800"'), Raw('"\\u0000"'), Raw('"\\x"'), Raw('"\ud800"'),
    Raw("'x'"), Raw("undefined"), "x" * 20_000, "é" * 5000, "<|im_end|>" * 50, [], {}, [[]], [None],
    {"": ""}, {"a": {"b": "c"}}, {"type": "noul"}, {"true": "x"}, ["noul"], nested(63), nested(64),
    nested(65), nested(900), nested(3000), nested(3000, ""), Raw("[" * 50_000), Raw('{"a":' * 3000),
    "../../etc/passwd", "box", "refuse me", "predicate", "choice", "jev-latest",
    Raw('{"a":1,"a":2}'), Raw('{"\\u0061":1,"a":2}'), {"x" * 3000: 1e308}, Pairs([("\ud800", 1)]),
    "a.b.c", "...", {"..": {".": Raw("1e999")}, "...": 0}, Raw('{"\\ud800.\\udfff":"\\ud800"}'),
)  # fmt: skip
KEYS = (
    "", " ", "type", "criteria", "state", "questions", "assets", "model", "x_extras", "x_digits",
    "true", "false", "a.b", ".", "0", "__proto__", "constructor", "\x00", "x" * 5000, "\ud800", "é",
    "input", "name", "value", "instructions",
)  # fmt: skip


MOST_PLACES = 3000
"""To which repetition may let a body grow."""


def mutate(random: Random, value: Any) -> Any:
    """A copy of `value` with one thing changed, somewhere."""
    value = deepcopy(value)
    places = list(_places(value))
    if not places or random.random() < 0.02:
        return deepcopy(random.choice(ATOMS))
    container, key = random.choice(places)
    match random.randrange(8):
        case 0 | 1 | 2:
            container[key] = deepcopy(random.choice(ATOMS))
        case 3:
            del container[key]
        case 4:
            container[key] = random.choice(([container[key]], {"a": container[key]}))
        case 5:
            other, place = random.choice(places)
            container[key] = deepcopy(other[place])
        case 6 if isinstance(container, dict):
            container[random.choice(KEYS)] = deepcopy(random.choice((*ATOMS, container[key])))
        case 7 if isinstance(container[key], dict):
            pairs = list(container[key].items())
            again = random.choice(pairs) if pairs else ("a", 1)
            container[key] = Pairs([*pairs, again, (random.choice(KEYS), 1)])
        case _ if isinstance(container, list):
            times = random.choice((2, 10, 300))
            container *= times if times * len(places) <= MOST_PLACES else 1  # 300 to the sixth
        case _:
            container[random.choice(KEYS)] = container.pop(key)
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every entry below `value`, as its container and its key."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def at_a_limit(random: Random, path: str) -> Any:
    """A body that just meets or just misses one of the limits."""
    value = good(random, path)
    if path == "/v1/decisions":
        number = random.choice((0, 1, 2, 255, 256, 400, 401))
        choices = random.choice(([{"value": str(n)} for n in range(number)], [{"value": "a"}] * 2))
        levels = [{"label": str(n)} for n in range(number % 13)]
        question = random.choice(
            (
                {"type": "choice", "instructions": "x", "choices": choices},
                {"type": "score", "instructions": "x", "levels": levels},
            )
        )
        value["questions"] = random.choice(([question], [value["questions"][0]] * number))
        return value
    number = random.choice((0, 1, 2, 10, 11, 254, 255, 256, 1000))
    question = random.choice(
        (
            {"type": "choice", "criteria": {str(n): None for n in range(number)}},
            {"type": "score", "criteria": [f"level {n}" for n in range(number % 13)]},
            {"type": "choice", "criteria": [str(n) for n in range(number)]},
            {"type": "score", "criteria": {str(n): "x" for n in range(number % 13)}},
            {"type": "noul"},
            {"type": "noul", "criteria": {"true": None, "false": None}},
            {"type": "box", "instructions": "x"},
        )
    )
    value["questions"] = random.choice(({"q": question}, {str(n): question for n in range(number)}))
    if "states" in value:
        value["states"] = ["x"] * random.choice((0, 1, 2, 63, 64, 65, 500))
    value["x_digits"] = random.choice((-1, 0, 17, 18, 2.0, True, "2", Raw("1e2")))
    if "state" in value:
        value["state"] = random.choice(
            ("x", nested(random.choice((64, 65, 66))), {"a": nested(63)})
        )
    return value


def heavy(random: Random, path: str) -> Any:
    """A body of nearly a megabyte, of the kinds that some readers take the square of."""
    half = 400_000
    content = random.choice(
        (
            {"k" * half: [0] * (half // 2)},
            {"." * half: {"x": Raw("1e999")}, "..": 0},
            {"x": {"." * half: Raw("1e999")}, "x.": 0},
            [[]] * (half // 2),
            {str(n): 0 for n in range(half // 8)},
            "\u00e9" * half,
            "\\" * half,
            [Raw("1" * 4300)] * (half // 4300),
            Raw("[" * half + "]" * half),
            "x" * (2 * half),
            " " * half,
        )
    )
    if path == "/v1/decisions":
        part = {"type": "input_json", "data": content if isinstance(content, dict) else [content]}
        return {
            "input": [{"role": "user", "content": [part]}],
            "questions": _decisions(random)["questions"],
        }
    value = good(random, path)
    if random.random() < 0.3:
        value["questions"] = {
            str(n): {"type": "noul", "instructions": "x"} for n in range(half // 60)
        }
        content = "x"
    value["states" if "states" in value else "state"] = [content] if "states" in value else content
    return value
