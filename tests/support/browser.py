"""A headless Chromium, driven over WebDriver's own HTTP (W3C WebDriver, 2018): nothing to install
but Debian's `chromium` and `chromium-driver`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

TAB, ENTER, CONTROL, BACKSPACE = "\ue004", "\ue007", "\ue009", "\ue003"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key under which WebDriver names an element
PATIENCE_S = 60  # on a machine that does much else

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
MISSING = "" if PROGRAM and DRIVER else "needs Debian's chromium and chromium-driver"
"""Why there is no browser here, or "" where there is one."""


@dataclass(frozen=True)
class Browser:
    """One window. Elements are named by CSS selectors; the first that fits is meant."""

    http: httpx.Client
    session: str

    def open(self, address: str) -> None:
        self._post("url", url=address)

    def view(self, width: int, height: int = 800, *, dark: bool = False) -> None:
        """What the page is told of the screen."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._devtools("Emulation.setDeviceMetricsOverride", **size)
        self._devtools("Emulation.setEmulatedMedia", features=[scheme, still])

    def run(self, code: str, *arguments: Any) -> Any:
        """What a JavaScript function body returns."""
        return self._post("execute/sync", script=code, args=arguments)

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def texts(self, selector: str) -> list[str]:
        code = "return [...document.querySelectorAll(arguments[0])].map(n => n.textContent)"
        return list(self.run(code, selector))

    def click(self, selector: str) -> None:
        """As a mouse does: fails where something else lies over the element."""
        self._post(f"element/{self._find(selector)}/click")

    def write(self, selector: str, text: str) -> None:
        """Replace a field's text, key by key."""
        field = self._find(selector)
        self._post(f"element/{field}/clear")
        self._post(f"element/{field}/value", text=text)

    def press(self, *keys: str, held: str = "") -> None:
        """Keys, one after another, into whatever has the focus; `held` is held meanwhile."""
        strokes = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        if held:
            ends = [{"type": kind, "value": held} for kind in ("keyDown", "keyUp")]
            strokes = [ends[0], *strokes, ends[1]]
        self._post("actions", actions=[{"type": "key", "id": "keys", "actions": strokes}])

    def until(self, code: str, *arguments: Any) -> None:
        """Wait for a JavaScript expression to hold."""
        end = time.monotonic() + PATIENCE_S
        while not self.run(f"return {code}", *arguments):
            assert time.monotonic() < end, f"never: {code}"
            time.sleep(0.05)

    def console(self) -> list[str]:
        """What was logged since this was last asked, but for the browser's own note of a status:
        it writes one whenever a server refuses."""
        return [
            entry["message"] for entry in self._post("se/log", type="browser")
            if not re.search(r"responded with a status of \d+", entry["message"])
        ]  # fmt: skip

    def requested(self) -> list[str]:
        """The addresses that were asked since this was last asked."""
        entries = self._post("se/log", type="performance")
        events = [json.loads(entry["message"])["message"] for entry in entries]
        return [
            event["params"]["request"]["url"] for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]  # fmt: skip

    def _find(self, selector: str) -> str:
        return str(self._post("element", using="css selector", value=selector)[ELEMENT])

    def _devtools(self, command: str, **parameters: Any) -> None:
        self._post("goog/cdp/execute", cmd=command, params=parameters)

    def _post(self, path: str, **body: Any) -> Any:
        return _value(self.http.post(f"{self.session}/{path}", json=body))


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser with a fresh profile."""
    assert DRIVER is not None
    driver = subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, text=True)
    try:
        assert driver.stdout is not None
        port = next(
            found[1] for line in driver.stdout
            if (found := re.search(r"started successfully on port (\d+)", line))
        )  # fmt: skip
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S) as http:
            made = _value(http.post("session", json={"capabilities": _capabilities()}))
            session = f"session/{made['sessionId']}"
            try:
                yield Browser(http, session)
            finally:
                _value(http.delete(session))  # closes the window, and ends Chromium
    finally:
        driver.terminate()
        driver.wait()
        driver.stdout.close()


def _capabilities() -> dict[str, Any]:
    arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")  # Chromium's sandbox refuses root
    wanted = {
        "browserName": "chrome",
        "goog:chromeOptions": {"binary": PROGRAM, "args": arguments},
        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
    }
    return {"alwaysMatch": wanted}


def _value(reply: httpx.Response) -> Any:
    value = reply.json()["value"]
    assert reply.is_success, value
    return value
