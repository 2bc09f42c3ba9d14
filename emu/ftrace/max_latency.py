# SPDX-License-Identifier: GPL-2.0-only
"""The worst latency that a trace array has seen: tracing_max_latency, and what the header of a trace says of it."""

from __future__ import annotations

from collections.abc import Mapping

from emu.ftrace.array_records import ArrayRecords
from emu.ftrace.native import array_record, max_latency_record, trace_records
from emu.ftrace.text.view import LatencyData

__all__ = ["MaxLatency"]

_DEFAULT_PRIO = 120  # static_prio of nice 0
_NS = 1000  # in a microsecond


class MaxLatency:
    """What native code keeps of the worst latency (`native.max_latency_record`).

    Args:
        records: the array's.

    Attributes:
        closed: threads that measured for a tracer are being stopped: what they still find does not count.
    """

    def __init__(self, records: ArrayRecords) -> None:
        self._record = trace_records.MaxLatency.allocate()
        self._options_before: Mapping[str, bool] = {}
        self.closed = False
        records.array.set(array_record.MAX_LATENCY, self._record.address)

    @property
    def microseconds(self) -> int:
        """tracing_max_latency, cut to microseconds as Linux does."""
        return self._record.get(max_latency_record.MAX_LATENCY) // _NS

    def set(self, microseconds: int) -> None:
        """Sets tracing_max_latency."""
        self._record.set(max_latency_record.MAX_LATENCY, microseconds * _NS)

    def raise_to(self, nanoseconds: int) -> None:
        """Sets tracing_max_latency, unless it is as much already, or does not count."""
        if not self.closed and nanoseconds > self._record.get(max_latency_record.MAX_LATENCY):
            self._record.set(max_latency_record.MAX_LATENCY, nanoseconds)

    @property
    def start(self) -> int:
        """When what the spare buffers hold began, by the trace's clock."""
        return self._record.get(max_latency_record.START)

    def data(self) -> LatencyData:
        """What the header of a trace says of it."""
        get = self._record.get
        comm = self._record.words.tobytes()[int(max_latency_record.COMM) :][:16]
        return LatencyData(
            latency=get(max_latency_record.SAVED_LATENCY),
            cpu=get(max_latency_record.CPU),
            comm=comm.partition(b"\0")[0].decode(errors="replace"),
            pid=get(max_latency_record.PID),
            nice=(get(max_latency_record.STATIC_PRIO) or _DEFAULT_PRIO) - _DEFAULT_PRIO,
            policy=get(max_latency_record.POLICY),
            rt_priority=get(max_latency_record.RT_PRIORITY),
            critical_start=get(max_latency_record.CRITICAL_START),
            critical_end=get(max_latency_record.CRITICAL_END),
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
        self._record.set(max_latency_record.ENABLED, int(on))

    def show_graph(self, on: bool) -> None:
        """Whether the tracer records graphs."""
        self._record.set(max_latency_record.GRAPH, int(on))

    def look_for_sections(self, which: int, keep: int) -> None:
        """Wants critical sections: bits of max_latency_record.SECTIONS. `keep`: see max_latency_record.KEEP."""
        self._record.set(max_latency_record.KEEP, keep)
        self._record.set(max_latency_record.SECTIONS, which)
