"""`steelyard mcp`: which model or server is asked, before anything is said."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import httpx
import pytest
import typer
from support.fake_engine import FakeEngine

import steelyard
from steelyard.cli.mcp import mcp
from steelyard.errors import MissingExtraError
from steelyard.types.question import Noul

ASKED: Mapping[str, Any] = {"q": Noul("?")}


def run(*arguments: str) -> None:
    app = typer.Typer()
    app.command()(mcp)
    command = typer.main.get_command(app)
    command.main(list(arguments), standalone_mode=False)


@pytest.fixture
def decides(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the tool's server was given to decide with; nothing runs, and no `mcp` is needed."""
    given: list[Any] = []

    class Server:
        def run(self) -> None:
            given.append(given[0]("text", ASKED))

    def mcp_server(decide: Any) -> Server:
        given.append(decide)
        return Server()

    module = ModuleType("steelyard.agents.mcp_server")
    module.mcp_server = mcp_server  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return given


def test_a_model_is_loaded_and_closed(decides, monkeypatch):
    asked, engine = [], FakeEngine()
    loaded = type("Loaded", (), {"__enter__": lambda _: engine, "__exit__": lambda *_: None})
    monkeypatch.setattr(steelyard, "load", lambda name, **how: asked.append(name) or loaded())
    run()
    assert asked == ["mini"]
    assert decides[1].model == "fake"


def test_a_server_is_asked_with_the_key_of_the_environment(decides, monkeypatch):
    seen = []

    def send(self: httpx.Client, method: str, path: str, content: bytes) -> httpx.Response:
        seen.append((self.base_url.host, self.headers["authorization"], content))
        return httpx.Response(429)

    monkeypatch.setattr(httpx.Client, "request", send)
    monkeypatch.setattr("steelyard.client.client.sleep", lambda seconds: None)
    monkeypatch.setenv("STEELYARD_API_KEY", "sk-1")
    with pytest.raises(steelyard.RateLimitError):
        run("--url", "http://host:8000", "-m", "small")
    assert seen[0][:2] == ("host", "Bearer sk-1")
    assert b'"model":"small"' in seen[0][2]


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, "steelyard.agents.mcp_server", raising=False)
    for name in ["mcp", *(name for name in sys.modules if name.startswith("mcp."))]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(steelyard, "load", lambda name, **how: pytest.fail("a model is loaded"))
    with pytest.raises(MissingExtraError, match=r"steelyard\[mcp\]"):
        run()
