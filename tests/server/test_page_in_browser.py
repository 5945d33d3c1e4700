"""The page in a browser: typed into, asked, refused, without a mouse, on a telephone."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from support import browser as browsers
from support.browser import BACKSPACE, CONTROL, ENTER, TAB, Browser, browser
from support.fake_engine import FakeEngine
from support.live import listening

from steelyard.server.keys import parse_keys

pytestmark = pytest.mark.skipif(bool(browsers.MISSING), reason=browsers.MISSING)

KEY = "sk-0123456789abcdef"
ANSWERED = "!document.getElementById('reply').hidden"
FOCUS = "const n = document.activeElement; return n.id || n.className || n.textContent"
SEEN = """return [...document.querySelectorAll("button, input, select, textarea, summary")]
    .filter(n => n.checkVisibility()).length"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as one:
        yield one


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with listening(FakeEngine(), FakeEngine(name="other"), max_loaded=2) as address:
        yield address


@pytest.fixture
def page(chromium: Browser, server: str) -> Iterator[Browser]:
    """The page as it comes; at the end nothing was wrong, and nobody else was asked."""
    with opened(chromium, server) as one:
        yield one


class opened:
    """The page of a server, watched."""

    def __init__(self, chromium: Browser, address: str) -> None:
        self.chromium, self.address = chromium, address

    def __enter__(self) -> Browser:
        self.chromium.open("about:blank")
        self.chromium.view(1280)
        self.chromium.requested(), self.chromium.console()
        self.chromium.open(self.address)
        self.chromium.until(
            "document.readyState === 'complete' && document.querySelector('.question')"
        )
        return self.chromium

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            return
        assert self.chromium.console() == []
        asked = {url for url in self.chromium.requested() if not url.startswith("data:")}
        assert asked and all(url.startswith(f"{self.address}/") for url in asked), asked


def shown(page: Browser) -> list[str]:
    return page.texts("#questions .share")


def expected(address: str, body: Any) -> list[str]:
    """The percentages of a reply, as the page writes those between 0.1 and 99.9."""
    reply = httpx.post(f"{address}/v1/systemone", json=body).raise_for_status().json()
    shares: list[float] = []
    for answer in reply["answers"].values():
        noul = answer.get("noul")
        shares += [noul, 1 - noul] if noul is not None else answer["probabilities"].values()
    return [f"{100 * share:.1f}%" for share in shares]


def test_what_is_typed_is_asked_and_its_answers_are_the_server_s(page, server):
    page.write("#state", 'It\'s "broken": \\ & <b>')
    page.write(".question:nth-child(2) li:nth-child(1) .name", "2")
    page.write(".question:nth-child(2) li:nth-child(2) .name", "1")  # the order stays
    page.write(".question:nth-child(3) .instructions", "How sad?")
    page.click("#ask")
    page.until(ANSWERED)
    body = json.loads(page.text("#request"))
    assert body["state"] == 'It\'s "broken": \\ & <b>'
    assert list(body["questions"]) == ["refund", "queue", "anger"]
    assert list(body["questions"]["queue"]["criteria"]) == ["2", "1", "sales", "other"]
    assert body["questions"]["anger"]["instructions"] == "How sad?"
    assert shown(page) == expected(server, body)
    widths = page.run("return [...document.querySelectorAll('.track i')].map(n => n.style.width)")
    assert [f"{float(width[:-1]):.1f}%" for width in widths] == shown(page)
    assert len(page.texts(".top")) == 3
    facts = page.text("#reply")
    assert "round trip" in facts and "computed" in facts and "fake" in facts
    assert page.text(".basis").count("exit layer") == 1
    assert page.texts(".note") == ["fake is untrained"]
    assert json.loads(page.text("#response"))["model"] == "fake"


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_curl_that_is_shown_asks_the_same(page):
    page.write("#state", "it's $HOME, `twice`")
    page.click("#ask")
    page.until(ANSWERED)
    done = subprocess.run(["bash", "-c", page.text("#curl")], capture_output=True, check=True)
    reply = json.loads(done.stdout)
    assert reply["answers"] == json.loads(page.text("#response"))["answers"]


@pytest.mark.parametrize("example", range(1, 4))
def test_every_example_can_be_asked_and_shows_every_kind(page, server, example):
    page.click(f"#examples button:nth-child({example})")
    assert page.texts("#reply[hidden]"), "the answers to something else are gone"
    page.click("#ask")
    page.until(ANSWERED)
    body = json.loads(page.text("#request"))
    assert {one["type"] for one in body["questions"].values()} == {"noul", "choice", "score"}
    assert shown(page) == expected(server, body)


def test_an_answer_to_what_was_there_before_is_shown_as_such(page):
    page.click("#ask")
    page.until(ANSWERED)
    page.click(".question .instructions")
    page.press("!")
    assert page.texts("#questions.stale")
    assert "asked before" in page.text("#status")
    page.press(BACKSPACE)
    assert page.texts("#questions:not(.stale)")


