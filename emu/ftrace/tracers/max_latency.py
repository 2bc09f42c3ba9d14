# SPDX-License-Identifier: GPL-2.0-only
"""The worst latency of a trace array: tracing_max_latency, and the lines about it in a trace's header."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.native import trace_records
from emu.ftrace.native.trace_records import ArrayCpu
from emu.ftrace.text.view import LatencyData

__all__ = ["MaxLatency"]

_DEFAULT_PRIO = 120  # static_prio at nice 0
_NS = 1000  # nanoseconds per microsecond
_COMM_SIZE = 16


class MaxLatency:
    """Native code's record of the worst latency (`trace_records.MaxLatency`).

    Args:
        records: the array's records.

    Attributes:
        closed: measuring threads are being stopped; latencies that they still find are ignored.
    """

    def __init__(self, records: ArrayRecords) -> None:
        self._record = trace_records.MaxLatency.allocate()
        self._options_before: Mapping[str, bool] = {}
        self.closed = False
        records.array.max_latency = self._record

    @property
    def microseconds(self) -> int:
        """tracing_max_latency, truncated to microseconds as in Linux."""
        return self._record.max_latency // _NS

    def set(self, microseconds: int) -> None:
        """Sets tracing_max_latency."""
        self._record.max_latency = microseconds * _NS

    def raise_to(self, nanoseconds: int) -> None:
        """Sets tracing_max_latency, unless it is at least that already, or latencies are ignored."""
        if not self.closed and nanoseconds > self._record.max_latency:
            self._record.max_latency = nanoseconds

    @property
    def start(self) -> int:
        """The start of the trace in the spare buffers, in the trace clock's time."""
        return self._record.start

    def data(self) -> LatencyData:
        """The data of a trace's header about it."""
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

    # The current latency tracer

    def keep_options(self, options: Mapping[str, bool]) -> None:
        """Saves the options' values from before the tracer changed them."""
        self._options_before = options

    def take_options(self) -> Mapping[str, bool]:
        """The saved values of the options, when the tracer is removed. Returned once."""
        options, self._options_before = self._options_before, {}
        return options

    @property
    def changes_options(self) -> bool:
        """Whether the tracer has changed options."""
        return bool(self._options_before)

    def enable(self, on: bool) -> None:
        """Sets whether latencies are measured."""
        self._record.enabled = on

    def show_graph(self, on: bool) -> None:
        """Sets whether the tracer records graphs."""
        self._record.graph = on

    def look_for_sections(self, which: int, keep: Callable[[Cpu, ArrayCpu], None]) -> None:
        """Starts to trace critical sections. `which`: `trace_records.MaxLatency.sections`; `keep`: records a section."""
        self._record.keep = keep
        self._record.sections = which

    def look_for_none(self) -> None:
        """Stops tracing critical sections."""
        self._record.sections = 0
