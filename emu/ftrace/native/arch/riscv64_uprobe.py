# SPDX-License-Identifier: GPL-2.0-only
"""Uprobes on RISC-V: all registers are in the program's struct pt_regs."""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import uprobe
from emu.ftrace.native.arch import UprobeCallbacks
from emu.ftrace.native.arch.riscv64 import arguments
from emu.ftrace.native.arch.riscv64_probe import fill_from
from emu.ftrace.native.guest_records import Guest, PtRegs
from emu.ftrace.native.trace_records import TraceArray
from emu.native.functions import Native
from emu.native.records import Values, u64

__all__ = ["build"]


def build(guest: Guest) -> UprobeCallbacks:
    """Compiles for a guest."""
    njit = Native(guest.layouts).njit
    store = njit(fill_from)

    @njit
    def fill(cpu: Cpu, array: TraceArray, regs: PtRegs, image: Values[u64]) -> None:
        store(regs, image)

    return uprobe.build(guest.layouts, arguments, fill)