def test_asking_while_typing_needs_no_button(page, server):
    page.click("#live")
    page.write("#state", "It burns.")
    page.until("document.getElementById('response').textContent.startsWith('{')")
    page.until("!document.querySelector('.stale')")
    assert shown(page) == expected(server, json.loads(page.text("#request")))


def test_a_refusal_is_told_in_words_and_leads_to_the_field(page):
    page.write("#state", " ")
    page.run("document.getElementById('state').value = ''")
    page.click("#ask")
    page.until("document.querySelector('#trouble .error')")
    assert "not valid (422)" in page.text("#trouble h2")
    assert "state: empty" in page.text("#trouble")
    page.click("#trouble button")
    assert page.run(FOCUS) == "state"
    assert page.texts("#state[aria-invalid=true][aria-describedby=trouble-0]")
    page.write("#state", "Better.")
    page.click("#ask")
    page.until(ANSWERED)
    assert page.text("#trouble") == "" and not page.texts("[aria-invalid]")


def test_what_the_page_itself_sees_is_told_where_it_is(page):
    page.write(".question:nth-child(2) li:nth-child(2) .name", "billing")
    page.click("#ask")
    page.until("document.querySelector('#trouble .error')")
    assert "“billing” is there twice" in page.text("#trouble")
    page.click("#trouble button")
    assert page.run("return document.activeElement.closest('li').matches(':nth-child(2)')")
    page.press("2")
    page.click("#as-json")
    page.click("#ask")
    page.until("document.querySelector('#trouble').textContent.includes('not JSON')")
    assert page.texts("#state[aria-invalid=true]")


def test_a_field_for_the_key_is_there_where_a_key_is_wanted(chromium):
    with listening(keys=parse_keys([KEY], "test")) as address, opened(chromium, address) as page:
        page.until("!document.getElementById('key-field').hidden")
        page.click("#ask")
        page.until("document.querySelector('#trouble .error')")
        assert "(401)" in page.text("#trouble h2")
        page.click("#trouble button")
        assert page.run(FOCUS) == "key"
        page.press(*KEY)
        page.press(ENTER)
        page.until(ANSWERED)
        assert KEY not in page.text("body"), "it is a secret"
        assert "$STEELYARD_API_KEY" in page.text("#curl")


def test_a_choice_of_models_is_there_where_there_are_several(page):
    page.until("!document.getElementById('model-field').hidden")
    assert page.texts("#model option") == ["fake", "other"]
    page.run("""const m = document.getElementById('model'); m.value = 'other';
        m.dispatchEvent(new Event('input', {bubbles: true}))""")
    page.click("#ask")
    page.until(ANSWERED)
    assert json.loads(page.text("#response"))["model"] == "other"


def test_one_model_and_no_key_leave_nothing_to_fill_in(chromium):
    with listening() as address, opened(chromium, address) as page:
        page.click("#ask")
        page.until(ANSWERED)
        assert not page.run("return document.getElementById('server').checkVisibility()")


def test_all_of_it_can_be_done_without_a_mouse(page, server):
    reached = 0
    page.press(TAB)
    while page.run(FOCUS) != "state":
        page.press(TAB)
        reached += 1
        assert reached < 20
    page.press("a", held=CONTROL)
    page.press(*"Help!")
    while page.run(FOCUS) != "name":  # the first option
        page.press(TAB)
    page.press(ENTER, ENTER, ENTER, ENTER)  # over the three others to a new one
    page.press(*"legal")
    page.press(ENTER, held=CONTROL)
    page.until(ANSWERED)
    body = json.loads(page.text("#request"))
    assert body["state"] == "Help!"
    assert list(body["questions"]["queue"]["criteria"])[-2:] == ["other", "legal"]
    assert shown(page) == expected(server, body)


def test_the_tab_key_reaches_every_control(page):
    page.run("""window.reached = new Set();
        document.addEventListener('focusin', event => reached.add(event.target))""")
    controls = page.run(SEEN)
    page.press(*[TAB] * (controls + 10))
    assert (
        page.run("""return [...reached].filter(n =>
        n.matches("button, input, select, textarea, summary")).length""")
        == controls
    )


def test_lines_are_moved_and_removed_and_the_focus_stays(page):
    page.click(".question:nth-child(3) li:nth-child(1) button:nth-child(2)")  # calm, down
    assert page.run("return document.activeElement.getAttribute('aria-label')") == "Move level down"
    assert page.texts(".question:nth-child(3) .name") == ["0", "1", "2"]
    page.click(".question:nth-child(3) li:nth-child(3) button:nth-child(3)")
    assert page.text("#status") == "The level was removed."
    levels = json.loads(page.text("#request"))["questions"]["anger"]["criteria"]
    assert levels == ["annoyed", "calm"]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [320, 390, 1024, 1280])
def test_nothing_is_wider_than_the_screen(page, width, dark):
    page.view(width, dark=dark)
    page.write(".question:nth-child(2) li:nth-child(1) .name", "unforeseeable" * 5)
    page.click("#ask")
    page.until(ANSWERED)
    assert page.run("return document.documentElement.scrollWidth <= window.innerWidth")
    dark_ground = page.run("return getComputedStyle(document.body).backgroundColor < 'rgb(2'")
    assert dark_ground == dark
