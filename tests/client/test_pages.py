"""docs/clients.md agrees with the client, and its examples run."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.fake_engine import FakeEngine, fake_response

import steelyard
from steelyard.client import AsyncClient, Client
from steelyard.types.codec import decode_request, encode_response
from steelyard.types.question import Noul

PAGE = (Path(__file__).parents[2] / "docs" / "clients.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def answer(self: httpx.Client, method: str, path: str, *, content: bytes) -> httpx.Response:
    response = fake_response(decode_request(json.loads(content)), "fake")
    return httpx.Response(200, json=encode_response(response, extras=True))


def test_the_first_example_asks_and_prints(monkeypatch, capsys):
    monkeypatch.setattr(httpx.Client, "request", answer)
    exec(BLOCKS[0], {})
    choice, noul = capsys.readouterr().out.split()
    assert choice in ("billing", "technical", "sales") and 0 <= float(noul) <= 1


@pytest.mark.parametrize(
    ("status", "headers", "printed"),
    [
        (200, {}, ""),
        (429, {"retry-after": "3"}, "come back in 3.0 s\n"),
        (422, {}, "cannot be asked: None HTTP 422: an empty body\n"),
        (500, {"x-request-id": "abc"}, "500 service logged as abc\n"),
    ],
)
def test_the_second_example_tells_errors_apart(status, headers, printed, monkeypatch, capsys):
    def refuse(self: httpx.Client, method: str, path: str, *, content: bytes) -> httpx.Response:
        if status == 200:
            return answer(self, method, path, content=content)
        return httpx.Response(status, headers=headers)

    monkeypatch.setattr(httpx.Client, "request", refuse)
    with Client(max_retries=0) as client:
        names: dict[str, Any] = {"client": client, "state": "late", "questions": {"q": Noul("?")}}
        exec(f"import steelyard\n{BLOCKS[1]}", names)
    assert capsys.readouterr().out == printed


def test_the_tables_name_every_method_and_argument():
    methods = {name for name, _ in inspect.getmembers(Client, inspect.isfunction) if name[0] != "_"}
    assert set(re.findall(r"^\| `(\w+)\(", PAGE, re.MULTILINE)) == methods - {"close"}
    arguments = list(inspect.signature(Client).parameters)
    assert arguments == list(inspect.signature(AsyncClient).parameters)
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)[:5] == arguments


@pytest.fixture
def loads_fakes(monkeypatch):
    monkeypatch.setitem(vars(steelyard), "load", lambda model: FakeEngine(name=model))


def test_the_tool_of_the_page_is_one_that_an_agent_has(loads_fakes):
    pytest.importorskip("pydantic_ai")
    from pydantic_ai.models.test import TestModel

    names: dict[str, Any] = {}
    exec(BLOCKS[2], names)
    playing = TestModel(call_tools=[])
    asyncio.run(names["agent"].run("Sort the tickets.", model=playing))
    assert playing.last_model_request_parameters is not None
    [tool] = playing.last_model_request_parameters.function_tools
    assert tool.name == "decide"


def test_the_chain_of_the_page_chooses(loads_fakes, capsys):
    pytest.importorskip("langchain_core")
    exec(BLOCKS[3], {})
    assert capsys.readouterr().out.strip() in ("call back", "write back")
