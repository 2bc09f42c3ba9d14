# SPDX-License-Identifier: GPL-2.0-only
"""A user task has reached a uprobe: the guest's breakpoint handler calls a label with the probe's number.

This code is compiled when the first such probe is defined.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import probes
from emu.ftrace.native.arch import Callback, UprobeCallbacks
from emu.ftrace.native.context import array_of, host_address
from emu.ftrace.native.guest_records import PtRegs
from emu.ftrace.native.trace_records import Consumer, EventContext, TraceArray
from emu.ftrace.native.trace_values import PLACE_EVENT
from emu.native.functions import Native
from emu.native.records import Layouts, Values, u64

__all__ = ["build"]


def build(
    layouts: Layouts,
    arguments: Callable[[Cpu], tuple[u64, u64, u64, u64]],
    store_registers: Callable[[Cpu, TraceArray, PtRegs, Values[u64]], None],
) -> UprobeCallbacks:
    """Compiles for an architecture.

    Args:
        layouts: those of the guest.
        arguments: see `native.arch`.
        store_registers: store_registers(cpu, array, regs, image): stores the program's registers, `regs` among them.
    """
    native = Native(layouts)
    njit, callback = native.njit, native.callback

    @njit
    def consumer_of(array: TraceArray, number: u64) -> Consumer | None:
        """The consumer of the probe with a number; None if it has none."""
        uprobes = array.uprobes
        return None if number >= uprobes.count else uprobes.consumers[number]

    @njit
    def tell(array: TraceArray, saved: u64) -> EventContext:
        """Stores in the event_context where the program is, whose registers are saved there."""
        told = array.event_context
        probes.tell(told, PLACE_EVENT, PtRegs(host_address(array, saved)).pc, saved, array.uprobes.fill)
        return told

    @callback
    def fill(cpu: Cpu, told: EventContext) -> None:
        array = array_of(cpu)
        store_registers(cpu, array, PtRegs(host_address(array, told.saved)), told.registers)

    @callback
    def dispatch(cpu: Cpu, label: u64) -> None:
        """uprobe_dispatch(id, regs)."""
        array = array_of(cpu)
        number, saved, _, _ = arguments(cpu)
        acting = consumer_of(array, number)
        if acting is not None:
            tell(array, saved)
            acting.handler(cpu, acting)

    @callback
    def dispatch_return(cpu: Cpu, label: u64) -> None:
        """uretprobe_dispatch(id, regs, func)."""
        array = array_of(cpu)
        number, saved, function, _ = arguments(cpu)
        acting = consumer_of(array, number)
        if acting is not None:
            told = tell(array, saved)
            told.return_ip = told.ip
            told.ip = function
            acting.handler(cpu, acting)

    return UprobeCallbacks(
        Callback("uprobe_dispatch", dispatch), Callback("uretprobe_dispatch", dispatch_return), fill
    )
