# SPDX-License-Identifier: GPL-2.0-only
"""The critical sections of emu's own kernel, whose hooks reach labels in .ftrace.text."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import sections, stacks
from emu.ftrace.native.arch import Callback, SectionCallbacks
from emu.ftrace.native.context import Context
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.sections import Whereabouts
from emu.ftrace.native.trace_function import trace_function
from emu.ftrace.native.trace_records import ArrayCpu
from emu.ftrace.native.trace_values import IRQS_OFF, PLACE_EVENT, PREEMPT_OFF
from emu.ftrace.native.unwind import Unwind
from emu.native.functions import callback, njit
from emu.native.records import u64

__all__ = ["build"]

HOOK_CALLS = 4  # tracer_preempt_on(), trace_preempt_sub(), preempt_count_sub(), and its caller


def build(
    guest: Guest,
    context: Context,
    irqs_off: Callable[[u64], bool],
    unwind: Unwind,
    callers: Callable[[Cpu], tuple[u64, u64]],
    called_from: Callable[[Cpu], u64],
) -> SectionCallbacks:
    """Compiles for a guest.

    Args:
        guest: the layout of its structures.
        context: compiled for it.
        irqs_off: see `NativeCpu`.
        unwind: see `native.unwind`.
        callers: callers(cpu) -> the arguments of the function at whose label the CPU is.
        called_from: called_from(cpu) -> the call site of that function.
    """
    preempt_count = context.preempt_count
    record_callers_of = stacks.build(context, unwind).record_callers_of
    counted = ~guest.numbers.preempt_need_resched  # of preempt_count

    @njit
    def callers_of_hook(cpu: Cpu, array_cpu: ArrayCpu) -> tuple[u64, u64]:
        return callers(cpu)

    @njit
    def record_hook(cpu: Cpu, array_cpu: ArrayCpu, where: u64, common: u64) -> None:
        trace_function(cpu, array_cpu, called_from(cpu), where, common)

    @njit
    def record_stack(cpu: Cpu, array_cpu: ArrayCpu, ip: u64, common: u64) -> None:
        record_callers_of(cpu, array_cpu, PLACE_EVENT, common, ip, HOOK_CALLS)

    whereabouts = Whereabouts(callers_of_hook, record_hook, record_stack)
    begin, end, keep = sections.build(guest, context, irqs_off, whereabouts)

    @njit
    def what_is_off(cpu: Cpu) -> tuple[ArrayCpu, bool, bool]:
        """The CPU's record in the array that traces sections; whether interrupts are off; and whether preemption is: as far
        as the tracer is concerned."""
        array_cpu = ArrayCpu(cpu.callout).sections
        if array_cpu is None:
            return ArrayCpu(cpu.callout), False, False
        wanted = array_cpu.array.max_latency.sections
        irqs = wanted & IRQS_OFF != 0 and irqs_off(cpu.env)
        preemption = wanted & PREEMPT_OFF != 0 and preempt_count(array_cpu) & counted != 0
        return array_cpu, irqs, preemption

    # Which sections start or end at a hook. If both kinds are traced, a section caused by both ends with the later one.

    @njit
    def of_irqs(cpu: Cpu) -> ArrayCpu | None:
        """The CPU's record in the array; None if the hook is not about a section."""
        array_cpu, irqs, preemption = what_is_off(cpu)
        return array_cpu if irqs and not preemption else None

    @njit
    def of_preemption(cpu: Cpu) -> ArrayCpu | None:
        array_cpu, irqs, preemption = what_is_off(cpu)
        return array_cpu if preemption and not irqs else None

    @njit
    def of_any(cpu: Cpu) -> ArrayCpu | None:
        array_cpu, irqs, preemption = what_is_off(cpu)
        return array_cpu if irqs or preemption else None

    def at_label(label: str, of: Callable[[Cpu], ArrayCpu | None], act: Callable[[Cpu, ArrayCpu], None]) -> Callback:
        """A callback that calls `act` with the CPU's record from `of`, unless that is None."""

        @callback
        def handler(cpu: Cpu, address: u64) -> None:
            array_cpu = of(cpu)
            if array_cpu is not None:
                act(cpu, array_cpu)

        return Callback(label, handler)

    return SectionCallbacks(
        keep,
        at_label("latency_irqs_off", of_irqs, begin),
        at_label("latency_irqs_on", of_irqs, end),
        at_label("latency_preempt_off", of_preemption, begin),
        at_label("latency_preempt_on", of_preemption, end),
        at_label("latency_start", of_any, begin),
        at_label("latency_stop", of_any, end),
    )
