"""The wire codec: what a request may be, where an error points, what a response looks like."""

import json
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import RequestError, TooManyOptionsError
from steelyard.types import (
    Audit,
    Basis,
    Choice,
    ChoiceAnswer,
    Noul,
    NoulAnswer,
    Request,
    Response,
    Score,
    ScoreAnswer,
    Timings,
    Usage,
    Verdict,
    decode_question,
    decode_request,
    dumps,
    encode_question,
    encode_request,
    encode_response,
    loads,
    loads_request,
)

NOUL = {"type": "noul", "instructions": "Is a refund asked for?"}


def body(**changes):
    return {"model": "jev-latest", "state": "Refund me.", "questions": {"q": NOUL}} | changes


def asking(**question):
    return body(questions={"q": question})


def refusal(call, *args, **kwargs):
    with pytest.raises(RequestError) as caught:
        call(*args, **kwargs)
    return caught.value


# -- requests ---------------------------------------------------------------------------------


def test_a_request_decodes_to_its_values():
    request = decode_request(
        body(
            questions={
                "refund": NOUL,
                "team": {"type": "choice", "criteria": {"billing": "Money", "sales": None}},
                "anger": {
                    "type": "score",
                    "instructions": ["How", "angry?"],
                    "criteria": ["a", "b"],
                },
            }
        )
    )
    assert request == Request(
        "Refund me.",
        {
            "refund": Noul("Is a refund asked for?"),
            "team": Choice(None, {"billing": "Money", "sales": None}),
            "anger": Score(["How", "angry?"], ["a", "b"]),
        },
        model="jev-latest",
    )
    assert list(request.questions) == ["refund", "team", "anger"]
    assert list(request.questions["team"].criteria) == ["billing", "sales"]


@pytest.mark.parametrize("model", [{}, {"model": None}])
def test_the_model_may_be_left_out(model):
    assert decode_request({"state": "x", "questions": {"q": NOUL}} | model).model is None


def test_unknown_top_level_fields_are_ignored():
    assert decode_request(body(seed=7, x_trace_id="t")) == decode_request(body())


@pytest.mark.parametrize("assets", [None, {}])
def test_no_assets_is_no_image(assets):
    assert decode_request(body(assets=assets)) == decode_request(body())


@pytest.mark.parametrize(
    ("request_body", "field", "says"),
    [
        ([], None, "an array; allowed: an object"),
        (None, None, "null"),
        ({"questions": {"q": NOUL}}, "state", "missing"),
        ({"state": "x"}, "questions", "missing"),
        (body(state=None), "state", "null"),
        (body(state=""), "state", "empty"),
        (body(state=" \n\t"), "state", "blank"),
        (body(state={}), "state", "empty"),
        (body(state=[]), "state", "empty"),
        (body(state=7), "state", "the number 7"),
        (body(state=True), "state", "true"),
        (body(state={"price": float("nan")}), "state.price", "nan"),
        (body(state={"rows": [1, float("inf")]}), "state.rows.1", "inf"),
        (body(state={"n": 10**400}), "state.n", "an integer above 1e20"),
        (body(state=["a", "\ud800"]), "state.1", r"'\ud800' at character 0"),
        (body(state={"\udfff": 1}), "state", "lone surrogate"),
        (body(model=3), "model", "the number 3"),
        (body(model=""), "model", "non-empty"),
        (body(assets={"<image:1>": {"type": "image", "part": "a"}}), "assets", "text only"),
        (body(assets=0), "assets", "text only"),
        (body(questions={}), "questions", "no questions"),
        (body(questions=[NOUL]), "questions", "an array"),
        (body(questions=None), "questions", "null"),
        (body(questions={"": NOUL}), "questions", "''"),
        (body(questions={"\ud800": NOUL}), "questions", "lone surrogate"),
        (body(questions={"q": "Refund?"}), "questions.q", "'Refund?'"),
        (body(questions={"q": None}), "questions.q", "null"),
        (asking(instructions="?"), "questions.q.type", "missing; allowed: noul, choice, score"),
        (asking(type="boolean", instructions="?"), "questions.q.type", "'boolean'"),
        (asking(type="box", instructions="?"), "questions.q.type", "image"),
        (asking(type=None), "questions.q.type", "null"),
        (asking(type=["noul"]), "questions.q.type", "an array"),
        (asking(**NOUL, critera={"true": "x"}), "questions.q", "'critera'"),
        (asking(type="noul", instructions=""), "questions.q.instructions", "empty"),
        (asking(type="noul", instructions="  "), "questions.q.instructions", "blank"),
        (asking(type="noul", instructions=False), "questions.q.instructions", "false"),
        (asking(type="noul"), "questions.q.instructions", "at least one described outcome"),
        (asking(type="noul", criteria={"true": None}), "questions.q.instructions", "missing"),
        (asking(**NOUL, criteria=["yes"]), "questions.q.criteria", "an array"),
        (asking(**NOUL, criteria={"yes": "x"}), "questions.q.criteria", "'yes'"),
        (asking(**NOUL, criteria={"true": 1}), "questions.q.criteria.true", "the number 1"),
        (asking(type="choice"), "questions.q.criteria", "missing"),
        (asking(type="choice", criteria=None), "questions.q.criteria", "null"),
        (asking(type="choice", criteria={}), "questions.q.criteria", "no options"),
        (asking(type="choice", criteria=["a", "b"]), "questions.q.criteria", "an array"),
        (asking(type="choice", criteria={"": "x"}), "questions.q.criteria", "label"),
        (asking(type="choice", criteria={" ": "x"}), "questions.q.criteria", "label"),
        (asking(type="choice", criteria={"a": ""}), "questions.q.criteria.a", "empty"),
        (asking(type="choice", criteria={"a": {"b": [0, float("nan")]}}),
         "questions.q.criteria.a.b.1", "nan"),
        (asking(type="score"), "questions.q.criteria", "missing"),
        (asking(type="score", criteria=None), "questions.q.criteria", "null"),
        (asking(type="score", criteria=[]), "questions.q.criteria", "1 to 10"),
        (asking(type="score", criteria="calm"), "questions.q.criteria", "'calm'"),
        (asking(type="score", criteria={"0": "calm"}), "questions.q.criteria", '["calm", "angry"]'),
        (asking(type="score", criteria=["calm", None]), "questions.q.criteria.1", "null"),
        (asking(type="score", criteria=["calm", ""]), "questions.q.criteria.1", "empty"),
    ],
)  # fmt: skip
def test_a_bad_request_names_field_value_and_what_is_allowed(request_body, field, says):
    error = refusal(decode_request, request_body)
    assert error.field == field
    assert says in error.message
    assert "allowed" in error.message or "missing" in error.message
    str(error).encode("utf-8")  # can be sent, whatever the caller sent
    assert len(error.message) < 250


