# SPDX-License-Identifier: GPL-2.0-only
"""Probes in programs on x86-64: all registers are in the program's struct pt_regs."""

from __future__ import annotations

import numpy as np

from emu.cpu.arch.x86_64.state import register
from emu.cpu.native import cpu_record
from emu.ftrace.native import array_record, uprobe, uprobes_record
from emu.ftrace.native.arch import UprobeCallbacks
from emu.ftrace.native.arch.x86_64_probe import PROBE_REGISTERS
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import njit
from emu.native.pointers import load_u64, store_u64

__all__ = ["build"]

COUNT = len(PROBE_REGISTERS)
ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
DX, SI, DI = (np.uint64(register(name)) for name in ("dx", "si", "di"))


def build(guest: GuestLayout) -> UprobeCallbacks:
    """Compiles for a guest."""

    @njit
    def argument(cpu, n):
        env = load_u64(cpu + cpu_record.ENV)
        return load_u64(env + (DI if n == ZERO else SI if n == ONE else DX))

    @njit
    def pc(regs):
        return load_u64(regs + guest.saved_pc)

    @njit
    def fill(cpu, array, regs, image):
        offsets = load_u64(load_u64(array + array_record.UPROBES) + uprobes_record.SAVED_OFFSETS)
        for n in range(COUNT):
            word = np.uint64(n) * WORD
            store_u64(image + word, load_u64(regs + load_u64(offsets + word)))

    return uprobe.build(uprobe.Program(argument, pc, fill))
