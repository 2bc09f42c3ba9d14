# SPDX-License-Identifier: GPL-2.0-only
"""A breakpoint at an instruction that is probed: the consumers act, and the CPU goes on as behind the instruction.

The guest's handler of breakpoints calls a label. The instruction is found by its address. Nothing on the way there can be
probed, so that no probe is hit while another one is dealt with.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types

from emu.ftrace.native import array_record, consumer, event_context, kprobe_record, kprobes_record, probes
from emu.ftrace.native.context import array_of, host_address
from emu.native import cfunc, njit
from emu.native.pointers import load_u64

__all__ = ["Handlers", "Trap", "build"]

_HANDLER = types.void(types.uint64, types.uint64)
ZERO = np.uint64(0)


class Trap(NamedTuple):
    """What an architecture has compiled. `regs`: host address of the struct pt_regs of the trap; `told`: the event_context."""

    saved: Any
    """saved(cpu) -> the guest address of the struct pt_regs, the label's argument."""

    address: Any
    """address(regs) -> where the breakpoint is."""

    fill: Any
    """fill(cpu, array, regs, told): stores the registers before the instruction at `told`'s REGISTERS."""

    write: Any
    """write(cpu, array, regs, told) -> whether the CPU goes on elsewhere: has it go on with the registers that are there."""

    go_on: Any
    """go_on(cpu, array, regs, probe): has the CPU do what the instruction does, and go on behind it. `probe`: a kprobe_record."""

    handled: Any
    """handled(cpu): the label returns that the breakpoint has been dealt with."""


class Handlers(NamedTuple):
    """Compiled functions, void (*)(cpu, u64)."""

    at_breakpoint: Any
    """What the label does."""

    fill: Any
    """For kprobes_record.FILL_AT_BREAKPOINT."""

    say_where: Any
    """Of a consumer at a call site, before those of a kprobe: its target is the address that is probed."""


def build(trap: Trap) -> Handlers:
    """Compiles for an architecture."""
    saved_registers, address_of, store_registers, write, go_on, handled = trap

    @cfunc(_HANDLER)
    def fill(cpu, told):
        array = array_of(cpu)
        store_registers(cpu, array, host_address(array, load_u64(told + event_context.SAVED)), told)

    @njit
    def act(cpu, array, kprobes, first, saved, regs, address):
        """Has the consumers act. Returns whether they have the CPU go on elsewhere."""
        told = load_u64(array + array_record.EVENT_CONTEXT)
        probes.tell(told, event_context.PLACE_REGISTERS, address, saved, load_u64(kprobes + kprobes_record.FILL_AT_BREAKPOINT))
        probes.act(cpu, first, consumer.BEFORE)
        return load_u64(told + event_context.WRITTEN) != ZERO and write(cpu, array, regs, told)

    @cfunc(_HANDLER)
    def at_breakpoint(cpu, label):
        array, saved = array_of(cpu), saved_registers(cpu)
        regs, kprobes = host_address(array, saved), load_u64(array + array_record.KPROBES)
        address = address_of(regs)
        table = load_u64(kprobes + kprobes_record.TABLE)
        probe = probes.find(table, address - load_u64(array + array_record.KERNEL_START))
        if probe == ZERO:
            return
        handled(cpu)
        first = load_u64(probe + kprobe_record.CONSUMERS)
        if first == ZERO or not act(cpu, array, kprobes, first, saved, regs, address):
            go_on(cpu, array, regs, probe)

    @cfunc(_HANDLER)
    def say_where(cpu, acting):
        array = array_of(cpu)
        probes.write_at_site(cpu, array)
        probes.tell_at_site(array, load_u64(acting + consumer.TARGET))

    return Handlers(at_breakpoint, fill, say_where)
