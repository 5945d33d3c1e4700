"""A device by its name, if it is there."""

from __future__ import annotations

import re

import torch

from steelyard.errors import RequestError


def device_of(name: str) -> torch.device:
    """The device that is called "cpu", "cuda" or "cuda:N".

    Raises:
        RequestError: another name, or a device that this machine or this torch has not.
    """
    if not isinstance(name, str) or not re.fullmatch(r"cpu|cuda(:\d+)?", name):
        raise RequestError(f"{name!r}; allowed: cpu, cuda, cuda:N", field="device")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise RequestError(f"{name!r} is not to be had here: {reason}", field="device") from error
    return device
