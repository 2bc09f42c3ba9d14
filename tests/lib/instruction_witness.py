# SPDX-License-Identifier: GPL-2.0-only
"""An independent count of how often a block begins at each address of the kernel's text, made by a block hook of its own.

At an instruction with a breakpoint, whose predecessor in memory has one, too, each arrival begins a block: a CPU comes from the
predecessor's copy, or by a jump.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import types

from emu.machine import Machine
from emu.native.pointers import load_u64, store_u64

__all__ = ["InstructionWitness"]

FIRST, SIZE, HEAD, WORD = np.uint64(0), np.uint64(8), np.uint64(16), np.uint64(8)


@numba.cfunc(types.void(types.uint64, types.uint64, types.uint32, types.uint64))
def _begun(uc, address, size, log):
    """`log`: the first address, how many there are, and a word for each."""
    place = address - load_u64(log + FIRST)
    if place < load_u64(log + SIZE):
        word = log + HEAD + place * WORD
        store_u64(word, load_u64(word) + np.uint64(1))


class InstructionWitness:
    """Counts on every CPU of a machine that has booted, from now on, for as long as the machine is used."""

    def __init__(self, machine: Machine) -> None:
        image = machine.kernel.image
        self._first = image.symbol("_text")
        size = image.symbol("_etext") - self._first
        self._log = np.zeros(2 + size, np.uint64)
        self._log[:2] = self._first, size
        for cpu in machine.board.cpus:
            cpu.watch_blocks(_begun.address, self._log.ctypes.data)

    def count(self, address: int) -> int:
        """How often a block has begun at an address."""
        return int(self._log[2 + address - self._first])

    def clear(self) -> None:
        """Forgets what has been counted."""
        self._log[2:] = 0
