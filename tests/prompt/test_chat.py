import pytest
from support.tokenizer import CHAT_TEMPLATE, byte_tokenizer
from transformers import PreTrainedTokenizerFast

from steelyard.errors import UnsupportedModelError
from steelyard.prompt.chat import ChatFrame, chat_frame

SYSTEM = "Judge: é. It's <state>."

QWEN3 = """\
{%- if messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- set ns = namespace(last=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- if loop.first %}{%- set ns.last = loop.index0 %}{%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.role == 'user' %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}
"""

GEMMA = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}"
    "{% for message in messages %}"
    "{{ '<start_of_turn>' + message['role'] + '\n' + message['content'] | trim }}"
    "{{ '<end_of_turn>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}"
)

BLOCKS = """\
{% for message in messages %}
    {% if message.role == 'nobody' %}
        {% continue %}
    {% endif %}
{{ {"role": message.role, "text": message.content} | tojson }}
{% endfor %}
{% generation %}
go:
{% endgeneration %}
"""

SILENT = "{% for m in messages if m.role == 'user' %}U:{{ m.content }}{% endfor %}{{ eos_token }}A:"


@pytest.mark.parametrize("template", [CHAT_TEMPLATE, QWEN3, BLOCKS])
def test_the_frame_is_what_transformers_renders(template: str) -> None:
    oracle = PreTrainedTokenizerFast(
        tokenizer_object=byte_tokenizer(), bos_token="<|endoftext|>", eos_token="<|im_end|>"
    )
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": "USER"}]
    text = oracle.apply_chat_template(
        messages,
        chat_template=template,
        add_generation_prompt=True,
        enable_thinking=False,
        tokenize=False,
    )
    frame = chat_frame(template, SYSTEM, bos="<|endoftext|>", eos="<|im_end|>")
    assert frame.head + "USER" + frame.tail == text
    assert SYSTEM in frame.head


def test_thinking_is_off() -> None:
    assert chat_frame(QWEN3, SYSTEM).tail.endswith("<think>\n\n</think>\n\n")


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (
            GEMMA,
            ChatFrame(
                f"<bos><start_of_turn>user\n{SYSTEM}\n\n", "<end_of_turn>\n<start_of_turn>model\n"
            ),
        ),
        (SILENT, ChatFrame(f"U:{SYSTEM}\n\n", "A:")),
    ],
    ids=["refused", "dropped"],
)
def test_without_a_system_role_the_system_text_opens_the_users(
    template: str, expected: ChatFrame
) -> None:
    assert chat_frame(template, SYSTEM, bos="<bos>") == expected


def test_the_date_is_always_the_same() -> None:
    template = "{{ strftime_now('%d %b %Y') }} " + CHAT_TEMPLATE
    assert chat_frame(template, SYSTEM).head.startswith("26 Jul 2024 <|im_start|>")


def test_without_a_template_the_frame_is_plain_text() -> None:
    assert chat_frame(None, SYSTEM, bos="<s>") == ChatFrame(f"{SYSTEM}\n\n", "\n")
    assert chat_frame(None, SYSTEM, bos="<s>", adds_bos=True).head == f"<s>{SYSTEM}\n\n"


@pytest.mark.parametrize(
    ("template", "complaint"),
    [
        ("{% for %}", "does not parse: .* in line 1"),
        ("{{ raise_exception('never') }}", "the chat template fails: never"),
        ("fixed", "shows the user's text 0 times"),
        (CHAT_TEMPLATE + CHAT_TEMPLATE, "shows the user's text 2 times; allowed: once"),
        ("{{ ''.__class__.__mro__ }}", "the chat template fails: access to attribute"),
    ],
)
def test_templates_that_cannot_be_used_are_refused(template: str, complaint: str) -> None:
    with pytest.raises(UnsupportedModelError, match=complaint):
        chat_frame(template, SYSTEM)
