# SPDX-License-Identifier: GPL-2.0-only
"""A log of the blocks that a CPU begins: of all, or of those at marked addresses."""

from __future__ import annotations

import numpy as np

from emu.cpu.cpu import Cpu
from emu.native.functions import callback
from emu.native.records import Bytes, Record, Words, u32, u64

__all__ = ["BlockLog"]

_GRANULE = 4  # bytes, for each of which there is a mark


class Log(Record):
    """The log of a CPU."""

    on: bool
    filtered: bool
    count: u64
    capacity: u64
    rows: Words
    first: u64
    size: u64
    marks: Bytes


@callback
def log(uc: u64, address: u64, size: u32, log: Log) -> None:
    if not log.on or log.count >= log.capacity:
        return
    if log.filtered:
        place = address - log.first
        if place >= log.size or log.marks[place // _GRANULE] == 0:
            return
    log.rows[log.count] = address
    log.count += 1


class BlockLog:
    """Logs while `on`.

    Args:
        cpu: whose blocks are logged, after the host's own work at them. It has executed an instruction.
        only: the addresses at which blocks are logged; None: all.
    """

    def __init__(self, cpu: Cpu, only: list[int] | None = None, capacity: int = 1 << 20) -> None:
        self._rows = np.zeros(capacity, np.uint64)
        self._log = Log.allocate()
        self._log.rows, self._log.capacity = Words(self._rows.ctypes.data), capacity
        if only is not None:
            first = min(only)
            self._log.filtered = True
            self._log.first, self._log.size = first, max(only) - first + _GRANULE
            self._marks = np.zeros(self._log.size // _GRANULE + 1, np.uint8)
            self._marks[[(address - first) // _GRANULE for address in only]] = 1
            self._log.marks = Bytes(self._marks.ctypes.data)
        cpu.watch_blocks(log.address, self._log.address)

    @property
    def on(self) -> bool:
        return bool(self._log.on)

    @on.setter
    def on(self, value: bool) -> None:
        self._log.on = value

    @property
    def addresses(self) -> list[int]:
        """Where the logged blocks began, in order."""
        found: list[int] = self._rows[: self._log.count].tolist()
        return found
