"""Typed decisions with probabilities, read off a language model in one forward pass.

    import steelyard

    engine = steelyard.load("mini")
    response = engine.decide("I was charged twice.", {"refund": steelyard.Noul("Refund wanted?")})

Questions, answers and errors are here at once; the engine, which needs numpy and a runtime, is
loaded when it is first asked for.
"""

from typing import TYPE_CHECKING

from steelyard.__about__ import __version__
from steelyard.errors import (
    CapabilityError,
    DivergedError,
    DownloadError,
    InputFileError,
    MissingExtraError,
    ModelError,
    ModelFileError,
    OutputError,
    RequestError,
    ShapeError,
    SteelyardError,
    TooFewRowsError,
    TooLongError,
    TooManyOptionsError,
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
    from steelyard.engine.engine import Engine
    from steelyard.engine.load import load
else:
    _LATER = {"Engine": "steelyard.engine.engine", "load": "steelyard.engine.load"}

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
    "Audit",
    "Basis",
    "CapabilityError",
    "Choice",
    "ChoiceAnswer",
    "DivergedError",
    "DownloadError",
    "Engine",
    "InputFileError",
    "MissingExtraError",
    "ModelError",
    "ModelFileError",
    "Noul",
    "NoulAnswer",
    "OutputError",
    "Question",
    "Request",
    "RequestError",
    "Response",
    "Score",
    "ScoreAnswer",
    "ShapeError",
    "SteelyardError",
    "Timings",
    "TooFewRowsError",
    "TooLongError",
    "TooManyOptionsError",
    "UnknownModelError",
    "UnsupportedModelError",
    "Usage",
    "Verdict",
    "__version__",
    "load",
]
