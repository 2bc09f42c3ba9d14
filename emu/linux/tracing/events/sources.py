# SPDX-License-Identifier: GPL-2.0-only
"""What makes the guest's events happen outside, by event."""

from __future__ import annotations

import errno
from collections.abc import Mapping

from emu.ftrace.errors import TraceError
from emu.ftrace.event.source import EventSource
from emu.linux.tracing.events.reader import LinuxEvent
from emu.linux.tracing.events.syscall_source import SyscallSources, Way

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
    """The sources of a guest's events. `syscalls`: those of system calls' events."""

    def __init__(self, syscalls: SyscallSources) -> None:
        self._syscalls = syscalls

    def source(self, event: LinuxEvent) -> EventSource:
        """See `catalogue.Sources`."""
        if event.system == "raw_syscalls" and event.name in _RAW:
            return self._syscalls.source(_RAW[event.name], None)
        return _Refused(event)

    def of_syscall(self, way: Way, number: int) -> EventSource:
        return self._syscalls.source(way, number)


_RAW: Mapping[str, Way] = {"sys_enter": "enter", "sys_exit": "exit"}