def test_empty_strings_inside_structured_content_are_content():
    request = decode_request(body(state={"subject": "", "tags": [], "note": None}))
    assert request.state == {"subject": "", "tags": [], "note": None}


def test_255_options_are_allowed_and_256_get_the_live_services_words():
    def criteria(n):
        return {f"queue {i}": None for i in range(n)}

    question = asking(type="choice", criteria=criteria(255))
    assert len(decode_request(question).questions["q"].criteria) == 255

    question = asking(type="choice", criteria=criteria(256))
    error = refusal(decode_request, question)
    assert type(error) is TooManyOptionsError
    assert error.message == "Too many choices. Must have at most 255 choices."
    assert error.field == "questions.q.criteria"
    assert len(decode_request(question, max_options=1000).questions["q"].criteria) == 256


def test_11_levels_are_too_many():
    error = refusal(decode_request, asking(type="score", criteria=[f"{i}" for i in range(11)]))
    assert type(error) is TooManyOptionsError
    assert error.field == "questions.q.criteria"
    assert "at most 10" in error.message and "11" in error.message


def test_a_long_value_is_shortened_in_the_message():
    error = refusal(decode_request, asking(type="x" * 10_000))
    assert len(error.message) < 150


def test_nesting_is_bounded():
    def nested(depth):
        value = "x"
        for _ in range(depth):
            value = [value]
        return value

    decode_request(body(state=nested(64)))
    assert "64 levels" in refusal(decode_request, body(state=nested(65))).message
    assert "64 levels" in refusal(decode_request, body(state=nested(100_000))).message


# -- JSON text --------------------------------------------------------------------------------


def test_text_and_bytes_are_read():
    text = '{"state": "Größe ✓", "questions": {"q": {"type": "noul", "instructions": "?"}}}'
    assert loads_request(text) == loads_request(text.encode())
    assert loads_request(text).state == "Größe ✓"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        (" \n", "empty"),
        (b"", "empty"),
        ('{"state": "x", "questions": {', "not JSON"),
        ("{'state': 1}", "line 1 column 2"),
        ('{"state": NaN}', "NaN"),
        ('{"seed": -Infinity}', "-Infinity"),
        ('{"a": {"state": 1, "b": 2, "state": 1}}', "'state' is given twice"),
        (b'{"state": "\xff"}', "byte 0xff at offset 11"),
        ("[" * 100_000, "deep"),
        ('{"a":' * 100_000, "deep"),
        ("1" * 5000, "digits"),
        ('{"state": "x"} trailing', "not JSON"),
    ],
)
def test_what_is_not_strict_json_is_refused(text, says):
    error = refusal(loads_request, text)
    assert says in error.message
    assert error.field is None


