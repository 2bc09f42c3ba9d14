# SPDX-License-Identifier: GPL-2.0-only
"""The trace clocks, from which native code takes the times of events."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emu.ftrace.arch import FtraceArch
from emu.ftrace.array_records import RecordLists
from emu.ftrace.native import array_record
from emu.kernel.image import Image

__all__ = ["Clock", "Clocks"]


@dataclass(frozen=True)
class Clock:
    """One entry of trace_clock."""

    name: str
    source: np.uint64  # one of native code's CLOCK_ constants
    offset: int = 0  # nanoseconds at boot

    @property
    def is_ns(self) -> bool:
        """Whether the clock counts nanoseconds."""
        return bool(self.source == array_record.CLOCK_NANOSECONDS)


class Clocks:
    """The clocks of a kernel. The counter clock has one counter for all trace arrays."""

    def __init__(self, image: Image, arch: FtraceArch, records: RecordLists) -> None:
        self._counter = np.zeros(1, np.uint64)
        records.set_in_all(array_record.COUNTER, self._counter.ctypes.data)
        nanoseconds = array_record.CLOCK_NANOSECONDS
        self._clocks = (
            Clock("local", nanoseconds),
            Clock("global", nanoseconds),
            Clock("counter", array_record.CLOCK_COUNTER),
            Clock("uptime", array_record.CLOCK_TICKS),
            Clock("perf", nanoseconds),
            Clock("mono", nanoseconds),
            Clock("mono_raw", nanoseconds),
            Clock("boot", nanoseconds),
            Clock("tai", nanoseconds, image.constant("WALL_CLOCK_AT_BOOT") * 10**9),
            Clock(arch.cycle_clock, array_record.CLOCK_CYCLES),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the clocks, in the order of trace_clock."""
        return tuple(clock.name for clock in self._clocks)

    @property
    def first(self) -> Clock:
        """The clock that a trace array begins with."""
        return self._clocks[0]

    def named(self, name: str) -> Clock | None:
        return next((clock for clock in self._clocks if clock.name == name), None)
