# SPDX-License-Identifier: GPL-2.0-only
"""What makes the guest's events happen outside, by event."""

from __future__ import annotations

import errno
from collections.abc import Callable

from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.source import EventSource
from emu.ftrace.native.trace_records import Event
from emu.linux.tracing.events.reader import LinuxEvent
from emu.linux.tracing.tracepoints import Tracepoints, TracepointSource

__all__ = ["EventSources"]


class _Refused(EventSource):
    """An event that cannot be had."""

    def __init__(self, event: LinuxEvent) -> None:
        super().__init__()
        self._event = event

    def start(self) -> None:
        path = f"{self._event.system}:{self._event.name}"
        raise TraceError(errno.EOPNOTSUPP, f"{path} cannot be recorded from outside; the guest's own tracefs has it")


class EventSources:
    """The sources of a guest's events.

    Args:
        tracepoints: the guest's.
        record: the record of an event for native code.
    """

    def __init__(self, tracepoints: Tracepoints, record: Callable[[EventCall], Event | None]) -> None:
        self._tracepoints, self._record = tracepoints, record

    def source(self, event: LinuxEvent) -> EventSource:
        return TracepointSource(self._tracepoints, event, self._record)

    def of_syscall(self, event: LinuxEvent, number: int) -> EventSource:
        return _Refused(event)
