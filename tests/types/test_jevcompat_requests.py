"""Every request that the conformance suite jevcompat 0.1.1 (MIT) sends, and what must become of it.

Accepted ones are those it expects an answer to; rejected ones those it wants a 4xx for. Where it
takes either (out-of-range requests), the list says what we do.
"""

import json

import pytest

from steelyard.errors import RequestError, TooManyOptionsError
from steelyard.types import dumps, encode_request, loads_request

TICKET = (
    "Hi, I was charged twice for my March invoice (order #4471) and the refund I was promised "
    "last week still hasn't arrived."
)
NOUL = {"type": "noul", "instructions": "Is the customer asking for money back?"}
CHOICE = {
    "type": "choice",
    "instructions": "Which team should handle this ticket?",
    "criteria": {"Billing": "Payments, invoices", "Technical": "Bugs", "Sales": "Pricing"},
}
SCORE = {
    "type": "score",
    "instructions": "How frustrated is the customer?",
    "criteria": ["Calm", "Frustrated", "Very angry"],
}


def request(questions, **changes):
    return {"model": "jev-latest", "state": TICKET, "questions": questions} | changes


def queues(n):
    described = {f"Queue {i:03d}": f"Tickets routed to queue {i}" for i in range(1, n)}
    return {"type": "choice", "instructions": "Which?", "criteria": {"Billing": None} | described}


def levels(n):
    return {"type": "score", "instructions": "How angry?", "criteria": [f"L {i}" for i in range(n)]}


ACCEPTED = {
    "noul-basic": request({"refund": NOUL}),
    "noul-criteria:both": request({"r": NOUL | {"criteria": {"true": "Yes", "false": "No"}}}),
    "noul-criteria:true-only": request({"r": NOUL | {"criteria": {"true": "They want a refund"}}}),
    "noul-criteria:false-only": request({"r": NOUL | {"criteria": {"false": "Only asking"}}}),
    "noul-criteria:null": request({"r": NOUL | {"criteria": None}}),
    "noul-no-instructions": request(
        {"threat": {"type": "noul", "criteria": {"true": "A threat", "false": "No threat"}}}
    ),
    "choice-basic": request({"team": CHOICE}),
    "choice-null-description": request(
        {"team": CHOICE | {"criteria": {"Billing": None, "Technical": None, "Sales": None}}}
    ),
    **{f"choice-options:{n}": request({"queue": queues(n)}) for n in (2, 26, 64, 128, 255)},
    **{f"score-levels:{n}": request({"anger": levels(n)}) for n in (2, 3, 5, 10)},
    "state-types:object": request(
        {"refund": NOUL}, state={"subject": "Twice", "customer": {"plan": "pro", "tickets": 3}}
    ),
    "state-types:array": request({"refund": NOUL}, state=["Charged twice.", "No refund."]),
    "structured-text:noul": request(
        {
            "q": {
                "type": "noul",
                "instructions": {"task": "Decide", "include": ["refunds", "chargebacks"]},
                "criteria": {"true": {"examples": ["refund me"]}, "false": ["questions"]},
            }
        }
    ),
    "structured-text:choice": request(
        {
            "q": {
                "type": "choice",
                "instructions": ["Route the ticket.", "Pick exactly one team."],
                "criteria": {"Billing": {"owns": ["refunds"]}, "Technical": ["bugs"], "Sales": "P"},
            }
        }
    ),
    "structured-text:score": request(
        {
            "q": {
                "type": "score",
                "instructions": {"scale": "frustration"},
                "criteria": [{"label": "Calm"}, {"label": "Angry", "signals": ["threats"]}],
            }
        }
    ),
    "multi-question": request({"refund": NOUL, "team": CHOICE, "anger": SCORE}),
    **{
        f"question-ids:{name}": request({name: NOUL})
        for name in ("ticket-1", "q.2", "with space", "질문", "🎯", "zz-renamed.1", "Q 🙂", "x_y_z")
    },
    "unicode": request(
        {
            "kind": {
                "type": "choice",
                "instructions": "이 문의는 어떤 유형인가요?",
                "criteria": {
                    "환불 요청": "돈을 돌려받기를 원함",
                    "배송 문의": "배송",
                    "🙂 기타": "그 외",
                },
            }
        },
        state="배송이 3일째 안 와요. 그냥 환불해 주세요 😡",
    ),
    "unknown-fields": request({"refund": NOUL}, x_trace_id="jevcompat", seed=7),
    "semantics nonce": request({"refund": NOUL}, x_nonce="00ff"),
    # jevcompat takes an answer or a 4xx for these two; one option or level is a certain answer
    "out-of-range:choice-1": request({"team": CHOICE | {"criteria": {"Billing": None}}}),
    "out-of-range:score-1": request({"anger": levels(1)}),
}

WITHOUT_STATE = {"model": "jev-latest", "questions": {"refund": NOUL}}
REJECTED = {
    "missing-state": (WITHOUT_STATE, "state"),
    "missing-questions": ({"model": "jev-latest", "state": TICKET}, "questions"),
    "empty-questions": (request({}), "questions"),
    "missing-type": (request({"refund": {"instructions": "Refund?"}}), "questions.refund.type"),
    "type-boolean": (
        request({"refund": {"type": "boolean", "instructions": "Refund?"}}),
        "questions.refund.type",
    ),
    "choice-no-options": (
        request({"team": {"type": "choice", "instructions": "Team?", "criteria": {}}}),
        "questions.team.criteria",
    ),
    "score-map": (
        request({"anger": SCORE | {"criteria": {"0": "Calm", "1": "Angry"}}}),
        "questions.anger.criteria",
    ),
    "out-of-range:choice-256": (request({"queue": queues(256)}), "questions.queue.criteria"),
    "out-of-range:score-11": (request({"anger": levels(11)}), "questions.anger.criteria"),
    "out-of-range:score-null-level": (
        request({"anger": SCORE | {"criteria": ["Calm", None]}}),
        "questions.anger.criteria.1",
    ),
    "out-of-range:state-null": (request({"refund": NOUL}, state=None), "state"),
}


@pytest.mark.parametrize("body", ACCEPTED.values(), ids=ACCEPTED)
def test_a_conformant_server_accepts(body):
    again = encode_request(loads_request(json.dumps(body)))
    questions = {
        name: {key: value for key, value in question.items() if value is not None}
        for name, question in body["questions"].items()
    }
    assert json.loads(dumps(again)) == {key: body[key] for key in ("model", "state")} | {
        "questions": questions
    }


@pytest.mark.parametrize(("body", "field"), REJECTED.values(), ids=REJECTED)
def test_a_conformant_server_rejects(body, field):
    with pytest.raises(RequestError) as caught:
        loads_request(json.dumps(body))
    assert caught.value.field == field


def test_text_that_ends_early_is_rejected():
    with pytest.raises(RequestError, match="not JSON"):
        loads_request(b'{"model": "jev-latest", "state": "x", "questions": {')


def test_out_of_range_counts_have_their_own_error():
    for name in ("out-of-range:choice-256", "out-of-range:score-11"):
        with pytest.raises(TooManyOptionsError):
            loads_request(json.dumps(REJECTED[name][0]))
