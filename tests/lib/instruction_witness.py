# SPDX-License-Identifier: GPL-2.0-only
"""An independent count of how often a block begins at each address of the kernel's text, made by a block hook of its own.

If an instruction and its predecessor in memory both have a breakpoint, each arrival at the instruction begins a block: a CPU
comes from the predecessor's copy, or by a jump.
"""

from __future__ import annotations

import numpy as np

from emu.machine import Machine
from emu.native.functions import callback
from emu.native.records import Record, Values, inline, u32, u64

__all__ = ["InstructionWitness"]


class Log(Record):
    """How often a block has begun at each address from `first` on."""

    first: u64
    size: u64
    counts: Values[u64] = inline()


@callback
def begun(uc: u64, address: u64, size: u32, log: Log) -> None:
    place = address - log.first
    if place < log.size:
        log.counts[place] += 1


class InstructionWitness:
    """Counts on every CPU of a booted machine, from now on, for as long as the machine is used."""

    def __init__(self, machine: Machine) -> None:
        image = machine.kernel.image
        self._first = image.symbol("_text")
        size = image.symbol("_etext") - self._first
        self._log = np.zeros(2 + size, np.uint64)
        self._log[:2] = self._first, size
        for cpu in machine.board.cpus:
            cpu.watch_blocks(begun.address, self._log.ctypes.data)

    def count(self, address: int) -> int:
        """How often a block has begun at an address."""
        return int(self._log[2 + address - self._first])

    def clear(self) -> None:
        """Resets the counts."""
        self._log[2:] = 0
