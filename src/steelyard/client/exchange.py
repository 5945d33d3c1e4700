"""What both clients share around the wire: how they are set up, and what each reply means."""

from __future__ import annotations

import logging
import math
import re
from dataclasses import dataclass
from typing import TypeVar

import httpx

from steelyard.__about__ import __version__
from steelyard.client.call import Call
from steelyard.client.refusal import Refusal
from steelyard.client.reply import ReplyError
from steelyard.client.retries import Retries
from steelyard.errors import DeadlineError, RequestError, SteelyardError, UnavailableError
from steelyard.types.codec import loads

logger = logging.getLogger(__name__)

T = TypeVar("T")
BASE_URL = "http://127.0.0.1:8000"
TIMEOUT_S = 60.0  # above the server's deadline, so that the server is the one to give up
CONNECT_S = 5.0

_SENDABLE = re.compile("[!-~]+")


@dataclass(frozen=True, slots=True)
class Setup:
    """Where and how to ask, checked.

    Attributes:
        base_url: with a slash at its end.
    """

    base_url: str
    headers: dict[str, str]
    timeout: httpx.Timeout
    retries: Retries


def setup(base_url: str, api_key: str | None, timeout: float, max_retries: int) -> Setup:
    """Check what a client is made of.

    Raises:
        RequestError: an address, key, timeout or number of retries that cannot be meant.
    """
    if not _is_address(base_url):
        raise RequestError(
            f"got {base_url!r}; allowed: http(s)://HOST[:PORT][/PATH]", field="base_url"
        )
    if not (_is_number(timeout) and 0 < timeout < math.inf):
        raise RequestError(f"got {timeout!r}; allowed: seconds above 0", field="timeout")
    if not (isinstance(max_retries, int) and _is_number(max_retries) and max_retries >= 0):
        raise RequestError(
            f"got {max_retries!r}; allowed: a whole number, 0 or more", field="max_retries"
        )
    headers = {"content-type": "application/json", "user-agent": f"steelyard/{__version__}"}
    if api_key is not None:
        # Not repeated in the message: it is a secret, even where it is misspelt.
        if not (isinstance(api_key, str) and _SENDABLE.fullmatch(api_key)):
            raise RequestError(
                "cannot be sent; allowed: text of printable ASCII, no spaces", field="api_key"
            )
        headers["authorization"] = f"Bearer {api_key}"
    return Setup(
        base_url=base_url.rstrip("/") + "/",
        headers=headers,
        timeout=httpx.Timeout(timeout, connect=min(timeout, CONNECT_S)),
        retries=Retries(max_retries),
    )


def check_open(closed: bool) -> None:
    """Refuse to send by a client that was closed.

    Raises:
        RequestError: it was.
    """
    if closed:
        raise RequestError("this client is closed; allowed: calls before it is")


def _is_address(base_url: object) -> bool:
    """Whether a server can be reached there and routes appended: no query and no fragment."""
    if not isinstance(base_url, str) or "?" in base_url or "#" in base_url:
        return False
    try:
        url = httpx.URL(base_url)
        url.raw_host.decode("ascii").encode("idna")  # as the resolver will
    except (httpx.InvalidURL, UnicodeError):
        return False
    port = 80 if url.port is None else url.port
    return url.scheme in ("http", "https") and bool(url.host) and 0 < port <= 65535


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def failure(reply: httpx.Response) -> Refusal | None:
    """What was told in place of an answer, or None for a 200."""
    if reply.status_code == 200:
        return None
    return Refusal(reply.status_code, reply.headers, reply.content)


def result(call: Call[T], reply: httpx.Response) -> T:
    """What a 200 says.

    Raises:
        ReplyError: not what was asked for.
    """
    try:
        body = loads(reply.content)
    except RequestError as error:
        raise ReplyError(f"the reply cannot be read: {error.message}") from None
    return call.read(body)


def error_of(last: Refusal | httpx.RequestError, setup: Setup) -> SteelyardError:
    """What to raise once a call is given up."""
    if isinstance(last, Refusal):
        return last.error()
    if isinstance(last, httpx.DecodingError):
        return ReplyError(f"the reply cannot be read: {last}")
    if isinstance(last, httpx.TimeoutException) and not isinstance(last, httpx.ConnectTimeout):
        return DeadlineError(f"no answer from {setup.base_url} within {setup.timeout.read:g} s")
    return UnavailableError(f"no connection to {setup.base_url}: {last or type(last).__name__}")


def log_retry(call: Call[T], last: Refusal | httpx.RequestError, wait_s: float) -> None:
    what = last.status if isinstance(last, Refusal) else type(last).__name__
    logger.info("event=retry path=/%s failure=%s wait_s=%.2f", call.path, what, wait_s)
