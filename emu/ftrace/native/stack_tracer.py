# SPDX-License-Identifier: GPL-2.0-only
"""The stack tracer: what runs once per call of a checked function. Only stacks of tasks count."""

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
        guest: its structures.
        context: compiled for it.
        stack_pointer: stack_pointer(cpu, array) -> where the stack of the function ends at whose call site a CPU stands.
        unwind: see `native.unwind`; with places.
    """
    numbers = guest.numbers
    current_task, preempt_count = context.current_task, context.preempt_count

    @Native(guest.layouts).callback
    def check(cpu: Cpu, tracer: StackTracer) -> None:
        """If the stack is deeper than ever, keeps the calls on it. As in Linux, never in an NMI."""
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
