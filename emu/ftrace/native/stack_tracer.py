# SPDX-License-Identifier: GPL-2.0-only
"""The stack tracer: the code that runs once per call of a checked function. Only task stacks count."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.context import Context
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.stack_tracer_record import DEEPEST, StackTracer
from emu.ftrace.native.trace_records import ArrayCpu, TraceArray
from emu.ftrace.native.trace_values import PLACE_FUNCTION
from emu.ftrace.native.unwind import Unwind
from emu.native.functions import Compiled, Native
from emu.native.records import u64

__all__ = ["build"]


def build(
    guest: Guest, context: Context, stack_pointer: Callable[[Cpu, TraceArray], u64], unwind: Unwind
) -> Compiled[[Cpu, StackTracer], None]:
    """Compiles for a guest.

    Args:
        guest: the layout of its structures.
        context: compiled for it.
        stack_pointer: stack_pointer(cpu, array) -> the end of the stack of the function at whose call site the CPU is.
        unwind: see `native.unwind`; compiled with places.
    """
    numbers = guest.numbers
    current_task, preempt_count = context.current_task, context.preempt_count

    @Native(guest.layouts).callback
    def check(cpu: Cpu, tracer: StackTracer) -> None:
        """If the stack is deeper than ever before, stores its calls. As in Linux, not in an NMI."""
        array_cpu = ArrayCpu(cpu.callout)
        array = array_cpu.array
        top = current_task(array_cpu, array).stack + numbers.thread_size
        used = top - stack_pointer(cpu, array)
        if used <= tracer.max_size or used > numbers.thread_size:
            return
        if preempt_count(array_cpu) & numbers.nmi_mask != 0:
            return
        count = unwind(cpu, array, PLACE_FUNCTION, tracer.calls, DEEPEST)
        tracer.max_size = used
        tracer.count = count
        tracer.top = top

    return check