def test_duplicate_options_are_refused():
    error = refusal(
        loads_request,
        '{"state": "x", "questions": {"q": {"type": "choice", "criteria": {"a": null, "a": "b"}}}}',
    )
    assert "'a' is given twice" in error.message


def test_a_number_that_overflows_is_refused_where_it_would_be_read():
    text = '{"state": [1e999], "questions": {"q": {"type": "noul", "instructions": "?"}}}'
    assert refusal(loads_request, text).field == "state.0"


@pytest.mark.parametrize("escaped", [r'"\ud800"', r'"ok \udc00 end"'])
def test_an_escaped_lone_surrogate_is_refused(escaped):
    text = '{"state": ' + escaped + ', "questions": {"q": {"type": "noul", "instructions": "?"}}}'
    assert "lone surrogate" in refusal(loads_request, text).message


def test_an_escaped_pair_is_one_character():
    assert loads(r'"\ud83c\udfaf"') == "🎯"


def test_dumps_is_compact_and_keeps_characters():
    assert dumps({"größe": [1, 0.5, None, "질문"]}) == '{"größe":[1,0.5,null,"질문"]}'


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_dumps_never_writes_what_is_no_json(number):
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps({"p": number})


# -- round trips ------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
full_texts = texts.filter(lambda text: bool(text) and not text.isspace())
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
contents = (
    full_texts
    | st.lists(values, min_size=1, max_size=3)
    | st.dictionaries(texts, values, min_size=1, max_size=3)
)
maybe = st.none() | contents
nouls = st.builds(
    Noul,
    contents,
    st.none() | st.dictionaries(st.sampled_from(["true", "false"]), maybe, max_size=2),
) | st.builds(Noul, st.none(), st.fixed_dictionaries({"true": contents, "false": maybe}))
choices = st.builds(Choice, maybe, st.dictionaries(full_texts, maybe, min_size=1, max_size=6))
scores = st.builds(Score, maybe, st.lists(contents, min_size=1, max_size=10))
questions = nouls | choices | scores
requests = st.builds(
    Request,
    contents,
    st.dictionaries(texts.filter(bool), questions, min_size=1, max_size=3),
    st.none() | texts.filter(bool),
)


@given(questions)
def test_every_question_survives_the_wire(question):
    text = dumps(encode_question(question))
    again = decode_question(loads(text), "q")
    assert again == question
    assert dumps(encode_question(again)) == text  # same order, and 1 is not 1.0 or true


@given(requests)
def test_every_request_survives_the_wire(request):
    text = dumps(encode_request(request))
    again = loads_request(text.encode())
    assert again == request
    assert dumps(encode_request(again)) == text


@given(values)
def test_no_parsed_value_breaks_the_decoder(value):
    for attempt in (value, {"state": "x", "questions": value},
                    {"state": "x", "questions": {"q": value}},
                    {"state": value, "questions": {"q": NOUL}},
                    asking(type="choice", criteria=value),
                    asking(type="score", criteria=value),
                    asking(type="noul", criteria=value)):  # fmt: skip
        try:
            decode_request(attempt)
        except RequestError as error:
            str(error).encode("utf-8")


# -- responses --------------------------------------------------------------------------------

BASIS = Basis(readout="letters", exit_layer=30, calibration=None, margin=0.25, passes=2)
AUDIT = Audit(
    steelyard="0.1.0", model="mini", weights="w", tokenizer="t", layout="l",
    layout_name="isolated-v1", calibrator=None, runtime="torch", dtype="float32",
    computed_tokens=10, reused_tokens=0, exit_layers=(18, 30),
)  # fmt: skip


def response(**answers):
    return Response(
        model="mini",
        answers=answers,
        usage=Usage(input_tokens=268, output_tokens=19),
        timings=Timings(prepare_ms=1.0, forward_ms=2.0, total_ms=3.5),
        audit=AUDIT,
        warnings=("untrained",),
    )


TEAM = ChoiceAnswer(
    choice="billing",
    confidence=0.25,
    probabilities={"sales": 0.25, "billing": 0.5, "other": 0.25},
    basis=BASIS,
)
ANGER = ScoreAnswer(
    score=1.0,
    confidence=0.0,
    legend=("calm", {"label": "angry", "signals": ["threats"]}, ["furious"]),
    probabilities={"0": 1 / 3, "1": 1 / 3, "2": 1 / 3},
    basis=BASIS,
)


