"""Scripts that measure steelyard, one JSON record a run: python -m benchmarks.NAME."""
