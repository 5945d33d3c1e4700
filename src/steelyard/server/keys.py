"""API keys: who may ask, how much, and whose prefixes are whose.

Only SHA-256 digests are kept. Keys are long random strings, not passwords that people choose, so a
plain digest cannot be searched; comparison takes as long whatever it finds.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import AuthenticationError, InputFileError, RequestError

MIN_KEY_CHARACTERS = 16

LIMITS = ("requests_per_min", "tokens_per_min")

_LIMIT = re.compile(r"(\w+_per_min)=(.*)", re.ASCII)
_COUNT = re.compile("[1-9][0-9]{0,17}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Key:
    """One key.

    Attributes:
        name: for logs.
        digest: sha256 of the key, hexadecimal.
        requests_per_min, tokens_per_min: limits, 1 or more; None is none.
    """

    name: str
    digest: str
    requests_per_min: int | None = None
    tokens_per_min: int | None = None

    @property
    def partition(self) -> str:
        """What the prefix store tells tenants apart by."""
        return self.digest


@dataclass(frozen=True, slots=True)
class KeyRing:
    """The keys that a server knows; without any, everybody may ask."""

    keys: tuple[Key, ...] = ()

    def holder(self, authorization: str | None) -> Key | None:
        """Whose key an Authorization header carries; None where no key is needed.

        Raises:
            AuthenticationError: a key is needed and is absent or unknown.
        """
        if not self.keys:
            return None
        if authorization is None:
            raise AuthenticationError("missing API key; send Authorization: Bearer KEY")
        scheme, _, secret = authorization.partition(" ")
        if scheme.lower() != "bearer":
            raise AuthenticationError("not a bearer token; send Authorization: Bearer KEY")
        digest = _digest(secret.strip())
        found: Key | None = None
        for key in self.keys:  # all of them, whichever fits
            if hmac.compare_digest(key.digest, digest):
                found = key
        if found is None:
            raise AuthenticationError("unknown API key")
        return found


def read_keys(path: Path) -> KeyRing:
    """The keys of a file, one a line: `[NAME] KEY [LIMIT=N ...]`; # begins a comment line.

    In place of KEY may stand `sha256:HEX`. LIMIT is requests_per_min or tokens_per_min.

    Raises:
        InputFileError: the file cannot be read, has no key, a line is none, or two have one name.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputFileError(f"{path}: {error}") from error
    ring = parse_keys(lines, str(path))
    if not ring.keys:
        raise InputFileError(f"{path}: no key; allowed: one a line")
    return ring


def parse_keys(lines: Iterable[str], source: str) -> KeyRing:
    """The keys that lines spell; see `read_keys`. `source` begins the messages of errors."""
    keys: list[Key] = []
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        place = f"{source}:{number}"
        limits: dict[str, int] = {}
        while words and (limit := _LIMIT.fullmatch(words[-1])):
            field, count = limit.groups()
            if field not in LIMITS:
                raise InputFileError(f"{place}: {field}; allowed: {', '.join(LIMITS)}")
            if field in limits:
                raise InputFileError(f"{place}: {field} is given twice")
            if not _COUNT.fullmatch(count):
                raise InputFileError(
                    f"{place}: {field}: got {count!r}; allowed: a whole number, 1 to 10^18 - 1"
                )
            limits[field] = int(count)
            words.pop()
        if not 1 <= len(words) <= 2:
            raise InputFileError(f"{place}: {len(words)} words; allowed: [NAME] KEY [LIMIT=N ...]")
        digest = _spelt(words[-1], place)
        name = words[0] if len(words) == 2 else digest[:8]
        keys.append(Key(name, digest, limits.get("requests_per_min"), limits.get("tokens_per_min")))
    if len({key.digest for key in keys}) < len(keys):
        raise InputFileError(f"{source}: a key is given twice")
    twice = [name for name, count in Counter(key.name for key in keys).items() if count > 1]
    if twice:  # the log and the audit file would not tell them apart
        raise InputFileError(f"{source}: two keys are named {twice[0]!r}; allowed: one of a name")
    return KeyRing(tuple(keys))


def check_exposure(host: str, keys: KeyRing, *, without_keys: bool) -> None:
    """Refuse to serve other machines without keys, unless told to.

    Raises:
        RequestError: `host` is reached from elsewhere, and anybody could ask.
    """
    if keys.keys or without_keys or is_loopback(host):
        return
    raise RequestError(
        f"{host!r} is reached from other machines and there are no API keys; allowed: a loopback "
        "address, --api-key-file, or --without-keys to let anybody ask",
        field="host",
    )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches `host`; a name other than localhost counts as reachable."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _spelt(word: str, place: str) -> str:
    if word.startswith("sha256:"):
        digest = word.removeprefix("sha256:").lower()
        if not re.fullmatch("[0-9a-f]{64}", digest):
            raise InputFileError(f"{place}: not 64 hexadecimal digits after sha256:")
        return digest
    if len(word) < MIN_KEY_CHARACTERS:
        raise InputFileError(
            f"{place}: a key of {len(word)} characters; allowed: {MIN_KEY_CHARACTERS} or more"
        )
    return _digest(word)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