def test_a_response_is_exactly_system_ones():
    encoded = encode_response(response(refund=NoulAnswer(noul=0.75, basis=BASIS), t=TEAM, a=ANGER))
    assert encoded == {
        "model": "mini",
        "answers": {
            "refund": {"type": "noul", "noul": 0.75},
            "t": {
                "type": "choice",
                "choice": "billing",
                "confidence": 0.25,
                "probabilities": {"sales": 0.25, "billing": 0.5, "other": 0.25},
            },
            "a": {
                "type": "score",
                "score": 1.0,
                "confidence": 0.0,
                "legend": {
                    "0": "calm",
                    "1": {"label": "angry", "signals": ["threats"]},
                    "2": ["furious"],
                },
                "probabilities": {"0": 1 / 3, "1": 1 / 3, "2": 1 / 3},
            },
        },
        "usage": {"input_tokens": 268, "output_tokens": 19},
    }
    assert list(encoded["answers"]["t"]["probabilities"]) == ["sales", "billing", "other"]
    assert json.loads(dumps(encoded)) == encoded  # plain JSON values all the way down


def test_extras_are_added_under_x_and_change_nothing_else():
    plain = encode_response(response(t=TEAM))
    extra = encode_response(response(t=TEAM), extras=True)
    assert json.loads(dumps(extra)) == extra
    added = {key: value for key, value in extra["answers"]["t"].items() if key[:2] == "x_"}
    assert extra["answers"]["t"] == plain["answers"]["t"] | added
    assert added == {
        "x_exit_layer": 30,
        "x_calibrated": False,
        "x_margin": 0.25,
        "x_readout": "letters",
        "x_passes": 2,
    }
    assert extra.keys() - plain.keys() == {"x_audit", "x_timings", "x_warnings"}
    assert extra["x_audit"]["exit_layers"] == [18, 30]
    assert extra["x_timings"] == {"prepare_ms": 1.0, "forward_ms": 2.0, "total_ms": 3.5}
    assert extra["x_warnings"] == ["untrained"]


def test_a_verdict_and_a_committed_value_are_extras_where_there_are_any():
    noul = NoulAnswer(
        noul=0.7,
        basis=BASIS,
        verdict=Verdict(options=("yes",), coverage=0.95, action=None),
        committed=2 / 3,
    )
    body = encode_response(response(q=noul), extras=True, digits=2)["answers"]["q"]
    assert (body["x_set"], body["x_coverage"], body["x_committed"]) == (["yes"], 0.95, 0.67)
    assert "x_action" not in body
    acted = replace(TEAM, verdict=Verdict(options=None, coverage=None, action="act"))
    body = encode_response(response(t=acted), extras=True)["answers"]["t"]
    assert body["x_action"] == "act" and "x_set" not in body
    assert not [key for key in encode_response(response(q=noul))["answers"]["q"] if key[:2] == "x_"]


def test_full_floats_are_the_default_and_digits_round_for_display():
    assert encode_response(response(a=ANGER))["answers"]["a"]["probabilities"]["0"] == 1 / 3
    rounded = encode_response(response(a=ANGER), digits=2)["answers"]["a"]
    assert rounded["probabilities"] == {"0": 0.33, "1": 0.33, "2": 0.33}
    noul = NoulAnswer(noul=2 / 3, basis=replace(BASIS, margin=1 / 3))
    rounded = encode_response(response(q=noul), extras=True, digits=2)["answers"]["q"]
    assert (rounded["noul"], rounded["x_margin"]) == (0.67, 0.33)


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=8).filter(lambda ps: sum(ps) > 0.01),
    st.integers(0, 4),
)
def test_choice_is_a_most_probable_option_of_what_is_shown(weights, digits):
    total = sum(weights)
    probabilities = {f"o{i}": min(1.0, w / total) for i, w in enumerate(weights)}
    answer = ChoiceAnswer(
        choice=max(probabilities, key=probabilities.__getitem__),
        confidence=0.5,
        probabilities=probabilities,
        basis=BASIS,
    )
    shown = encode_response(response(t=answer), digits=digits)["answers"]["t"]
    assert shown["probabilities"][shown["choice"]] == max(shown["probabilities"].values())


def test_what_lies_below_a_long_key_costs_no_more():
    state = {"k" * 10**6: [0] * 10**5}
    begin = time.process_time()
    assert decode_request(body(state=state)).state == state
    assert time.process_time() - begin < 5  # it was a hundred gigabytes of paths
