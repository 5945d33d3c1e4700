"""Which CPU this is, as far as compiled code depends on it."""

from __future__ import annotations

import hashlib
import platform
from pathlib import Path

import openvino as ov

CPUINFO = Path("/proc/cpuinfo")
KINDS = (
    *("vendor_id", "cpu family", "model", "model name", "flags"),  # x86
    *("CPU implementer", "CPU architecture", "CPU variant", "CPU part", "Features"),  # Arm
)


def processor_digest() -> str:
    """Twelve hexadecimal digits: alike on CPUs of one model with the same instructions.

    Two machines may read one folder, and what was compiled for one need not run on the other. A
    virtual machine's name says little, so the instructions that Linux lists count as well.
    """
    name = ov.Core().get_property("CPU", "FULL_DEVICE_NAME")
    told = [name, platform.machine(), platform.processor(), *_listed()]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:12]


def _listed() -> list[str]:
    """The lines that Linux shows of the first CPU, but for those that change; none elsewhere."""
    if not CPUINFO.exists():
        return []
    first = CPUINFO.read_text(encoding="utf-8", errors="replace").split("\n\n")[0]
    return [line for line in first.splitlines() if line.split(":")[0].strip() in KINDS]
