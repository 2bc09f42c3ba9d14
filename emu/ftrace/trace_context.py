# SPDX-License-Identifier: GPL-2.0-only
"""The state of a CPU as every event shows it, for the events that the host records (native code: `native.context`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from emu.cpu.cpu import Cpu
from emu.ftrace.events import Flag
from emu.ftrace.native import context
from emu.kernel.kernel import Kernel

__all__ = ["TraceContext", "context_of"]


class TraceContext(NamedTuple):
    """`flags` are those of events.Flag; the other is as deep as events can show."""

    flags: int = 0
    preempt_count: int = 0


def context_of(kernel: Kernel, cpu: Cpu, printing: int = 0) -> TraceContext:
    """What an event says that is recorded on a CPU now (Linux: tracing_gen_ctx).

    Args:
        kernel: of the CPU.
        cpu: must be online.
        printing: how often the code that records the event has disabled preemption, which the event does not show.
    """
    count = kernel.memory.member(kernel.hot_areas[cpu.index], "pcpu_hot.preempt_count")
    thread_flags = kernel.memory.member(kernel.tasks.current(cpu), "task_struct.thread_info_flags")
    flags = Flag(0)
    for flag, on in (
        (Flag.IRQS_OFF, kernel.board.arch.native().irqs_off(np.uint64(cpu.env))),
        (Flag.NEED_RESCHED, thread_flags & int(context.TIF_NEED_RESCHED)),
        (Flag.PREEMPT_RESCHED, (count ^ kernel.image.offset("PREEMPT_ENABLED")) & int(context.NO_RESCHED)),
        (Flag.HARDIRQ, count & int(context.HARDIRQ)),
        (Flag.SOFTIRQ, count & int(context.SOFTIRQ)),
        (Flag.NMI, count & int(context.NMI)),
        (Flag.BH_OFF, count & int(context.BH_DISABLED)),
    ):
        if on:
            flags |= flag
    depth = min(count & int(context.PREEMPT), int(context.DEEPEST_SHOWN))
    return TraceContext(int(flags), max(depth - printing, 0))
