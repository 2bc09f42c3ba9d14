# SPDX-License-Identifier: GPL-2.0-only
"""Names of tasks that saved_cmdlines lacks, learned as by trace-cmd: from the switches and wakeups that were printed.

The first name in a line is the task's from the next line on. Events that are not printed do not count.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emu.trace.buffer_events import BufferEvents
from emu.trace.event_table import EventTable, is_text
from emu.trace.report.needed_fields import has_needed
from emu.trace.report.plugins.sched_switch import NAMED_TASKS
from emu.trace.trace import Trace

__all__ = ["ToldNames"]


class ToldNames:
    """The names learned from some rows of a buffer, in the order of the rows.

    Attributes:
        names: by pid.
    """

    def __init__(self, trace: Trace, events: BufferEvents, rows: NDArray[np.int64]) -> None:
        self.names: dict[int, str] = {}
        unnamed = [pid for pid in np.unique(events.pid[rows]).tolist() if pid and trace.tasks.saved_comm_of(pid) is None]
        found = _told(trace, events, rows, np.array(unnamed, np.int64)) if unnamed else []
        first: dict[int, int] = {}
        for row, pid, name in sorted(found, key=lambda each: each[0]):  # in one row, in printing order
            if pid not in self.names:
                self.names[pid], first[pid] = name, row
        self._pids = np.array(sorted(first), np.int64)
        self._rows = np.array([first[pid] for pid in sorted(first)], np.int64)

    def known(self, pid: NDArray[np.int32], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """At which rows the name of the task, with this `pid`, is known."""
        if not len(self._pids):
            return np.zeros(len(rows), np.bool_)
        place = np.minimum(np.searchsorted(self._pids, pid), len(self._pids) - 1)
        return np.asarray((self._pids[place] == pid) & (rows > self._rows[place]))


def _told(
    trace: Trace, events: BufferEvents, rows: NDArray[np.int64], pids: NDArray[np.int64]
) -> list[tuple[int, int, str]]:
    """Row, pid and name of the first event with the name of each task."""
    found: list[tuple[int, int, str]] = []
    for path, prefixes in NAMED_TASKS.items():
        call = trace.formats.get(path)
        if call is None or not has_needed(call, events.words):
            continue
        table = EventTable(call, events, rows[events.columns.kind[rows] == call.number])
        texts = {field.name: field for field in call.fields if is_text(field)}
        for prefix in (each for each in prefixes if f"{each}comm" in texts):
            told = table[f"{prefix}pid"].astype(np.int64)
            among = np.flatnonzero(np.isin(told, pids))
            _, firsts = np.unique(told[among], return_index=True)
            some = table.some(among[firsts])
            which, contents = some.text_ranges(texts[f"{prefix}comm"]).distinct()
            names = [contents[number].decode(errors="surrogateescape") for number in which.tolist()]
            found += zip(some.rows.tolist(), some[f"{prefix}pid"].tolist(), names, strict=True)
    return found
