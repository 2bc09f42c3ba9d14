# SPDX-License-Identifier: GPL-2.0-only
"""What makes the guest's events happen outside, by event."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from emu.ftrace.event.call import EventCall
from emu.ftrace.event.source import EventSource
from emu.ftrace.native.trace_records import Event
from emu.linux.tracing.events.reader import LinuxEvent
from emu.linux.tracing.events.syscall_source import SyscallSources, Way
from emu.linux.tracing.tracepoints import Tracepoints, TracepointSource

__all__ = ["EventSources"]


class EventSources:
    """The sources of a guest's events.

    Args:
        tracepoints: the guest's.
        syscalls: those of system calls' events.
        record: the record of an event for native code.
    """

    def __init__(
        self, tracepoints: Tracepoints, syscalls: SyscallSources, record: Callable[[EventCall], Event | None]
    ) -> None:
        self._tracepoints, self._syscalls, self._record = tracepoints, syscalls, record

    def source(self, event: LinuxEvent) -> EventSource:
        """See `catalogue.Sources`."""
        if event.system == "raw_syscalls" and event.name in _RAW:
            return self._syscalls.source(_RAW[event.name], None, self._record)
        return TracepointSource(self._tracepoints, event, self._record)

    def of_syscall(self, way: Way, number: int) -> EventSource:
        return self._syscalls.source(way, number, self._record)


_RAW: Mapping[str, Way] = {"sys_enter": "enter", "sys_exit": "exit"}
