# SPDX-License-Identifier: GPL-2.0-only
"""Uprobes on x86-64: all registers are in the program's struct pt_regs."""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import uprobe
from emu.ftrace.native.arch import UprobeCallbacks
from emu.ftrace.native.arch.x86_64 import arguments
from emu.ftrace.native.arch.x86_64_probe import PROBE_REGISTERS
from emu.ftrace.native.guest_records import Guest, GuestMemory, PtRegs
from emu.ftrace.native.trace_records import TraceArray
from emu.native.functions import Native
from emu.native.records import Values, u64

__all__ = ["build"]

COUNT = u64(len(PROBE_REGISTERS))


def build(guest: Guest) -> UprobeCallbacks:
    """Compiles for a guest."""

    @Native(guest.layouts).njit
    def fill(cpu: Cpu, array: TraceArray, regs: PtRegs, image: Values[u64]) -> None:
        offsets = array.uprobes.saved_offsets
        for n in range(COUNT):
            image[n] = GuestMemory(regs.address + offsets[n]).as_u64

    return uprobe.build(guest.layouts, arguments, fill)
