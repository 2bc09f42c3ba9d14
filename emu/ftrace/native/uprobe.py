# SPDX-License-Identifier: GPL-2.0-only
"""A user task has reached a uprobe: the guest's breakpoint handler calls a label with the probe's number.

This code is compiled when the first such probe is defined.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import probes
from emu.ftrace.native.arch import Callback, UprobeCallbacks
from emu.ftrace.native.context import array_of, host_address
from emu.ftrace.native.guest_records import PtRegs
from emu.ftrace.native.trace_records import Consumer, EventContext, TraceArray
from emu.ftrace.native.trace_values import PLACE_EVENT
from emu.native.functions import Native
from emu.native.records import Layouts, Values, u64

__all__ = ["Program", "build"]

FIRST, SECOND, THIRD = u64(0), u64(1), u64(2)


class Program(NamedTuple):
    """The architecture's compiled functions. `regs`: the program's registers."""

    argument: Callable[[Cpu, u64], u64]
    """argument(cpu, n) -> the n-th argument of the label, 0 being the first."""

    pc: Callable[[PtRegs], u64]
    """pc(regs) -> where the program continues."""

    fill: Callable[[Cpu, TraceArray, PtRegs, Values[u64]], None]
    """fill(cpu, array, regs, image): stores the program's registers."""


def build(layouts: Layouts, program: Program) -> UprobeCallbacks:
    """Compiles for an architecture and for a guest with these layouts."""
    native = Native(layouts)
    njit, callback = native.njit, native.callback
    argument, pc_of, store_registers = program

    @njit
    def consumer_of(array: TraceArray, number: u64) -> Consumer | None:
        """The consumer of the probe with a number; None if it has none."""
        uprobes = array.uprobes
        return None if number >= uprobes.count else uprobes.consumers[number]

    @njit
    def tell(cpu: Cpu, array: TraceArray) -> EventContext:
        """Stores the program's place in the event_context."""
        told, saved = array.event_context, argument(cpu, SECOND)
        probes.tell(told, PLACE_EVENT, pc_of(PtRegs(host_address(array, saved))), saved, array.uprobes.fill)
        return told

    @callback
    def fill(cpu: Cpu, told: EventContext) -> None:
        array = array_of(cpu)
        store_registers(cpu, array, PtRegs(host_address(array, told.saved)), told.registers)

    @callback
    def dispatch(cpu: Cpu, label: u64) -> None:
        """uprobe_dispatch(id, regs)."""
        array = array_of(cpu)
        acting = consumer_of(array, argument(cpu, FIRST))
        if acting is not None:
            tell(cpu, array)
            acting.handler(cpu, acting)

    @callback
    def dispatch_return(cpu: Cpu, label: u64) -> None:
        """uretprobe_dispatch(id, regs, func)."""
        array = array_of(cpu)
        acting = consumer_of(array, argument(cpu, FIRST))
        if acting is not None:
            told = tell(cpu, array)
            told.return_ip = told.ip
            told.ip = argument(cpu, THIRD)
            acting.handler(cpu, acting)

    return UprobeCallbacks(
        Callback("uprobe_dispatch", dispatch), Callback("uretprobe_dispatch", dispatch_return), fill
    )
