"""Clients of `steelyard serve`: the engine's own types and errors, over HTTP."""

from steelyard.errors import MissingExtraError

try:
    import httpx  # noqa: F401
except ModuleNotFoundError:
    raise MissingExtraError("httpx", "client") from None

from steelyard.client.async_client import AsyncClient
from steelyard.client.call import ModelEntry
from steelyard.client.client import Client
from steelyard.client.plain import PlainResponse
from steelyard.client.refusal import Refused
from steelyard.client.reply import ReplyError

__all__ = ["AsyncClient", "Client", "ModelEntry", "PlainResponse", "Refused", "ReplyError"]
