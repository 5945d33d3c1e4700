"""Which of the packages that compute are installed; nothing is imported to find out."""

from __future__ import annotations

import importlib.util

from steelyard.errors import MissingExtraError


def is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def need(package: str) -> None:
    """Raises MissingExtraError where a package, which is called like its extra, is missing."""
    if not is_installed(package):
        raise MissingExtraError(package, package)
