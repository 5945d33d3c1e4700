"""Kept answers as what a calibration learns from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.calibration.readings import Reading
from steelyard.calibration.recipe import Origin
from steelyard.errors import InputFileError
from steelyard.evaluation.run import Maker, Prediction

LEAST = 1e-16
"""Probabilities below count as this: it is what is left of 1 - p where p is kept as 1."""


def readings_of(maker: Maker, predictions: Sequence[Prediction]) -> list[Reading]:
    """Answers as readings; their scores are the logarithms of the kept probabilities.

    A softmax of those gives the probabilities back, so every fit finds what it would find on the
    scores themselves.

    Raises:
        InputFileError: the answers are calibrated already, so that a map of them would be a map
            after a map.
    """
    if maker.calibrator is not None:
        raise InputFileError(
            f"calibrated by {maker.calibrator}; allowed: answers of an engine that was loaded with "
            "calibrated=False",
            field="calibrator",
        )
    return [
        Reading(
            kind=one.kind,
            scores=np.log(np.maximum(one.probabilities, LEAST)),
            target=np.array(one.target),
            group=one.group,
            exit_layer=one.exit_layer,
        )
        for one in predictions
    ]


def origin_of(maker: Maker) -> Origin:
    """What the card will say of where the answers come from.

    Raises:
        InputFileError: their settings do not say by which readout they were read.
    """
    settings = maker.settings
    how = settings.get("how")
    readout = settings.get("readout")
    if not isinstance(readout, str) or not isinstance(how, dict):
        raise InputFileError("missing; `steelyard calibrate` keeps it", field="settings.readout")
    return Origin(
        model=maker.weights,
        layout=maker.layout,
        readout=readout,
        rotations=how.get("rotations", 1),
        reread_below=float(how.get("reread_below", 0.0)),
    )
