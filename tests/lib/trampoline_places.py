# SPDX-License-Identifier: GPL-2.0-only
"""Slots for trampolines; a machine has so many that no test would otherwise use them up."""

from __future__ import annotations

from contextlib import suppress

from emu.ftrace.errors import TraceError
from emu.ftrace.sites.trampolines import PLACE_SIZE, Trampolines
from emu.machine import Machine

__all__ = ["free_places", "leave_places", "trampolines"]


def trampolines(machine: Machine) -> Trampolines:
    """The slots of a machine."""
    return machine.trace_array.recorder.globals.trampolines


def free_places(machine: Machine) -> int:
    """Takes all free slots. Returns their number."""
    places = trampolines(machine)
    taken = 0
    with suppress(TraceError):
        while True:
            places.allocate(PLACE_SIZE)
            taken += 1
    return taken


def leave_places(machine: Machine, places: int) -> Trampolines:
    """Takes all slots except `places`. Returns the machine's slots."""
    found = trampolines(machine)
    for _ in range(len(found) - places):
        found.allocate(PLACE_SIZE)
    return found
