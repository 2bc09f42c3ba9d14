# SPDX-License-Identifier: GPL-2.0-only
"""The remembered command names of tasks: what `saved_cmdlines` shows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from emu.ftrace.native import comms as native
from emu.native.record import Record

__all__ = ["Comms"]


class Comms:
    """A ring of (pid, name) that native code fills.

    Attributes:
        record: the table's record for native code (`native.comms`).
    """

    def __init__(self, capacity: int) -> None:
        self.record = Record(native.WORDS)
        self._index = np.zeros(native.PIDS, np.uint32)
        self._entries = np.zeros(0, native.ENTRY)
        self.resize(capacity)

    def resize(self, capacity: int) -> None:
        """Forgets all names, and makes room for `capacity` names."""
        self._entries = np.zeros(capacity, native.ENTRY)
        self._index[:] = 0
        for field, value in (
            (native.ENTRIES, self._entries.ctypes.data),
            (native.CAPACITY, capacity),
            (native.BEGUN, 0),
            (native.INDEX, self._index.ctypes.data),
        ):
            self.record.set(field, value)

    def remember(self, pid: int, name: str) -> None:
        """Keeps one name, as native code does at a process switch."""
        if pid == 0:
            return
        place = pid % native.PIDS
        known = int(self._index[place])
        if known == 0:
            begun = self.record.get(native.BEGUN)
            self.record.set(native.BEGUN, begun + 1)
            known = begun % len(self._entries) + 1
            if begun >= len(self._entries):
                self._index[int(self._entries[known - 1]["pid"]) % native.PIDS] = 0
            self._index[place] = known
        self._entries[known - 1] = (pid, name.encode()[: native.ENTRY["name"].itemsize - 1])

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """(pid, name), oldest place first."""
        used = min(self.record.get(native.BEGUN), len(self._entries))
        for entry in self._entries[:used]:
            yield int(entry["pid"]), _text(entry["name"])

    def name(self, pid: int) -> str | None:
        """A task's name, None if it is not remembered."""
        known = int(self._index[pid % native.PIDS])
        if known == 0 or int(self._entries[known - 1]["pid"]) != pid:
            return None
        return _text(self._entries[known - 1]["name"])


def _text(name: bytes) -> str:
    """The text of a C string. After its NUL there may be the rest of an earlier, longer name."""
    return name.split(b"\0")[0].decode(errors="replace")
