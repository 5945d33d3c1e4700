"""The OpenAPI document says what the server does."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.service import GOOD, NOUL, PATHS, asked

from benchmarks.schema import check
from steelyard.server.wire.errors import STATUSES


def document() -> Any:
    [response] = asked(lambda one: one.get("/openapi.json"))
    return response.json()


def validator(schema: Any, whole: Any) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": whole["components"]})


@pytest.mark.parametrize("path", PATHS)
def test_the_document_describes_requests_replies_and_errors(path: str) -> None:
    whole, answered, refused = asked(
        lambda one: one.get("/openapi.json"),
        lambda one: one.post(path, json=GOOD[path]),
        lambda one: one.post(path, json={}),
    )
    said = whole.json()["paths"][path]["post"]
    asks = validator(said["requestBody"]["content"]["application/json"]["schema"], whole.json())
    asks.validate(GOOD[path])
    assert not asks.is_valid({})
    for response in (answered, refused):
        told = said["responses"][str(response.status_code)]
        validator(told["content"]["application/json"]["schema"], whole.json()).validate(
            response.json()
        )
        assert set(told["headers"]) - {"retry-after"} <= set(response.headers)


def test_every_status_of_an_error_is_in_the_document() -> None:
    paths = document()["paths"]
    columns = {"/v1/systemone": "system_one", "/v1/decisions": "openai"}
    for path, column in columns.items():
        known = set(paths[path]["post"]["responses"])
        assert {str(getattr(row, column)) for row in STATUSES.values()} <= known


@pytest.mark.parametrize(
    "question",
    [
        {"type": "noul"},
        {"type": "noul", "criteria": {"true": None}},
        {"type": "noul", "instructions": "x", "criteria": {"maybe": "x"}},
        {"type": "choice", "criteria": {}},
        {"type": "choice", "criteria": {" ": None}},
        {"type": "choice", "criteria": dict.fromkeys(map(str, range(256)))},
        {"type": "score", "criteria": ["x"] * 11},
        {"type": "score", "criteria": [None]},
        {"type": "box", "instructions": "x"},
        {**NOUL, "weight": 1},
    ],
)
def test_what_a_schema_can_refuse_the_codec_refuses(question: Any) -> None:
    body = {"state": "x", "questions": {"q": question}}
    [response] = asked(lambda one: one.post("/v1/systemone", json=body))
    whole = document()
    assert 400 <= response.status_code < 500
    assert not validator({"$ref": "#/components/schemas/SystemOneRequest"}, whole).is_valid(body)


def test_schemathesis_finds_nothing() -> None:
    code, said, tracebacks = check(examples=4, seed=1, phases="fuzzing")
    assert code == 0, said
    assert tracebacks == 0
