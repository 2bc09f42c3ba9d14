# SPDX-License-Identifier: GPL-2.0-only
"""The critical sections of a kernel that is looked at from outside: each block of it tells what is off.

A section starts with the first block at whose beginning interrupts, or preemption, are off, and ends with the first one where
nothing is off any more. That block may be a program's. Linux's own tracers hear it from the functions that turn interrupts and
preemption off and on, so there are these differences:

* What is off for less than a block is not seen. Times are those of blocks' ends.
* Interrupts were on for a moment if the CPU has taken an interrupt, or an exception with interrupts on, since its previous block:
  that ends a section, and what follows is another one. Linux's functions tell the same.
* The idle task runs with preemption off. Linux ends its section before the CPU sleeps, and starts another one behind that, which
  no interrupt that wakes the CPU is in. Here the idle task's own count of 1 is none, whether the CPU sleeps or not, but its
  interrupts and spin locks are sections.
* Non-maskable interrupts are sections of interrupts, as in Linux; and an interrupt counts as preemption that is off, as there.
* There is no function of Linux's tracer whose call could be recorded at the end.

A switch to another task does not end a section. A kernel without CONFIG_PREEMPT_COUNT counts only interrupts and what is deferred
from them.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import sections, stacks
from emu.ftrace.native.arch import WatchedSections
from emu.ftrace.native.context import Context
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.sections import Whereabouts
from emu.ftrace.native.trace_records import ArrayCpu
from emu.ftrace.native.trace_values import IRQS_OFF, PLACE_BLOCK, PREEMPT_OFF
from emu.ftrace.native.unwind import Unwind
from emu.native.functions import Native, callback, njit, outlined
from emu.native.records import u64

__all__ = ["build"]

NOTHING, HALF_SHIFT = u64(0), u64(63)  # The kernel's addresses have bit 63.


def build(guest: Guest, context: Context, irqs_off: Callable[[u64], bool], unwind: Unwind) -> WatchedSections:
    """Compiles for a guest.

    Args:
        guest: the layout of its structures.
        context: compiled for it.
        irqs_off: see `NativeCpu`.
        unwind: see `native.unwind`. It must know PLACE_BLOCK.
    """
    current_task, preempt_count = context.current_task, context.preempt_count
    record_after = stacks.build(context, unwind).record_after
    counted = ~guest.numbers.preempt_need_resched  # of preempt_count
    native = Native(guest.layouts)

    @njit
    def callers(cpu: Cpu, array_cpu: ArrayCpu) -> tuple[u64, u64]:
        ip, array = array_cpu.place, array_cpu.array
        if ip != array_cpu.block or array_cpu.is_entry:
            return ip, u64(0)
        stack = array.stack
        array.event_context.ip = ip
        count = unwind(cpu, array, PLACE_BLOCK, stack, 2)
        return ip, stack[1] if count > 1 else u64(0)

    @njit
    def record_hook(cpu: Cpu, array_cpu: ArrayCpu, where: u64, common: u64) -> None:
        """There is none."""

    @njit
    def record_stack(cpu: Cpu, array_cpu: ArrayCpu, ip: u64, common: u64) -> None:
        """A section that has ended with a program has none."""
        array_cpu.array.event_context.ip = array_cpu.block
        record_after(cpu, array_cpu, PLACE_BLOCK, common)

    begin, end, keep = sections.build(guest, context, irqs_off, Whereabouts(callers, record_hook, record_stack))

    @native.njit
    def is_idle(array_cpu: ArrayCpu) -> bool:
        return current_task(array_cpu, array_cpu.array).pid == 0

    @njit
    def what_is_off(cpu: Cpu, array_cpu: ArrayCpu) -> u64:
        """IRQS_OFF and PREEMPT_OFF, as far as the tracer is concerned."""
        wanted, off = array_cpu.array.max_latency.sections, NOTHING
        if wanted & IRQS_OFF and irqs_off(cpu.env):
            off |= IRQS_OFF
        if wanted & PREEMPT_OFF:
            count = preempt_count(array_cpu) & counted
            if count != 0 and (count != 1 or not is_idle(array_cpu)):
                off |= PREEMPT_OFF
        return off

    @outlined
    def changed(cpu: Cpu, array_cpu: ArrayCpu, address: u64, off: u64) -> None:
        """A block begins at `address` since whose predecessor something was turned off or on."""
        before, last, trapped = array_cpu.off, array_cpu.block, cpu.trapped != array_cpu.trapped
        array_cpu.off = off
        array_cpu.block = address
        array_cpu.trapped = cpu.trapped
        array_cpu.is_entry = trapped
        if trapped and before != 0 and off & PREEMPT_OFF == 0:
            array_cpu.place = last
            end(cpu, array_cpu)
            before = NOTHING
        if before == 0 and off != 0:
            array_cpu.place = address
            begin(cpu, array_cpu)
        elif before != 0 and off == 0:
            array_cpu.place = address if address >> HALF_SHIFT else last
            end(cpu, array_cpu)

    @callback
    def at_block(cpu: Cpu, address: u64) -> None:
        array_cpu = ArrayCpu(cpu.callout).sections
        if array_cpu is None:
            return
        off = what_is_off(cpu, array_cpu)
        if off != array_cpu.off or cpu.trapped != array_cpu.trapped:
            changed(cpu, array_cpu, address, off)
        else:
            array_cpu.block = address

    return WatchedSections(keep, at_block)
