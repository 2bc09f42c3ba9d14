# SPDX-License-Identifier: GPL-2.0-only
"""The trace clocks, from which native code takes timestamps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emu.ftrace.arch.native_tracing import NativeTracing
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.buffers.clock_names import counts_nanoseconds
from emu.ftrace.guest.traced_kernel import TracedKernel
from emu.ftrace.native.trace_values import CLOCK_COUNTER, CLOCK_LINEAR, CLOCK_NANOSECONDS, CLOCK_TICKS
from emu.native.records import Values, u64

__all__ = ["Clock", "Clocks"]


@dataclass(frozen=True)
class Clock:
    """One entry of trace_clock."""

    name: str
    source: int  # one of native code's CLOCK_ constants
    rate: int = 0  # for CLOCK_LINEAR: units of the clock per cycle
    offset: int = 0  # nanoseconds at boot

    @property
    def is_ns(self) -> bool:
        """Whether the clock counts nanoseconds."""
        return counts_nanoseconds(self.name)


class Clocks:
    """The clocks of a kernel. The counter clock has one counter for all trace arrays."""

    def __init__(self, kernel: TracedKernel, arch: NativeTracing, records: RecordLists) -> None:
        self._counter = np.zeros(1, np.uint64)
        for array in records.arrays:
            array.counter = Values[u64](self._counter.ctypes.data)
        rate, rest = divmod(10**9, kernel.board.frequency)
        source = CLOCK_NANOSECONDS if rest else CLOCK_LINEAR

        def nanoseconds(name: str, at_boot: int = 0) -> Clock:
            return Clock(name, source, rate, at_boot)

        self._clocks = (
            nanoseconds("local"),
            nanoseconds("global"),
            Clock("counter", CLOCK_COUNTER),
            Clock("uptime", CLOCK_TICKS),
            nanoseconds("perf"),
            nanoseconds("mono"),
            nanoseconds("mono_raw"),
            nanoseconds("boot"),
            nanoseconds("tai", kernel.boot_time * 10**9),
            Clock(arch.cycle_clock, CLOCK_LINEAR, rate=1),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the clocks, in the order of trace_clock."""
        return tuple(clock.name for clock in self._clocks)

    @property
    def first(self) -> Clock:
        """The initial clock of a trace array."""
        return self._clocks[0]

    @property
    def counted(self) -> int:
        """The current value of the counter clock."""
        return int(self._counter[0])

    def named(self, name: str) -> Clock | None:
        return next((clock for clock in self._clocks if clock.name == name), None)
