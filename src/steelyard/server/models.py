"""The models that a server offers, each with its queue, and the names they are asked for by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Literal, Protocol

from steelyard.errors import SteelyardError, UnknownModelError
from steelyard.server.config import ServeConfig
from steelyard.server.scheduler import Scheduler
from steelyard.server.wire.model_list import ModelEntry
from steelyard.types.answer import Response
from steelyard.types.content import describe
from steelyard.types.request import Request


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


@dataclass(frozen=True, slots=True)
class Model:
    """An engine with its queue.

    Attributes:
        since: the day it was loaded, YYYY-MM-DD.
    """

    engine: Decider
    scheduler: Scheduler
    since: str


class Models:
    """Models by name; the first is the one that nobody has to name.

    Args:
        engines: one or more, of different names.
    """

    def __init__(self, engines: Sequence[Decider], config: ServeConfig) -> None:
        assert engines, "a server has a model"
        today = datetime.now(UTC).date().isoformat()
        self._models = {
            engine.name: Model(engine, _scheduler(engine, config), today) for engine in engines
        }
        assert len(self._models) == len(engines), "two models of one name"
        self._aliases = tuple(name for name in config.aliases if name not in self._models)

    def find(self, name: str | None) -> Model:
        """The model of that name or alias.

        Raises:
            UnknownModelError: there is none; the message says which there are.
        """
        if name is not None and name in self._models:
            return self._models[name]
        if name is None or name in self._aliases:
            return next(iter(self._models.values()))
        allowed = ", ".join((*self._models, *self._aliases))
        raise UnknownModelError(f"{describe(name)}; allowed: {allowed}", field="model")

    def listing(self) -> list[ModelEntry]:
        first = next(iter(self._models))
        return [
            *(
                ModelEntry(name, "; ".join(("local model", *model.engine.warnings)), model.since)
                for name, model in self._models.items()
            ),
            *(
                ModelEntry(name, f"alias of {first}", self._models[first].since)
                for name in self._aliases
            ),
        ]

    @property
    def are_open(self) -> bool:
        return all(model.scheduler.is_open for model in self._models.values())

    @property
    def waiting(self) -> Mapping[str, int]:
        """How many requests wait, by model."""
        return {name: model.scheduler.num_waiting for name, model in self._models.items()}

    async def start(self, until: AsyncExitStack) -> None:
        """Open every queue; `until` drains them."""
        for model in self._models.values():
            await until.enter_async_context(model.scheduler)


def _scheduler(engine: Decider, config: ServeConfig) -> Scheduler:
    return Scheduler(
        partial(_decide, engine),
        window_s=config.window_ms / 1000,
        batch_tokens=config.batch_tokens,
        max_queue=config.max_queue,
        deadline_s=config.deadline_s,
    )


def _decide(
    engine: Decider, requests: Sequence[Request], partition: str
) -> list[Response | SteelyardError]:
    return engine.decide_many(requests, return_errors=True, partition=partition)
