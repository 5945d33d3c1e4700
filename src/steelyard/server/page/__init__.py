"""The page at `/`: one file that asks the server it came from, and loads nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib import resources


@cache
def page() -> bytes:
    """The page: HTML in UTF-8, its style and script inside."""
    return resources.files(__name__).joinpath("index.html").read_bytes()


@cache
def page_headers() -> dict[str, str]:
    """What a browser should be told with the page.

    The policy (Content Security Policy, level 3) lets it run its own script, use its own style and
    ask its own server: what it shows is other people's text, and the key typed into it is a secret.
    """
    policy = (
        "default-src 'none'",
        f"script-src {_digests('script')}",
        f"style-src {_digests('style')}",
        "connect-src 'self'",
        "img-src data:",  # the empty icon, which spares the server a request for one
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
    return {
        "content-security-policy": "; ".join(policy),
        "cache-control": "no-cache",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
    }


def _digests(element: str) -> str:
    texts = re.findall(rf"<{element}>(.*?)</{element}>".encode(), page(), re.DOTALL)
    assert texts, f"the page has no {element}"
    hashes = [base64.b64encode(hashlib.sha256(text).digest()).decode() for text in texts]
    return " ".join(f"'sha256-{one}'" for one in hashes)
