# SPDX-License-Identifier: GPL-2.0-only
"""A breakpoint at a probed instruction: runs the consumers, and makes the CPU continue after the instruction.

The guest's breakpoint handler calls a label. The instruction is found by its address. Nothing on the way there can be
probed, so that no probe is hit while another one is being handled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import probes
from emu.ftrace.native.context import array_of, host_address
from emu.ftrace.native.guest_records import PtRegs
from emu.ftrace.native.kprobe_record import Kprobe
from emu.ftrace.native.trace_records import Consumer, EventContext, TraceArray
from emu.ftrace.native.trace_values import BEFORE, PLACE_REGISTERS
from emu.native.functions import Compiled, Native
from emu.native.records import Layouts, u64

__all__ = ["Handlers", "Trap", "build"]


class Trap(NamedTuple):
    """The architecture's compiled functions. `regs`: the trap's registers; `told`: the event_context."""

    advance: int
    """How many bytes behind the breakpoint the CPU is."""

    fill: Callable[[Cpu, TraceArray, PtRegs, EventContext], None]
    """fill(cpu, array, regs, told): stores the registers before the instruction in `told`'s `registers`."""

    write: Callable[[Cpu, TraceArray, PtRegs, EventContext], bool]
    """write(cpu, array, regs, told) -> whether the CPU continues elsewhere: makes it continue with the stored registers."""

    go_on: Callable[[Cpu, TraceArray, PtRegs, Kprobe], None]
    """go_on(cpu, array, regs, probe): makes the CPU execute the instruction's effect, and continue after it."""

    handled: Callable[[Cpu], None]
    """handled(cpu): makes the label return that the breakpoint has been handled."""


class Handlers(NamedTuple):
    """Compiled functions."""

    at_breakpoint: Compiled[[Cpu, u64], None]
    """The label's function."""

    fill: Compiled[[Cpu, EventContext], None]
    """For `Kprobes.fill_at_breakpoint`."""

    say_where: Compiled[[Cpu, Consumer], None]
    """A consumer at a call site, before those of a kprobe: its target is the probed address."""


def build(layouts: Layouts, arguments: Callable[[Cpu], tuple[u64, u64, u64, u64]], trap: Trap) -> Handlers:
    """Compiles for an architecture.

    Args:
        layouts: those of the guest.
        arguments: see `native.arch`. The label's first one is the guest address of the struct pt_regs.
        trap: the architecture's functions.
    """
    native = Native(layouts)
    njit, callback = native.njit, native.callback
    _, store_registers, write, go_on, handled = trap
    advance = u64(trap.advance)

    @callback
    def fill(cpu: Cpu, told: EventContext) -> None:
        array = array_of(cpu)
        store_registers(cpu, array, PtRegs(host_address(array, told.saved)), told)

    @njit
    def act(cpu: Cpu, array: TraceArray, first: Consumer, saved: u64, regs: PtRegs, address: u64) -> bool:
        """Runs the consumers. Returns whether they make the CPU continue elsewhere."""
        told = array.event_context
        probes.tell(told, PLACE_REGISTERS, address, saved, array.kprobes.fill_at_breakpoint)
        probes.act(cpu, first, BEFORE)
        return told.written and write(cpu, array, regs, told)

    @callback
    def at_breakpoint(cpu: Cpu, label: u64) -> None:
        array = array_of(cpu)
        saved, _, _, _ = arguments(cpu)
        regs = PtRegs(host_address(array, saved))
        address = regs.pc - advance
        found = probes.find(array.kprobes.table, address - array.kernel_start)
        if found == 0:
            return
        handled(cpu)
        probe = Kprobe(found)
        first = probe.consumers
        if first is None or not act(cpu, array, first, saved, regs, address):
            go_on(cpu, array, regs, probe)

    @callback
    def say_where(cpu: Cpu, acting: Consumer) -> None:
        array = array_of(cpu)
        probes.write_at_site(cpu, array)
        probes.tell_at_site(array, acting.target)

    return Handlers(at_breakpoint, fill, say_where)
