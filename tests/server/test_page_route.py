"""The page where browsers look for it."""

from __future__ import annotations

from support.service import asked

from steelyard.server.keys import parse_keys
from steelyard.server.page import page


def test_the_page_is_shown_to_all_with_its_policy() -> None:
    keys = parse_keys(["sk-0123456789abcdef"], "test")
    [response] = asked(lambda one: one.get("/"), keys=keys)
    assert response.status_code == 200
    assert response.content == page()
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert "script-src 'sha256-" in response.headers["content-security-policy"]
