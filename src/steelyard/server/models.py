"""The models that a server offers: their names, which of them are loaded, and whose turn it is.

A model is loaded when it is first asked for and stays until another needs its place: the one used
least recently makes room, after it has answered what it was asked.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Literal, Protocol

from steelyard.errors import DeadlineError, SteelyardError, UnavailableError, UnknownModelError
from steelyard.server.config import ServeConfig
from steelyard.server.scheduler import Scheduler
from steelyard.server.wire.model_list import ModelEntry
from steelyard.types.answer import Response
from steelyard.types.content import describe
from steelyard.types.request import Request

logger = logging.getLogger(__name__)


class Decider(Protocol):
    """What a server needs of an engine; `steelyard.Engine` is one."""

    @property
    def name(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def warnings(self) -> tuple[str, ...]: ...
    def decide_many(
        self, requests: Sequence[Request], *, return_errors: Literal[True], partition: str
    ) -> list[Response | SteelyardError]: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Offer:
    """A model that can be asked for.

    Attributes:
        load: called in a thread, each time the model is needed and not there.
    """

    name: str
    load: Callable[[], Decider]


@dataclass(slots=True, eq=False)
class Model:
    """A loaded model with its queue.

    Attributes:
        lent: how many calls are using it.
    """

    engine: Decider
    scheduler: Scheduler
    lent: int = 0


class Models:
    """Models by name; the first offer is the one that nobody has to name.

    Entered, it has the first one loaded: `async with Models(offers, config) as models`. Leaving
    answers what waits and closes every engine.

    Args:
        offers: one or more, of different names.
    """

    def __init__(self, offers: Sequence[Offer], config: ServeConfig) -> None:
        assert offers, "a server has a model"
        self._offers = {offer.name: offer for offer in offers}
        assert len(self._offers) == len(offers), "two models of one name"
        self._config = config
        self._aliases = tuple(name for name in config.aliases if name not in self._offers)
        self._since = datetime.now(UTC).date().isoformat()
        self._loaded: OrderedDict[str, Model] = OrderedDict()  # the least recently used first
        self._loading: dict[str, asyncio.Task[None]] = {}
        self._asking: Counter[str] = Counter()  # calls that wait for a model to be there
        self._changing = asyncio.Lock()  # models come and go one at a time
        self._returned = asyncio.Event()
        self._open = False

    async def __aenter__(self) -> Models:
        self._open = True
        await self._load(next(iter(self._offers.values())))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._open = False
        await asyncio.gather(*self._loading.values(), return_exceptions=True)
        await asyncio.gather(*(self._let_go(name) for name in list(self._loaded)))

    def find(self, name: str | None) -> Offer:
        """What is offered under that name or alias.

        Raises:
            UnknownModelError: nothing; the message says what there is.
        """
        if name is not None and name in self._offers:
            return self._offers[name]
        if name is None or name in self._aliases:
            return next(iter(self._offers.values()))
        allowed = ", ".join((*self._offers, *self._aliases))
        raise UnknownModelError(f"{describe(name)}; allowed: {allowed}", field="model")

    @asynccontextmanager
    async def lend(self, name: str | None) -> AsyncIterator[Model]:
        """The model of that name or alias, loaded; it stays so while it is lent.

        Raises:
            UnknownModelError: there is none. UnavailableError: the server is shutting down.
            DeadlineError: it was not there in time; it is still being loaded.
            SteelyardError: it cannot be loaded.
        """
        model = await self._ready(self.find(name))
        model.lent += 1
        try:
            yield model
        finally:
            model.lent -= 1
            self._returned.set()

    def listing(self) -> list[ModelEntry]:
        first = next(iter(self._offers))
        return [
            *(ModelEntry(name, self._describe(name), self._since) for name in self._offers),
            *(ModelEntry(name, f"alias of {first}", self._since) for name in self._aliases),
        ]

    @property
    def are_open(self) -> bool:
        """Whether calls are taken, and every loaded model's queue is alive."""
        return self._open and all(model.scheduler.is_open for model in self._loaded.values())

    @property
    def waiting(self) -> Mapping[str, int]:
        """How many requests wait, by loaded model."""
        return {name: model.scheduler.num_waiting for name, model in self._loaded.items()}

    @property
    def warnings(self) -> Mapping[str, tuple[str, ...]]:
        """What users of the loaded models should be told."""
        return {name: model.engine.warnings for name, model in self._loaded.items()}

    def _describe(self, name: str) -> str:
        if name not in self._loaded:
            return "local model, loaded when it is asked for"
        return "; ".join(("local model", *self._loaded[name].engine.warnings))

    async def _ready(self, offer: Offer) -> Model:
        self._asking[offer.name] += 1
        try:
            async with asyncio.timeout(self._config.deadline_s):
                while offer.name not in self._loaded:
                    if not self._open:
                        raise UnavailableError("the server is shutting down")
                    if offer.name not in self._loading:
                        self._loading[offer.name] = asyncio.create_task(self._load(offer))
                    # Shielded: others wait for it, and who asks again will find it.
                    await asyncio.shield(self._loading[offer.name])
        except TimeoutError:
            raise DeadlineError(
                f"the model was not loaded within {self._config.deadline_s:g} s; ask again"
            ) from None
        finally:
            self._asking[offer.name] -= 1
        self._loaded.move_to_end(offer.name)
        return self._loaded[offer.name]

    async def _load(self, offer: Offer) -> None:
        begin = time.perf_counter()
        try:
            async with self._changing:
                while len(self._loaded) >= self._config.max_loaded:
                    await self._make_room()
                engine = await asyncio.to_thread(offer.load)
                scheduler = Scheduler(
                    partial(_decide, engine),
                    window_s=self._config.window_ms / 1000,
                    batch_tokens=self._config.batch_tokens,
                    max_queue=self._config.max_queue,
                    deadline_s=self._config.deadline_s,
                )
                self._loaded[offer.name] = Model(engine, await scheduler.__aenter__())
        finally:
            self._loading.pop(offer.name, None)
        for warning in engine.warnings:
            logger.warning("event=model_warning name=%r text=%r", offer.name, warning)
        logger.info("event=loaded name=%r s=%.1f", offer.name, time.perf_counter() - begin)

    async def _make_room(self) -> None:
        """Let the least recently used model go, rather an idle one; a busy one answers first."""
        # One that calls have waited for, and that they are about to take, was not loaded in vain.
        taken = [name for name in self._loaded if not self._asking[name]]
        if not taken:
            await asyncio.sleep(0)  # they take it now
            return
        await self._let_go(min(taken, key=lambda name: self._loaded[name].lent > 0))

    async def _let_go(self, name: str) -> None:
        model = self._loaded.pop(name)  # first: nobody is to find it while it drains
        while model.lent:
            self._returned.clear()
            await self._returned.wait()
        await model.scheduler.__aexit__(None, None, None)
        model.engine.close()
        logger.info("event=let_go name=%r", name)


def _decide(
    engine: Decider, requests: Sequence[Request], partition: str
) -> list[Response | SteelyardError]:
    return engine.decide_many(requests, return_errors=True, partition=partition)
