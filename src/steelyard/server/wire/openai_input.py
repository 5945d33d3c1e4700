"""OpenAI's `input` as a state: a text as it is, items as a list of what was said and called."""

from __future__ import annotations

from collections.abc import Mapping

from steelyard.errors import RequestError
from steelyard.types.content import Content, Json, as_content, describe

# Who may send which parts.
_PARTS = {
    "user": ("input_text", "input_json"),
    "developer": ("input_text",),
    "system": ("input_text",),
    "assistant": ("output_text", "refusal"),
}
# What holds the text of a part.
_HOLDS = {
    "input_text": "text",
    "input_json": "data",
    "output_text": "text",
    "refusal": "refusal",
}
# Item -> the field that says what went in or came out; each output follows its call.
_CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
_OUTPUTS = {
    "function_call_output": "function_call",
    "custom_tool_call_output": "custom_tool_call",
}


def decode_input(value: Json) -> Content:
    """The state that `input` spells.

    Raises:
        RequestError: neither a text nor a list of items, an image, an output without its call.
    """
    if isinstance(value, str):
        return as_content(value, "input")
    if not isinstance(value, list) or not value:
        got = "an empty list" if isinstance(value, list) else describe(value)
        raise RequestError(f"got {got}; allowed: a text or a list of items", field="input")
    items: list[Json] = []
    called: set[tuple[str, str]] = set()
    for index, item in enumerate(value):
        items.append(_item(item, f"input.{index}", called))
    return items


def decode_text(
    value: Json, field: str, parts: tuple[str, ...] = ("input_text", "input_json")
) -> Content:
    """The content that a text, or a list of parts, spells; a single part is its own content."""
    if isinstance(value, str):
        return as_content(value, field)
    if not isinstance(value, list) or not value:
        got = "an empty list" if isinstance(value, list) else describe(value)
        raise RequestError(f"got {got}; allowed: a text or a list of parts", field=field)
    contents = [_part(part, f"{field}.{index}", parts) for index, part in enumerate(value)]
    return contents[0] if len(contents) == 1 else contents


def _item(item: Json, field: str, called: set[tuple[str, str]]) -> Json:
    if not isinstance(item, Mapping):
        raise RequestError(f"got {describe(item)}; allowed: an object", field=field)
    kind = item.get("type", "message")
    if kind == "message":
        return _message(item, field)
    if isinstance(kind, str) and kind in _CALLS:
        call_id, name = _string(item, "call_id", field), _string(item, "name", field)
        called.add((kind, call_id))
        said = item.get(_CALLS[kind])
        if not isinstance(said, str):
            raise RequestError(
                f"got {describe(said)}; allowed: a string", field=f"{field}.{_CALLS[kind]}"
            )
        return {"type": kind, "call_id": call_id, "name": name, _CALLS[kind]: said}
    if isinstance(kind, str) and kind in _OUTPUTS:
        call_id = _string(item, "call_id", field)
        if (_OUTPUTS[kind], call_id) not in called:
            raise RequestError(
                f"{describe(call_id)} is no {_OUTPUTS[kind]} before it", field=f"{field}.call_id"
            )
        output = decode_text(item.get("output"), f"{field}.output", ("input_text",))
        return {"type": kind, "call_id": call_id, "output": output}
    allowed = ", ".join(("message", *_CALLS, *_OUTPUTS))
    raise RequestError(f"got {describe(kind)}; allowed: {allowed}", field=f"{field}.type")


def _message(item: Mapping[str, Json], field: str) -> Json:
    role = item.get("role")
    if not isinstance(role, str) or role not in _PARTS:
        raise RequestError(
            f"got {describe(role)}; allowed: {', '.join(_PARTS)}", field=f"{field}.role"
        )
    content = decode_text(item.get("content"), f"{field}.content", _PARTS[role])
    return {"role": role, "content": content}


def _part(part: Json, field: str, allowed: tuple[str, ...]) -> Content:
    if not isinstance(part, Mapping):
        raise RequestError(f"got {describe(part)}; allowed: an object", field=field)
    kind = part.get("type")
    if kind == "input_image":
        raise RequestError("an image, and this engine reads text only", field=f"{field}.type")
    if not isinstance(kind, str) or kind not in allowed:
        raise RequestError(
            f"got {describe(kind)}; allowed here: {', '.join(allowed)}", field=f"{field}.type"
        )
    held, path = part.get(_HOLDS[kind]), f"{field}.{_HOLDS[kind]}"
    if (kind == "input_json") == isinstance(held, str):
        wanted = "an object or a list" if kind == "input_json" else "a string"
        raise RequestError(f"got {describe(held)}; allowed: {wanted}", field=path)
    return as_content(held, path)


def _string(item: Mapping[str, Json], name: str, field: str) -> str:
    value = item.get(name)
    if not isinstance(value, str) or not value:
        raise RequestError(
            f"got {describe(value)}; allowed: a non-empty string", field=f"{field}.{name}"
        )
    return value
