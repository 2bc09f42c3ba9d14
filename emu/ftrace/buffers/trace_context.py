# SPDX-License-Identifier: GPL-2.0-only
"""The CPU state in an event's common fields, for events that the host records (native code: `native.context`)."""

from __future__ import annotations

from typing import NamedTuple

from emu.cpu.cpu import Cpu
from emu.ftrace.buffers.entries import Flag
from emu.ftrace.guest.traced_kernel import TracedKernel
from emu.ftrace.native import context
from emu.ftrace.native.guest_records import Guest, Hot, Task

__all__ = ["TraceContext", "context_of"]


class TraceContext(NamedTuple):
    """`flags`: bits of entries.Flag. `preempt_count`: the depth, capped to what an event can show."""

    flags: int = 0
    preempt_count: int = 0


def context_of(kernel: TracedKernel, guest: Guest, cpu: Cpu, printing: int = 0) -> TraceContext:
    """The context of an event recorded now on a CPU (Linux: tracing_gen_ctx).

    Args:
        kernel: the CPU's kernel.
        guest: the layout of its structures.
        cpu: the CPU, which must be online.
        printing: how many times the recording code itself has disabled preemption; the event does not count these.
    """
    numbers = guest.numbers
    count = Hot(kernel.memory.host_address(kernel.hot_areas[cpu.index]), guest.layouts).preempt_count
    task_flags = Task(kernel.memory.host_address(kernel.tasks.current(cpu)), guest.layouts).thread_info_flags
    flags = Flag(0)
    for flag, on in (
        (Flag.IRQS_OFF, kernel.board.arch.native().irqs_off(cpu.env)),
        (Flag.NEED_RESCHED, task_flags & numbers.tif_need_resched),
        (Flag.PREEMPT_RESCHED, (count ^ numbers.preempt_enabled) & numbers.preempt_need_resched),
        (Flag.HARDIRQ, count & numbers.hardirq_mask),
        (Flag.SOFTIRQ, count & numbers.softirq_served),
        (Flag.NMI, count & numbers.nmi_mask),
        (Flag.BH_OFF, count & numbers.softirq_disabled),
    ):
        if on:
            flags |= flag
    depth = int(min(count & numbers.preempt_mask, context.DEEPEST_SHOWN))
    return TraceContext(int(flags), max(depth - printing, 0))
