"""Typed decisions with probabilities, read off a language model in one forward pass.

    import steelyard

    engine = steelyard.load("mini")
    response = engine.decide("I was charged twice.", {"refund": steelyard.Noul("Refund wanted?")})

Questions, answers and errors are here at once; the engine, which needs numpy and a runtime, and the
clients, which need httpx, are loaded when they are first asked for.
"""

from typing import TYPE_CHECKING

from steelyard.__about__ import __version__
from steelyard.errors import (
    AuthenticationError,
    BodyError,
    BodyTooLargeError,
    CapabilityError,
    DeadlineError,
    DivergedError,
    DownloadError,
    InputFileError,
    InvalidJsonError,
    MediaTypeError,
    MissingExtraError,
    ModelError,
    ModelFileError,
    OutputError,
    OverloadedError,
    RateLimitError,
    RequestError,
    ServiceError,
    ShapeError,
    SlowBodyError,
    SteelyardError,
    TooFewRowsError,
    TooLongError,
    TooManyOptionsError,
    UnavailableError,
    UnknownModelError,
    UnsupportedModelError,
)
from steelyard.types.answer import (
    Answer,
    Audit,
    Basis,
    ChoiceAnswer,
    NoulAnswer,
    Response,
    ScoreAnswer,
    Timings,
    Usage,
    Verdict,
)
from steelyard.types.question import Choice, Noul, Question, Score
from steelyard.types.request import Request

if TYPE_CHECKING:
    from steelyard.client import AsyncClient, Client
    from steelyard.engine.engine import Engine
    from steelyard.engine.load import load
else:
    _LATER = {
        "AsyncClient": "steelyard.client",
        "Client": "steelyard.client",
        "Engine": "steelyard.engine.engine",
        "load": "steelyard.engine.load",
    }

    def __getattr__(name):
        from importlib import import_module

        if name not in _LATER:
            raise AttributeError(f"module 'steelyard' has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_LATER[name]), name)
        return value

    def __dir__():
        return sorted({*globals(), *_LATER})


__all__ = [
    "Answer",
    "AsyncClient",
    "Audit",
    "AuthenticationError",
    "Basis",
    "BodyError",
    "BodyTooLargeError",
    "CapabilityError",
    "Choice",
    "ChoiceAnswer",
    "Client",
    "DeadlineError",
    "DivergedError",
    "DownloadError",
    "Engine",
    "InputFileError",
    "InvalidJsonError",
    "MediaTypeError",
    "MissingExtraError",
    "ModelError",
    "ModelFileError",
    "Noul",
    "NoulAnswer",
    "OutputError",
    "OverloadedError",
    "Question",
    "RateLimitError",
    "Request",
    "RequestError",
    "Response",
    "Score",
    "ScoreAnswer",
    "ServiceError",
    "ShapeError",
    "SlowBodyError",
    "SteelyardError",
    "Timings",
    "TooFewRowsError",
    "TooLongError",
    "TooManyOptionsError",
    "UnavailableError",
    "UnknownModelError",
    "UnsupportedModelError",
    "Usage",
    "Verdict",
    "__version__",
    "load",
]
