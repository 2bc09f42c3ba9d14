# SPDX-License-Identifier: GPL-2.0-only
"""The remembered command names of tasks: what `saved_cmdlines` shows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from emu.ftrace.native import comms as native

__all__ = ["Comms"]

_ENTRY = np.dtype([("pid", "u8"), ("name", "S16")])


class Comms:
    """A ring of (pid, name) that native code fills; `address` is its table's."""

    def __init__(self, capacity: int) -> None:
        self._words = np.zeros(native.WORDS, np.uint64)
        self._index = np.zeros(native.PIDS, np.uint32)
        self._entries = np.zeros(0, _ENTRY)
        self.resize(capacity)

    @property
    def address(self) -> int:
        return self._words.ctypes.data

    def resize(self, capacity: int) -> None:
        """Forgets all names, and keeps room for `capacity`."""
        self._entries = np.zeros(capacity, _ENTRY)
        self._index[:] = 0
        self._words[:] = (self._entries.ctypes.data, capacity, 0, self._index.ctypes.data)

    def remember(self, pid: int, name: str) -> None:
        """Keeps one name, as native code does at a process switch."""
        if pid == 0:
            return
        place = pid % native.PIDS
        known = int(self._index[place])
        if known == 0:
            count = int(self._words[2])
            self._words[2] += np.uint64(1)
            known = count % len(self._entries) + 1
            if count >= len(self._entries):
                self._index[int(self._entries[known - 1]["pid"]) % native.PIDS] = 0
            self._index[place] = known
        self._entries[known - 1] = (pid, name.encode()[:15])

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """(pid, name), oldest place first."""
        used = min(int(self._words[2]), len(self._entries))
        for entry in self._entries[:used]:
            yield int(entry["pid"]), _text(entry["name"])

    def name(self, pid: int) -> str | None:
        """A task's name, None if it is not remembered."""
        known = int(self._index[pid % native.PIDS])
        if known == 0 or int(self._entries[known - 1]["pid"]) != pid:
            return None
        return _text(self._entries[known - 1]["name"])


def _text(name: bytes) -> str:
    """A C string: what an earlier, longer name left behind the NUL is not part of it."""
    return name.split(b"\0")[0].decode(errors="replace")
