"""What the package says of itself agrees with what is in it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from steelyard import __version__

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SOURCES = sorted((ROOT / "src").rglob("*.py"))


def test_the_changelog_begins_with_this_version() -> None:
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings[0] == __version__


def test_every_extra_that_an_error_names_can_be_installed_and_has_the_package() -> None:
    extras = PROJECT["optional-dependencies"]
    named = {
        (package, extra)
        for source in SOURCES
        for package, extra in re.findall(
            r'MissingExtraError\(\s*"([\w-]+)",\s*"(\w+)"', source.read_text(encoding="utf-8")
        )
    }
    assert named
    for package, extra in named:
        names = [re.split(r"[<>=\[]", line)[0] for line in extras[extra]]
        assert package.replace("_", "-") in names, (package, extra)


def test_the_command_exists() -> None:
    from steelyard.cli import main

    module, function = PROJECT["scripts"]["steelyard"].split(":")
    assert module == main.__name__
    assert callable(getattr(main, function))
