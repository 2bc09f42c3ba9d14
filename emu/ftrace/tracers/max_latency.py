# SPDX-License-Identifier: GPL-2.0-only
"""The worst latency that a trace array has seen: tracing_max_latency, and what the header of a trace says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.native import trace_records
from emu.ftrace.native.trace_records import ArrayCpu
from emu.ftrace.text.view import LatencyData

__all__ = ["MaxLatency"]

_DEFAULT_PRIO = 120  # static_prio of nice 0
_NS = 1000  # in a microsecond
_COMM_SIZE = 16


class MaxLatency:
    """What native code keeps of the worst latency (`trace_records.MaxLatency`).

    Args:
        records: the array's.

    Attributes:
        closed: threads that measured for a tracer are being stopped: what they still find does not count.
    """

    def __init__(self, records: ArrayRecords) -> None:
        self._record = trace_records.MaxLatency.allocate()
        self._options_before: Mapping[str, bool] = {}
        self.closed = False
        records.array.max_latency = self._record

    @property
    def microseconds(self) -> int:
        """tracing_max_latency, cut to microseconds as Linux does."""
        return self._record.max_latency // _NS

    def set(self, microseconds: int) -> None:
        """Sets tracing_max_latency."""
        self._record.max_latency = microseconds * _NS

    def raise_to(self, nanoseconds: int) -> None:
        """Sets tracing_max_latency, unless it is as much already, or does not count."""
        if not self.closed and nanoseconds > self._record.max_latency:
            self._record.max_latency = nanoseconds

    @property
    def start(self) -> int:
        """When what the spare buffers hold began, by the trace's clock."""
        return self._record.start

    def data(self) -> LatencyData:
        """What the header of a trace says of it."""
        worst = self._record
        return LatencyData(
            latency=worst.saved_latency,
            cpu=worst.cpu,
            comm=bytes(worst.comm[n] for n in range(_COMM_SIZE)).partition(b"\0")[0].decode(errors="replace"),
            pid=worst.pid,
            nice=(worst.static_prio or _DEFAULT_PRIO) - _DEFAULT_PRIO,
            policy=worst.policy,
            rt_priority=worst.rt_priority,
            critical_start=worst.critical_start,
            critical_end=worst.critical_end,
        )

    # The latency tracer that is set

    def keep_options(self, options: Mapping[str, bool]) -> None:
        """What options were before the tracer changed them."""
        self._options_before = options

    def take_options(self) -> Mapping[str, bool]:
        """The tracer goes: what its options were. Returned once."""
        options, self._options_before = self._options_before, {}
        return options

    @property
    def changes_options(self) -> bool:
        """Whether options are what the tracer needs."""
        return bool(self._options_before)

    def enable(self, on: bool) -> None:
        """Whether latencies are looked for."""
        self._record.enabled = on

    def show_graph(self, on: bool) -> None:
        """Whether the tracer records graphs."""
        self._record.graph = on

    def look_for_sections(self, which: int, keep: Callable[[Cpu, ArrayCpu], None]) -> None:
        """Wants critical sections. `which`: `trace_records.MaxLatency.sections`; `keep`: what keeps one."""
        self._record.keep = keep
        self._record.sections = which

    def look_for_none(self) -> None:
        """Wants no sections any more."""
        self._record.sections = 0
