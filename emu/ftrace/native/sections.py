# SPDX-License-Identifier: GPL-2.0-only
"""Critical sections: how long a CPU's interrupts, or preemption, are off. The tracers irqsoff, preemptoff and preemptirqsoff.

Between the start and the end of a section, the CPU's functions are recorded: NO_SECTION is cleared in its IGNORED. A section that
took longer than all before it is kept by swapping the CPU's buffers. Where sections start and end is told by hooks of emu's own
kernel (`native.section_hooks`), or seen from outside (`native.watched_sections`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import max_latency
from emu.ftrace.native.context import Context, now
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.ring_record import PAUSED
from emu.ftrace.native.trace_function import trace_function
from emu.ftrace.native.trace_records import ArrayCpu
from emu.ftrace.native.trace_values import NO_SECTION
from emu.native.functions import Compiled, Native, callback, njit
from emu.native.records import u64

__all__ = ["Sections", "Whereabouts", "build"]


class Whereabouts(NamedTuple):
    """Compiled functions about the place where a section starts or ends. `common`: the first word of an entry, of any type."""

    callers: Callable[[Cpu, ArrayCpu], tuple[u64, u64]]
    """callers(cpu, array_cpu) -> (ip, parent_ip). parent_ip may be 0."""

    record_hook: Callable[[Cpu, ArrayCpu, u64, u64], None]
    """record_hook(cpu, array_cpu, where, common): records the kernel's function that has told of the end of a section, if there
    is one. The section ends in `where`."""

    record_stack: Callable[[Cpu, ArrayCpu, u64, u64], None]
    """record_stack(cpu, array_cpu, ip, common): records the stack trace where a section ends."""


class Sections(NamedTuple):
    """Compiled functions."""

    begin: Callable[[Cpu, ArrayCpu], None]
    """begin(cpu, array_cpu): a section starts, unless the CPU is in one. `array_cpu`: its record in the array."""

    end: Callable[[Cpu, ArrayCpu], None]
    """end(cpu, array_cpu): the section ends, if the CPU is in one."""

    keep: Compiled[[Cpu, ArrayCpu], None]
    """See `MaxLatency.keep`."""


@njit
def is_open(array_cpu: ArrayCpu) -> bool:
    """Whether the CPU is in a section (Linux: tracing_cpu)."""
    return array_cpu.ignored & NO_SECTION == 0


@njit
def is_recorded(array_cpu: ArrayCpu) -> bool:
    """Whether sections are recorded on the CPU: tracing is on, and the CPU is in tracing_cpumask."""
    array = array_cpu.array
    return array.max_latency.enabled and array.recording and array_cpu.ring.disabled & ~PAUSED == 0


def build(guest: Guest, context: Context, irqs_off: Callable[[u64], bool], whereabouts: Whereabouts) -> Sections:
    """Compiles for a guest.

    Args:
        guest: the layout of its structures.
        context: compiled for it.
        irqs_off: see `NativeCpu`.
        whereabouts: compiled for it.
    """
    current_task, preempt_count, common_fields = context
    callers, record_hook, record_stack = whereabouts
    update_max = max_latency.build(guest).one_cpu

    @njit
    def common(cpu: Cpu, array_cpu: ArrayCpu) -> u64:
        task = current_task(array_cpu, array_cpu.array)
        return common_fields(0, task, preempt_count(array_cpu), irqs_off(cpu.env))

    @njit
    def begin(cpu: Cpu, array_cpu: ArrayCpu) -> None:
        """Linux: start_critical_timing."""
        if is_open(array_cpu) or not is_recorded(array_cpu):
            return
        ip, parent_ip = callers(cpu, array_cpu)
        array_cpu.sequence = array_cpu.array.max_latency.sequence
        array_cpu.section_start = now(cpu, array_cpu.array)
        array_cpu.critical_start = ip if parent_ip == 0 else parent_ip
        trace_function(cpu, array_cpu, ip, parent_ip, common(cpu, array_cpu))
        array_cpu.ignored &= ~NO_SECTION

    @njit
    def end(cpu: Cpu, array_cpu: ArrayCpu) -> None:
        """Linux: stop_critical_timing, check_critical_timing."""
        if not is_open(array_cpu):
            return
        array_cpu.ignored |= NO_SECTION
        if array_cpu.critical_start == 0 or not is_recorded(array_cpu):
            return
        array, fields = array_cpu.array, common(cpu, array_cpu)
        ip, parent_ip = callers(cpu, array_cpu)
        trace_function(cpu, array_cpu, ip, parent_ip, fields)
        if max_latency.reports(array, now(cpu, array) - array_cpu.section_start):
            array.max_latency.keep(cpu, array_cpu)
        record_hook(cpu, array_cpu, ip if parent_ip == 0 else parent_ip, fields)
        array_cpu.critical_start = 0

    @Native(guest.layouts).njit
    def running(array_cpu: ArrayCpu) -> u64:
        return array_cpu.hot.current_task

    @callback
    def keep(cpu: Cpu, array_cpu: ArrayCpu) -> None:
        """Keeps a section that ends. As in Linux it is kept unless another one has been kept since it started."""
        worst, fields = array_cpu.array.max_latency, common(cpu, array_cpu)
        ip, parent_ip = callers(cpu, array_cpu)
        where = ip if parent_ip == 0 else parent_ip
        start = array_cpu.section_start
        latency = now(cpu, array_cpu.array) - start
        record_hook(cpu, array_cpu, where, fields)
        record_stack(cpu, array_cpu, ip, fields)
        sequence = worst.sequence
        if array_cpu.sequence != sequence:
            return
        if update_max(cpu, array_cpu, running(array_cpu), latency, start):
            worst.critical_start = array_cpu.critical_start
            worst.critical_end = where
        worst.sequence = sequence + 1

    return Sections(begin, end, keep)
