# SPDX-License-Identifier: GPL-2.0-only
"""Events of the guest that need something before they can happen (Linux: TRACE_EVENT_FN)."""

from __future__ import annotations

import os

from emu.ftrace.errors import TraceError
from emu.ftrace.event.source import EventSource
from emu.kernel.work import Work, WorkKind

__all__ = ["GuestSource"]


class GuestSource(EventSource):
    """Functions of the guest that its thread calls when the first array wants an event, and when none does any more.

    Args:
        work: has them called.
        address: of the event's struct trace_event_call, which says what they are.
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
