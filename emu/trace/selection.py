# SPDX-License-Identifier: GPL-2.0-only
"""A selection of events, tasks, CPUs and time."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from emu.trace.buffer_events import BufferEvents
    from emu.trace.trace import Trace

__all__ = ["Selection", "selected"]

_CALL = "ftrace:funcgraph_entry"


@dataclass(frozen=True)
class Selection:
    """The selected part of a trace.

    Attributes:
        events: the selected events, by `system:event`; None: all.
        cpus, pids: the selected CPUs and tasks; None: all.
        start, end: the first and the last selected nanosecond.
    """

    events: Collection[str] | None = None
    cpus: Collection[int] | None = None
    pids: Collection[int] | None = None
    start: int | None = None
    end: int | None = None

    def rows(self, trace: Trace, events: BufferEvents) -> NDArray[np.int64]:
        """The selected rows of a buffer."""
        chosen = self._chosen(events.pid, events.columns.cpu, events.columns.time)
        if self.events is not None:
            wanted = [number for number, call in trace.formats.by_number.items() if call.path in self.events]
            chosen &= np.isin(events.columns.kind, wanted)
        return np.flatnonzero(chosen)

    def calls(self, trace: Trace) -> NDArray[np.int64]:
        """The selected rows of `trace.calls`: calls of these tasks that began on these CPUs, in this time."""
        if self.events is not None and _CALL not in self.events:
            return np.empty(0, np.int64)
        calls = trace.calls
        return np.flatnonzero(self._chosen(calls["pid"], calls["cpu"], calls["entry"]))

    def _chosen(self, pid: NDArray[np.integer], cpu: NDArray[np.integer], time: NDArray[np.uint64]) -> NDArray[np.bool_]:
        chosen = selected(pid, cpu, self.pids or (), self.cpus)
        if self.start is not None:
            chosen &= time >= np.uint64(self.start)
        if self.end is not None:
            chosen &= time <= np.uint64(self.end)
        return chosen


def selected(
    pid: NDArray[np.integer], cpu: NDArray[np.integer], pids: Collection[int], cpus: Collection[int] | None
) -> NDArray[np.bool_]:
    """The mask of rows of these tasks, on these CPUs. Empty `pids`: all tasks; None for `cpus`: all CPUs."""
    chosen = np.ones(len(pid), bool)
    if pids:
        chosen &= np.isin(pid, list(pids))
    if cpus is not None:
        chosen &= np.isin(cpu, list(cpus))
    return chosen
