# SPDX-License-Identifier: GPL-2.0-only
"""Probes in programs on SPARC V9: globals and outs are in the program's struct pt_regs. All its windows have left the CPU, and
the innermost is the first that the task keeps.
"""

from __future__ import annotations

import numpy as np

from emu.cpu.native import cpu_record
from emu.ftrace.native import context, uprobe
from emu.ftrace.native.arch import UprobeCallbacks
from emu.ftrace.native.arch.sparc64_registers import FIRST_LOCAL, TNPC, TPC, TSTATE, Y
from emu.ftrace.native.arch.sparc64_windows import O0, WINDOW
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import njit
from emu.native.pointers import in_byte_order, load_u64, store_u64

__all__ = ["build"]

WORD = np.uint64(8)
OF_WINDOW = 16  # registers: locals and ins
FP = np.uint64(14)  # %i6 among these
IN_PT_REGS = 16  # globals and outs


def build(guest: GuestLayout) -> UprobeCallbacks:
    """Compiles for a guest."""
    memory = in_byte_order("big")
    guest_u32, guest_u64 = memory.load_u32, memory.load_u64
    current_task = context.build(memory, guest).current_task
    innermost = guest.windows + guest.window_fp - FP * WORD

    @njit
    def argument(cpu, n):
        return load_u64(load_u64(load_u64(cpu + cpu_record.ENV) + WINDOW) + O0 + n * WORD)

    @njit
    def pc(regs):
        return guest_u64(regs + guest.saved_pc)

    @njit
    def fill(cpu, array, regs, image):
        window = current_task(load_u64(cpu + cpu_record.CALLOUT), array) + innermost
        for n in range(IN_PT_REGS):
            word = np.uint64(n) * WORD
            store_u64(image + word, guest_u64(regs + guest.saved_general + word))
        for n in range(OF_WINDOW):
            word = np.uint64(n) * WORD
            store_u64(image + FIRST_LOCAL * WORD + word, guest_u64(window + word))
        store_u64(image + TSTATE, guest_u64(regs + guest.saved_state))
        store_u64(image + TPC, guest_u64(regs + guest.saved_pc))
        store_u64(image + TNPC, guest_u64(regs + guest.saved_next_pc))
        store_u64(image + Y, np.uint64(guest_u32(regs + guest.saved_y)))

    return uprobe.build(uprobe.Program(argument, pc, fill))
