"""Questions, requests and answers as frozen values, and their one strict JSON form."""

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
from steelyard.types.codec import (
    decode_question,
    decode_request,
    dumps,
    encode_question,
    encode_request,
    encode_response,
    loads,
    loads_request,
)
from steelyard.types.confidence import choice_confidence, score_confidence
from steelyard.types.content import Content, Json
from steelyard.types.example import Example, among, decode_example, encode_example, num_options
from steelyard.types.question import Choice, Kind, Noul, Question, Score, kind_of
from steelyard.types.request import Request

__all__ = [
    "Answer",
    "Audit",
    "Basis",
    "Choice",
    "ChoiceAnswer",
    "Content",
    "Example",
    "Json",
    "Kind",
    "Noul",
    "NoulAnswer",
    "Question",
    "Request",
    "Response",
    "Score",
    "ScoreAnswer",
    "Timings",
    "Usage",
    "Verdict",
    "among",
    "choice_confidence",
    "decode_example",
    "decode_question",
    "decode_request",
    "dumps",
    "encode_example",
    "encode_question",
    "encode_request",
    "encode_response",
    "kind_of",
    "loads",
    "loads_request",
    "num_options",
    "score_confidence",
]
