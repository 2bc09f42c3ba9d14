# SPDX-License-Identifier: GPL-2.0-only
"""What makes the guest's events happen outside, by event."""

from __future__ import annotations

import errno

from emu.ftrace.errors import TraceError
from emu.ftrace.event.source import EventSource
from emu.linux.tracing.events.reader import LinuxEvent

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
    """The sources of a guest's events."""

    def source(self, event: LinuxEvent) -> EventSource:
        return _Refused(event)

    def of_syscall(self, event: LinuxEvent, number: int) -> EventSource:
        return _Refused(event)
