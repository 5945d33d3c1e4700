"""Settings of the whole suite."""

from hypothesis import settings

# Same examples in every run, and no deadline: a busy machine is not a bug.
settings.register_profile("steady", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("steady")
