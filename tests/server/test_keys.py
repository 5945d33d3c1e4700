"""Keys: who may ask, what is kept of a key, and where a server may listen without any."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from steelyard.errors import AuthenticationError, InputFileError, RequestError
from steelyard.server.keys import KeyRing, check_exposure, parse_keys, read_keys

SECRET = "sk-0123456789abcdef"
DIGEST = hashlib.sha256(SECRET.encode()).hexdigest()


def ring(*lines: str) -> KeyRing:
    return parse_keys(lines, "keys")


def test_keys_are_kept_as_digests_and_named() -> None:
    spelt = ring("# team keys", "", f"alice {SECRET}", f"  sha256:{'AB' * 32}")
    assert [(key.name, key.digest) for key in spelt.keys] == [
        ("alice", DIGEST), ("abababab", "ab" * 32),
    ]  # fmt: skip
    assert SECRET not in repr(spelt)


@pytest.mark.parametrize("line", [SECRET, f"alice {SECRET}", f"alice sha256:{DIGEST}"])
def test_the_holder_of_a_key_is_known(line: str) -> None:
    [key] = ring(line).keys
    others = ring("other-key-0123456789", line)
    assert others.holder(f"Bearer {SECRET}") == key
    assert others.holder(f"bearer  {SECRET} ") == key
    assert key.partition == DIGEST


@pytest.mark.parametrize(
    "header",
    [None, "", "Bearer", "Bearer ", SECRET, f"Basic {SECRET}", f"Bearer {SECRET}x",
     f"Bearer {DIGEST}", f"Bearer sha256:{DIGEST}", "Bearer \xe9\udcff"],
)  # fmt: skip
def test_without_a_known_key_nobody_may_ask(header: str | None) -> None:
    with pytest.raises(AuthenticationError):
        ring(SECRET).holder(header)


def test_limits_stand_behind_a_key() -> None:
    both, one, none = ring(
        f"alice {SECRET} requests_per_min=60 tokens_per_min=1000",
        "another-key-0123456789 tokens_per_min=5",
        "third third-key-0123456789",
    ).keys
    assert (both.name, both.requests_per_min, both.tokens_per_min) == ("alice", 60, 1000)
    assert (one.name, one.requests_per_min, one.tokens_per_min) == (one.digest[:8], None, 5)
    assert (none.requests_per_min, none.tokens_per_min) == (None, None)


@pytest.mark.parametrize(
    "limits", ["requests_per_min=0", "requests_per_min=x", "per_min=1", "tokens_per_min=-1",
               "tokens_per_min=1 tokens_per_min=2", "requests_per_min= 5"],
)  # fmt: skip
def test_a_limit_that_is_none_is_refused(limits: str) -> None:
    with pytest.raises(InputFileError, match="keys:1"):
        ring(f"alice {SECRET} {limits}")


@pytest.mark.parametrize("count", ["0", "1.5", "-1", "x", ""])
@pytest.mark.parametrize("name", ["", "alice "])
def test_a_bad_limit_is_told_by_name_and_value(name: str, count: str) -> None:
    with pytest.raises(InputFileError, match=rf"keys:1: requests_per_min: got '{count}'; allowed"):
        ring(f"{name}{SECRET} requests_per_min={count}")


def test_two_keys_of_one_name_are_refused() -> None:
    with pytest.raises(InputFileError, match="keys: two keys are named 'alice'"):
        ring(f"alice {SECRET}", "alice another-key-0123456789")


def test_an_empty_ring_lets_everybody_ask_whatever_they_send() -> None:
    assert KeyRing().holder(None) is None
    assert KeyRing().holder("Bearer anything") is None


@pytest.mark.parametrize("text", ["", "# none\n", "short\n", "a b c\n", f"{SECRET}\nx {SECRET}\n",
                                  "sha256:abc\n"])  # fmt: skip
def test_a_file_that_holds_no_good_keys_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text(text)
    with pytest.raises(InputFileError) as refused:
        read_keys(path)
    assert SECRET not in str(refused.value)
    with pytest.raises(InputFileError):
        read_keys(tmp_path / "missing")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_on_loopback_no_key_is_needed(host: str) -> None:
    check_exposure(host, KeyRing(), without_keys=False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org", ""])
def test_elsewhere_a_key_is_needed_or_a_word(host: str) -> None:
    with pytest.raises(RequestError, match="--without-keys"):
        check_exposure(host, KeyRing(), without_keys=False)
    check_exposure(host, KeyRing(), without_keys=True)
    check_exposure(host, ring(SECRET), without_keys=False)
