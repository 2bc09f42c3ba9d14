# SPDX-License-Identifier: GPL-2.0-only
"""Guest events that need preparation before they can happen (Linux: TRACE_EVENT_FN)."""

from __future__ import annotations

import os

from emu.ftrace.errors import TraceError
from emu.ftrace.event.source import EventSource
from emu.kernel.work import Work, WorkKind

__all__ = ["GuestSource"]


class GuestSource(EventSource):
    """The guest functions that its thread calls when the first array uses an event, and when the last one stops using it.

    Args:
        work: calls them in the guest.
        address: the event's struct trace_event_call, which has pointers to them.
    """

    def __init__(self, work: Work, address: int) -> None:
        super().__init__()
        self._work = work
        self._address = address

    def start(self) -> None:
        self._work.ask(WorkKind.EVENT_REG, self._address, on_done=self._started)

    def stop(self) -> None:
        self._work.ask(WorkKind.EVENT_UNREG, self._address)

    def _started(self, result: int) -> None:
        if result < 0:
            self._work.refuse(TraceError(-result, f"the event cannot happen: {os.strerror(-result).lower()}"))
