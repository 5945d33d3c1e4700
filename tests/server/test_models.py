"""Models by name: loaded when asked for, the least recently used making room."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence

import pytest
from support.fake_engine import FakeEngine, fake_response
from support.service import NOUL, client

from steelyard.errors import DeadlineError, ModelFileError, UnknownModelError
from steelyard.server.config import ServeConfig
from steelyard.server.models import Models, Offer
from steelyard.types.codec import decode_request, encode_response
from steelyard.types.request import Request


class Shelf:
    """Offers of fake engines by name; `loads` records every load, `engines` the newest of each."""

    def __init__(self, *names: str, before_load: Callable[[str], None] = lambda name: None) -> None:
        self.loads: list[str] = []
        self.engines: dict[str, FakeEngine] = {}
        self.before_load = before_load
        self.offers = [Offer(name, lambda name=name: self._load(name)) for name in names]

    def _load(self, name: str) -> FakeEngine:
        self.before_load(name)
        self.loads.append(name)
        self.engines[name] = FakeEngine(name=name)
        return self.engines[name]

    @property
    def loaded(self) -> set[str]:
        return {name for name, engine in self.engines.items() if not engine.closed}


def within(shelf: Shelf, use: Callable[[Models], Awaitable[None]], **config: float) -> None:
    async def run() -> None:
        async with Models(shelf.offers, ServeConfig(**config)) as models:  # type: ignore[arg-type]
            await use(models)

    asyncio.run(run())


async def touch(models: Models, *names: str) -> None:
    for name in names:
        async with models.lend(name) as model:
            assert model.engine.name == name


def test_the_first_is_loaded_at_once_and_the_others_when_asked_for() -> None:
    shelf = Shelf("a", "b")

    async def use(models: Models) -> None:
        assert shelf.loads == ["a"]
        async with models.lend(None) as model:
            assert model.engine.name == "a"
        await touch(models, "b", "a", "b")
        assert shelf.loads == ["a", "b"]

    within(shelf, use, max_loaded=2)
    assert shelf.loaded == set()


def test_the_least_recently_used_makes_room() -> None:
    shelf = Shelf("a", "b", "c")

    async def use(models: Models) -> None:
        await touch(models, "b", "a", "c")
        assert shelf.loaded == {"a", "c"}
        await touch(models, "b")
        assert shelf.loaded == {"b", "c"}

    within(shelf, use, max_loaded=2)
    assert shelf.loads == ["a", "b", "c", "b"]


def test_those_who_ask_together_share_one_load() -> None:
    shelf = Shelf("a", "b")

    async def use(models: Models) -> None:
        await asyncio.gather(*(touch(models, "b") for _ in range(20)))

    within(shelf, use)
    assert shelf.loads == ["a", "b"]


def test_a_model_that_is_lent_stays_until_it_is_back() -> None:
    shelf = Shelf("a", "b")

    async def use(models: Models) -> None:
        async with models.lend("a"):
            asking = asyncio.create_task(touch(models, "b"))
            await asyncio.sleep(0.02)
            assert shelf.loads == ["a"]
            assert not shelf.engines["a"].closed
        await asking
        assert shelf.loaded == {"b"}

    within(shelf, use)


def test_two_models_that_must_share_one_place_both_answer_all() -> None:
    shelf = Shelf("a", "b")
    bodies = [
        {"model": "ab"[n % 2], "state": f"state {n}", "questions": {"q": NOUL}} for n in range(24)
    ]

    async def run() -> None:
        async with client(offers=shelf.offers, max_loaded=1, deadline_s=300) as one:
            calls = [one.post("/v1/systemone", json=body) for body in bodies]
            for body, response in zip(bodies, await asyncio.gather(*calls), strict=True):
                expected = fake_response(decode_request(body), str(body["model"]))
                assert response.json() == encode_response(expected)

    asyncio.run(run())


def test_a_failed_load_is_told_and_tried_again() -> None:
    broken = [True]

    def before_load(name: str) -> None:
        if name == "b" and broken:
            broken.clear()
            raise ModelFileError("cut short")

    shelf = Shelf("a", "b", before_load=before_load)

    async def use(models: Models) -> None:
        with pytest.raises(ModelFileError):
            await touch(models, "b")
        await touch(models, "b")

    within(shelf, use, max_loaded=2)


def test_a_load_that_takes_too_long_goes_on_without_who_asked() -> None:
    gate = threading.Event()
    shelf = Shelf("a", "b", before_load=lambda name: None if name == "a" else _wait(gate))

    async def use(models: Models) -> None:
        with pytest.raises(DeadlineError, match="ask again"):
            await touch(models, "b")
        gate.set()
        while "b" not in models.waiting:
            await asyncio.sleep(0.001)
        await touch(models, "b")

    within(shelf, use, max_loaded=2, deadline_s=0.05)
    assert shelf.loads == ["a", "b"]


def _wait(gate: threading.Event) -> None:
    assert gate.wait(300)


def test_an_unknown_name_is_told_with_those_there_are() -> None:
    models = Models(Shelf("a", "b").offers, ServeConfig())
    with pytest.raises(UnknownModelError, match="'c'; allowed: a, b, jev-latest"):
        models.find("c")
    assert models.find("jev-latest").name == "a"
    assert [entry.name for entry in models.listing()][:3] == ["a", "b", "jev-latest"]


def test_answers_say_which_model_spoke() -> None:
    seen: list[Sequence[Request]] = []
    offers = [
        Offer("a", lambda: FakeEngine(name="a")),
        Offer("b", lambda: FakeEngine(seen.append, "b")),
    ]

    async def run() -> None:
        body = {"state": "x", "questions": {"q": NOUL}}
        async with client(offers=offers) as one:
            for name, expected in (("a", "a"), ("b", "b"), ("jev-latest", "a")):
                response = await one.post("/v1/systemone", json={"model": name, **body})
                assert response.json()["model"] == expected

    asyncio.run(run())
    assert len(seen) == 1
