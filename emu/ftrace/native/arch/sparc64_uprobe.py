# SPDX-License-Identifier: GPL-2.0-only
"""Uprobes on SPARC V9: globals and outs are in the program's struct pt_regs. All of its windows have been flushed from the CPU,
and the innermost one is the first that the task keeps.
"""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import context, uprobe
from emu.ftrace.native.arch import UprobeCallbacks
from emu.ftrace.native.arch.sparc64 import arguments
from emu.ftrace.native.arch.sparc64_registers import FIRST_LOCAL, TNPC, TPC, TSTATE, Y
from emu.ftrace.native.arch.sparc64_windows import SHAPES
from emu.ftrace.native.guest_records import Guest, PtRegs
from emu.ftrace.native.trace_records import ArrayCpu, TraceArray
from emu.native.functions import Native
from emu.native.records import Values, u64

__all__ = ["build"]

OF_WINDOW = 16  # number of registers: locals and ins
IN_PT_REGS = 16  # number of registers: globals and outs


def build(guest: Guest) -> UprobeCallbacks:
    """Compiles for a guest."""
    here = guest.layouts.extended(SHAPES)
    current_task = context.build(guest).current_task

    @Native(here).njit
    def fill(cpu: Cpu, array: TraceArray, regs: PtRegs, image: Values[u64]) -> None:
        window = current_task(ArrayCpu(cpu.callout), array).windows[0].window
        for n in range(u64(IN_PT_REGS)):
            image[n] = regs.general[n]
        for n in range(u64(OF_WINDOW)):
            image[FIRST_LOCAL + n] = window[n]
        image[TSTATE] = regs.state
        image[TPC] = regs.pc
        image[TNPC] = regs.next_pc
        image[Y] = regs.y

    return uprobe.build(here, arguments, fill)
