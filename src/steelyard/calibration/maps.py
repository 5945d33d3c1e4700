"""What turns the scores of one slot into probabilities."""

from __future__ import annotations

from dataclasses import Field
from typing import Any, ClassVar, Protocol

import numpy as np


class Map(Protocol):
    """A fitted function from scores float64 (options,) to probabilities that sum to 1.

    It is a frozen value whose fields are numbers or nested tuples of numbers, which is all that a
    stored calibrator keeps of it.

    Attributes:
        keeps_order: whether an option with more of the scores never gets less of the probability.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    keeps_order: ClassVar[bool]

    def __call__(self, scores: np.ndarray) -> np.ndarray: ...
