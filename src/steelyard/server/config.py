"""What a server is told when it starts."""

from __future__ import annotations

import math
from dataclasses import dataclass

from steelyard.errors import RequestError
from steelyard.server.wire.system_one import MAX_DIGITS

ALIASES = ("jev-latest", "jev-preview", "typesafe/jev-latest", "gpt-6-luna")
"""Names that clients of the services we stand in for send by default. Answers carry the own name of
the model that spoke."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeConfig:
    """Limits and manners of a server.

    Raises:
        RequestError: a value outside what is allowed.
    """

    window_ms: float = 1.0
    """How long a request that finds the engine idle waits for company, 0 to 1000."""

    batch_tokens: int = 8192
    """Estimated tokens computed together; a longer request is computed alone."""

    max_loaded: int = 1
    """Models held in memory at once; the one used least recently makes room."""

    max_queue: int = 256
    """Requests that may wait for one model; one more is refused at once."""

    deadline_s: float = 30.0
    """From a request's arrival in the queue to its answer; then it is given up. Before that, a call
    may wait as long for its model to be loaded."""

    max_body_bytes: int = 8 * 2**20
    """Of a body as sent, and of what it decompresses to."""

    body_s: float = 10.0
    """How long the head of a request may take to arrive, and how long its body."""

    extras: bool = False
    """Whether replies carry `x_` fields unless the request says otherwise."""

    digits: int | None = None
    """Decimals of the numbers unless the request says otherwise; None gives full floats."""

    audit_requests: bool = False
    """Whether audit records hold the whole request, and not its digest only."""

    aliases: tuple[str, ...] = ALIASES
    """Names that stand for the first model."""

    def __post_init__(self) -> None:
        _check("window_ms", self.window_ms, 0, 1000)
        _check("batch_tokens", self.batch_tokens, 1, math.inf)
        _check("max_loaded", self.max_loaded, 1, math.inf)
        _check("max_queue", self.max_queue, 1, math.inf)
        _check("deadline_s", self.deadline_s, 0.001, 86_400)
        _check("max_body_bytes", self.max_body_bytes, 1, math.inf)
        _check("body_s", self.body_s, 0.001, 86_400)
        if self.digits is not None:
            _check("digits", self.digits, 0, MAX_DIGITS)


def _check(field: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        allowed = f"{least} or more" if math.isinf(most) else f"{least} to {most}"
        raise RequestError(f"{value}; allowed: {allowed}", field=field)
