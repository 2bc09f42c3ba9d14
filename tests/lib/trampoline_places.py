# SPDX-License-Identifier: GPL-2.0-only
"""Places for trampolines, of which a machine has so many that no test would use them up."""

from __future__ import annotations

from emu.ftrace.trampolines import PLACE_SIZE, Trampolines
from emu.machine import Machine

__all__ = ["leave_places"]


def leave_places(machine: Machine, places: int) -> Trampolines:
    """Takes all places but so many. Returns those of the machine."""
    trampolines = machine.trace_array.recorder.globals.trampolines
    for _ in range(len(trampolines) - places):
        trampolines.allocate(PLACE_SIZE)
    return trampolines
