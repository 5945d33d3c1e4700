"""The JSON of the wire formats as JSON Schema, for the OpenAPI document.

The codecs decide what is accepted; these say it to others, and a test holds them to each other.
What a schema cannot say stays with the codecs: nesting, tokens, values that must differ or refer to
another.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from steelyard.server.wire.openai import (
    MAX_CHOICES,
    MAX_QUESTIONS,
    MIN_CHOICES,
    MIN_LEVELS,
)
from steelyard.server.wire.openai import MAX_LEVELS as MAX_DECISION_LEVELS
from steelyard.server.wire.system_one import MAX_DIGITS
from steelyard.server.wire.system_one_batch import MAX_STATES
from steelyard.types.codec import MAX_OPTIONS
from steelyard.types.question import MAX_LEVELS

Schema: TypeAlias = dict[str, Any]


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(required: Schema, optional: Schema | None = None, *, closed: bool = False) -> Schema:
    schema: Schema = {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
    }
    return {**schema, "additionalProperties": False} if closed else schema


def _one_of(kinds: Schema) -> Schema:
    """Exactly one of the schemas of these names, told apart by `type`."""
    mapping = {kind: ref(name)["$ref"] for kind, name in kinds.items()}
    return {
        "oneOf": [ref(name) for name in kinds.values()],
        "discriminator": {"propertyName": "type", "mapping": mapping},
    }


def _const(value: str) -> Schema:
    return {"type": "string", "enum": [value]}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


_TEXT: Schema = {"type": "string", "pattern": r"\S"}  # not blank
_NAME: Schema = {"type": "string", "minLength": 1}
_P: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_INSTRUCTIONS: Schema = _or_null(ref("Content"))

_SYSTEM_ONE_OPTIONS: Schema = {
    "model": {"type": ["string", "null"], "minLength": 1},
    "assets": {"type": ["object", "null"], "maxProperties": 0},
    "x_extras": {"type": "boolean"},
    "x_digits": {"type": ["integer", "null"], "minimum": 0, "maximum": MAX_DIGITS},
}

_CONTENT: Schema = {
    "description": "text, or JSON that stands for text",
    "anyOf": [
        _TEXT,
        {"type": "object", "minProperties": 1},
        {"type": "array", "minItems": 1},
    ],
}

_NOUL = _object({"type": _const("noul")}, closed=True)
_NOUL["properties"] |= {
    "instructions": _INSTRUCTIONS,
    "criteria": _or_null(_object({}, {"true": _INSTRUCTIONS, "false": _INSTRUCTIONS}, closed=True)),
}
_NOUL["anyOf"] = [  # something to judge by
    {"required": ["instructions"], "properties": {"instructions": ref("Content")}},
    *(
        {
            "required": ["criteria"],
            "properties": {
                "criteria": {
                    "type": "object",
                    "required": [outcome],
                    "properties": {outcome: ref("Content")},
                }
            },
        }
        for outcome in ("true", "false")
    ),
]

QUESTIONS: Schema = {
    "Content": _CONTENT,
    "Noul": _NOUL,
    "Choice": _object(
        {
            "type": _const("choice"),
            "criteria": {
                "type": "object",
                "description": "label -> description, or null",
                "minProperties": 1,
                "maxProperties": MAX_OPTIONS,
                "propertyNames": _TEXT,
                "additionalProperties": _INSTRUCTIONS,
            },
        },
        {"instructions": _INSTRUCTIONS},
        closed=True,
    ),
    "Score": _object(
        {
            "type": _const("score"),
            "criteria": {
                "type": "array",
                "description": "levels, low to high",
                "minItems": 1,
                "maxItems": MAX_LEVELS,
                "items": ref("Content"),
            },
        },
        {"instructions": _INSTRUCTIONS},
        closed=True,
    ),
    "Questions": {
        "type": "object",
        "minProperties": 1,
        "propertyNames": _NAME,
        "additionalProperties": _one_of({"noul": "Noul", "choice": "Choice", "score": "Score"}),
    },
}

_PART: Schema = _object({"type": _const("input_text"), "text": _TEXT})
_PART_JSON: Schema = _object(
    {
        "type": _const("input_json"),
        "data": {
            "anyOf": [
                {"type": "object", "minProperties": 1},
                {"type": "array", "minItems": 1},
            ]
        },
    }
)
_PARTS: Schema = {
    "anyOf": [_TEXT, {"type": "array", "minItems": 1, "items": {"anyOf": [_PART, _PART_JSON]}}]
}


def _spoken(roles: list[str], parts: list[Schema]) -> Schema:
    content = {"anyOf": [_TEXT, {"type": "array", "minItems": 1, "items": {"anyOf": parts}}]}
    role = {"type": "string", "enum": roles}
    return _object({"role": role, "content": content}, {"type": _const("message")})


_SAID: list[Schema] = [
    _object({"type": _const("output_text"), "text": _TEXT}),
    _object({"type": _const("refusal"), "refusal": _TEXT}),
]
_TEXTS: Schema = {"anyOf": [_TEXT, {"type": "array", "minItems": 1, "items": _PART}]}
_ITEMS: list[Schema] = [
    _spoken(["user"], [_PART, _PART_JSON]),
    _spoken(["developer", "system"], [_PART]),
    _spoken(["assistant"], _SAID),
    *(
        _object(
            {
                "type": _const(kind),
                "call_id": _NAME,
                "name": _NAME,
                said: {"type": "string"},
            }
        )
        for kind, said in (("function_call", "arguments"), ("custom_tool_call", "input"))
    ),
    *(
        _object({"type": _const(f"{kind}_output"), "call_id": _NAME, "output": _TEXTS})
        for kind in ("function_call", "custom_tool_call")
    ),
]

DECISION_QUESTIONS: Schema = {
    "Predicate": _object(
        {"type": _const("predicate"), "instructions": _PARTS},
        {"name": {"type": ["string", "null"]}},
        closed=True,
    ),
    "DecisionChoice": _object(
        {
            "type": _const("choice"),
            "instructions": _PARTS,
            "choices": {
                "type": "array",
                "minItems": MIN_CHOICES,
                "maxItems": MAX_CHOICES,
                "items": _object(
                    {"value": {"anyOf": [_TEXT, {"type": "boolean"}]}},
                    {"description": _or_null(_TEXT)},
                ),
            },
        },
        {"name": {"type": ["string", "null"]}},
        closed=True,
    ),
    "DecisionScore": _object(
        {
            "type": _const("score"),
            "instructions": _PARTS,
            "levels": {
                "type": "array",
                "minItems": MIN_LEVELS,
                "maxItems": MAX_DECISION_LEVELS,
                "items": _object({"label": _TEXT}, {"description": _or_null(_TEXT)}),
            },
        },
        {"name": {"type": ["string", "null"]}},
        closed=True,
    ),
}

REQUESTS: Schema = {
    "SystemOneRequest": _object(
        {"state": ref("Content"), "questions": ref("Questions")}, _SYSTEM_ONE_OPTIONS
    ),
    "BatchRequest": _object(
        {
            "states": {
                "type": "array",
                "minItems": 1,
                "maxItems": MAX_STATES,
                "items": ref("Content"),
            },
            "questions": ref("Questions"),
        },
        _SYSTEM_ONE_OPTIONS,
    ),
    "DecisionsRequest": _object(
        {
            "input": {
                "anyOf": [_TEXT, {"type": "array", "minItems": 1, "items": {"anyOf": _ITEMS}}]
            },
            "questions": {
                "type": "array",
                "minItems": 1,
                "maxItems": MAX_QUESTIONS,
                "items": _one_of(
                    {
                        "predicate": "Predicate",
                        "choice": "DecisionChoice",
                        "score": "DecisionScore",
                    }
                ),
            },
        },
        {"model": {"type": ["string", "null"], "minLength": 1}},
    ),
    "OpenRouterRequest": _object(
        {"state": ref("Content"), "questions": ref("Questions")},
        {name: _SYSTEM_ONE_OPTIONS[name] for name in ("model", "assets")},
    ),
}

_DISTRIBUTION: Schema = {"type": "object", "additionalProperties": _P}
_VALUES: Schema = {
    "type": "array",
    "items": _object(
        {"value": {"type": ["string", "boolean", "integer"]}, "probability": _P},
        {"label": {"type": "string"}},
    ),
}
_NAMED: Schema = {"name": {"type": ["string", "null"]}}

REPLIES: Schema = {
    "Usage": _object({"input_tokens": _COUNT, "output_tokens": _COUNT}),
    "NoulAnswer": _object({"type": _const("noul"), "noul": _P}),
    "ChoiceAnswer": _object(
        {
            "type": _const("choice"),
            "choice": {"type": "string"},
            "confidence": _P,
            "probabilities": _DISTRIBUTION,
        }
    ),
    "ScoreAnswer": _object(
        {
            "type": _const("score"),
            "score": {"type": "number", "minimum": 0},
            "confidence": _P,
            "legend": {"type": "object"},
            "probabilities": _DISTRIBUTION,
        }
    ),
    "SystemOneReply": _object(
        {
            "model": {"type": "string"},
            "answers": {
                "type": "object",
                "additionalProperties": _one_of(
                    {"noul": "NoulAnswer", "choice": "ChoiceAnswer", "score": "ScoreAnswer"}
                ),
            },
            "usage": ref("Usage"),
        }
    ),
    "BatchReply": _object(
        {
            "results": {"type": "array", "items": ref("SystemOneReply")},
            "total_usage": ref("Usage"),
        }
    ),
    "DecisionsReply": _object(
        {
            "model": {"type": "string"},
            "answers": {
                "type": "array",
                "items": {
                    "oneOf": [
                        _object({"type": _const("predicate"), "probability": _P, **_NAMED}),
                        _object(
                            {
                                "type": _const("choice"),
                                "choice": {"type": ["string", "boolean"]},
                                "confidence": _P,
                                "probabilities": _VALUES,
                                **_NAMED,
                            }
                        ),
                        _object(
                            {
                                "type": _const("score"),
                                "score": {"type": "number", "minimum": 0},
                                "confidence": _P,
                                "probabilities": _VALUES,
                                **_NAMED,
                            }
                        ),
                    ]
                },
            },
            "usage": ref("Usage"),
        }
    ),
}

_MESSAGE: Schema = {"type": "string"}
ERRORS: Schema = {
    "SystemOneError": _object(
        {
            "detail": {
                "anyOf": [
                    _MESSAGE,
                    _object({"error_type": {"type": "string"}, "message": _MESSAGE}),
                    {
                        "type": "array",
                        "items": _object(
                            {
                                "loc": {"type": "array", "items": {"type": ["string", "integer"]}},
                                "msg": _MESSAGE,
                                "type": {"type": "string"},
                            }
                        ),
                    },
                ]
            }
        }
    ),
    "DecisionsError": _object(
        {
            "error": _object(
                {
                    "message": _MESSAGE,
                    "type": {"type": "string"},
                    "param": {"type": ["string", "null"]},
                    "code": {"type": "string"},
                }
            )
        }
    ),
    "OpenRouterError": _object({"error": _object({"code": _COUNT, "message": _MESSAGE})}),
}

SCHEMAS: Schema = QUESTIONS | DECISION_QUESTIONS | REQUESTS | REPLIES | ERRORS
"""Every schema by the name that `ref` refers to."""
