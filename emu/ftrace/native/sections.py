# SPDX-License-Identifier: GPL-2.0-only
"""Critical sections: how long a CPU's interrupts, or preemption, are off. The tracers irqsoff, preemptoff and preemptirqsoff.

The guest's hooks reach labels in .ftrace.text. Between the start and the end of a section, the CPU's functions are recorded:
NO_SECTION is cleared in its IGNORED. A section that took longer than all before it is kept by swapping the CPU's buffers.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import max_latency, stacks
from emu.ftrace.native.arch import Callback, SectionCallbacks
from emu.ftrace.native.context import Context, now
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.ring_record import PAUSED
from emu.ftrace.native.trace_function import trace_function
from emu.ftrace.native.trace_records import ArrayCpu
from emu.ftrace.native.trace_values import IRQS_OFF, NO_SECTION, PLACE_EVENT, PREEMPT_OFF
from emu.ftrace.native.unwind import Unwind
from emu.native.functions import Native, callback, njit
from emu.native.records import u64

__all__ = ["build"]

HOOK_CALLS = 4  # tracer_preempt_on(), trace_preempt_sub(), preempt_count_sub(), and its caller


@njit
def is_open(array_cpu: ArrayCpu) -> bool:
    """Whether the CPU is in a section (Linux: tracing_cpu)."""
    return array_cpu.ignored & NO_SECTION == 0


@njit
def is_recorded(array_cpu: ArrayCpu) -> bool:
    """Whether sections are recorded on the CPU: tracing is on, and the CPU is in tracing_cpumask."""
    array = array_cpu.array
    return array.max_latency.enabled and array.recording and array_cpu.ring.disabled & ~PAUSED == 0


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
    numbers = guest.numbers
    current_task, preempt_count, common_fields = context
    record_callers_of = stacks.build(context, unwind).record_callers_of
    update_max = max_latency.build(guest).one_cpu
    counted = ~numbers.preempt_need_resched  # of preempt_count

    @njit
    def common(cpu: Cpu, array_cpu: ArrayCpu) -> u64:
        task = current_task(array_cpu, array_cpu.array)
        return common_fields(0, task, preempt_count(array_cpu), irqs_off(cpu.env))

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

    @njit
    def begin(cpu: Cpu, array_cpu: ArrayCpu) -> None:
        """Linux: start_critical_timing."""
        if is_open(array_cpu) or not is_recorded(array_cpu):
            return
        ip, parent_ip = callers(cpu)
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
        ip, parent_ip = callers(cpu)
        trace_function(cpu, array_cpu, ip, parent_ip, fields)
        if max_latency.reports(array, now(cpu, array) - array_cpu.section_start):
            array.max_latency.keep(cpu, array_cpu)
        trace_function(cpu, array_cpu, called_from(cpu), ip if parent_ip == 0 else parent_ip, fields)
        array_cpu.critical_start = 0

    @Native(guest.layouts).njit
    def running(array_cpu: ArrayCpu) -> u64:
        return array_cpu.hot.current_task

    @callback
    def keep(cpu: Cpu, array_cpu: ArrayCpu) -> None:
        """Keeps a section that ends. As in Linux it is kept unless another one has been kept since it started."""
        worst, fields = array_cpu.array.max_latency, common(cpu, array_cpu)
        ip, parent_ip = callers(cpu)
        where = ip if parent_ip == 0 else parent_ip
        start = array_cpu.section_start
        latency = now(cpu, array_cpu.array) - start
        trace_function(cpu, array_cpu, called_from(cpu), where, fields)
        record_callers_of(cpu, array_cpu, PLACE_EVENT, fields, ip, HOOK_CALLS)
        sequence = worst.sequence
        if array_cpu.sequence != sequence:
            return
        if update_max(cpu, array_cpu, running(array_cpu), latency, start):
            worst.critical_start = array_cpu.critical_start
            worst.critical_end = where
        worst.sequence = sequence + 1

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
