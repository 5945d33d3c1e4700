"""Settings of the whole suite."""

import logging
from collections.abc import Iterator

import pytest
from hypothesis import settings

# Same examples in every run, and no deadline: a busy machine is not a bug.
settings.register_profile("steady", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def own_log_level() -> Iterator[None]:
    """The command line sets the library's log level; the next test finds it as it was."""
    logger = logging.getLogger("steelyard")
    level = logger.level
    yield
    logger.setLevel(level)
