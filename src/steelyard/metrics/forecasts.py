"""What the formulas ask of an array of forecasts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.errors import ShapeError

SUM_TOLERANCE = 1e-4  # room for float32; forecasts shown with two decimals are not probabilities


def as_forecasts(values: np.ndarray, field: str) -> np.ndarray:
    """float64 (n, k), each row a distribution.

    Raises:
        ShapeError: not two axes, an empty one, or a row that is no distribution; its field is
            `field`.
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 2 or 0 in values.shape:
        raise ShapeError(f"shape {values.shape}; allowed: (n, k) with n and k from 1", field=field)
    wrong = (values < 0).any(axis=1) | ~(abs(values.sum(axis=1) - 1) <= SUM_TOLERANCE)
    if wrong.any():
        row = int(wrong.argmax())
        raise ShapeError(
            f"row {row} is {values[row]}; allowed: numbers from 0 that sum to 1", field=field
        )
    return values


def padded(rows: Sequence[Sequence[float] | np.ndarray]) -> np.ndarray:
    """float64 (n, k): rows of up to k options, one or more rows, with zeros after shorter ones."""
    wide = np.zeros((len(rows), max(map(len, rows))))
    for into, row in zip(wide, rows, strict=True):
        into[: len(row)] = row
    return wide
