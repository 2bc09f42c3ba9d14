# SPDX-License-Identifier: GPL-2.0-only
"""Critical sections: how long a CPU's interrupts, or preemption, are off. The tracers irqsoff, preemptoff and preemptirqsoff.

The guest's hooks come to labels of .ftrace.text. Between the beginning of a section and its end the CPU's functions are recorded:
NO_SECTION of its IGNORED is clear. A section that has taken longer than all before it is kept by exchanging the CPU's buffers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from emu.cpu.native import cpu_record
from emu.ftrace.native import array_cpu_record, array_record, event_context, max_latency, max_latency_record, ring_record, stacks
from emu.ftrace.native.arch import Callback, SectionCallbacks
from emu.ftrace.native.context import Context, now
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.trace_function import trace_function
from emu.native import cfunc, njit
from emu.native.pointers import Accessors, call_handler, load_u64, store_u64

__all__ = ["build"]

_HANDLER = types.void(types.uint64, types.uint64)
ZERO, ONE = np.uint64(0), np.uint64(1)
HOOK_CALLS = np.uint64(4)  # tracer_preempt_on(), trace_preempt_sub(), preempt_count_sub(), and who has called that


@njit
def is_open(array_cpu):
    """Whether the CPU is in a section (Linux: tracing_cpu)."""
    return load_u64(array_cpu + array_cpu_record.IGNORED) & array_cpu_record.NO_SECTION == ZERO


@njit
def is_recorded(array, array_cpu):
    """Whether sections are recorded on the CPU: tracing is on, and tracing_cpumask has it."""
    record = load_u64(array + array_record.MAX_LATENCY)
    if load_u64(record + max_latency_record.ENABLED) == ZERO or load_u64(array + array_record.RECORDING) == ZERO:
        return False
    disabled = load_u64(load_u64(array_cpu + array_cpu_record.RING) + ring_record.DISABLED)
    return disabled & ~ring_record.PAUSED == ZERO


def build(
    memory: Accessors, guest: GuestLayout, context: Context, irqs_off: Any, unwind: Any, callers: Any, called_from: Any
) -> SectionCallbacks:
    """Compiles for a guest.

    Args:
        memory: accesses in its byte order.
        guest: its structures.
        context: compiled for it.
        irqs_off: see `NativeCpu`.
        unwind: see `native.unwind`.
        callers: callers(cpu) -> the arguments of the function at whose label the CPU is.
        called_from: called_from(cpu) -> where that function was called.
    """
    current_task, preempt_count, common_fields = context
    record_callers_of = stacks.build(context, unwind).record_callers_of
    update_max = max_latency.build(memory, guest).one_cpu
    guest_u64 = memory.load_u64
    counted = np.uint32(~guest.preempt_need_resched & np.uint64(0xFFFF_FFFF))  # of preempt_count

    @njit
    def common(cpu, array_cpu, array):
        off = irqs_off(load_u64(cpu + cpu_record.ENV))
        return common_fields(ZERO, current_task(array_cpu, array), preempt_count(array_cpu), off)

    @njit
    def what_is_off(cpu):
        """The CPU's record of the array that looks for sections; whether interrupts are off, and whether preemption is: as far
        as the tracer asks."""
        array_cpu = load_u64(load_u64(cpu + cpu_record.CALLOUT) + array_cpu_record.SECTIONS)
        if array_cpu == ZERO:
            return array_cpu, False, False
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        wanted = load_u64(load_u64(array + array_record.MAX_LATENCY) + max_latency_record.SECTIONS)
        irqs = wanted & max_latency_record.IRQS_OFF != ZERO and irqs_off(load_u64(cpu + cpu_record.ENV))
        preemption = wanted & max_latency_record.PREEMPT_OFF != ZERO and preempt_count(array_cpu) & counted != 0
        return array_cpu, irqs, preemption

    @njit
    def begin(cpu, array_cpu):
        """Linux: start_critical_timing."""
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        if is_open(array_cpu) or not is_recorded(array, array_cpu):
            return
        ip, parent_ip = callers(cpu)
        record = load_u64(array + array_record.MAX_LATENCY)
        store_u64(array_cpu + array_cpu_record.SEQUENCE, load_u64(record + max_latency_record.SEQUENCE))
        store_u64(array_cpu + array_cpu_record.SECTION_START, now(cpu, array))
        store_u64(array_cpu + array_cpu_record.CRITICAL_START, ip if parent_ip == ZERO else parent_ip)
        trace_function(cpu, array_cpu, ip, parent_ip, common(cpu, array_cpu, array))
        ignored = array_cpu + array_cpu_record.IGNORED
        store_u64(ignored, load_u64(ignored) & ~array_cpu_record.NO_SECTION)

    @njit
    def end(cpu, array_cpu):
        """Linux: stop_critical_timing, check_critical_timing."""
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        if not is_open(array_cpu):
            return
        ignored = array_cpu + array_cpu_record.IGNORED
        store_u64(ignored, load_u64(ignored) | array_cpu_record.NO_SECTION)
        begun = load_u64(array_cpu + array_cpu_record.CRITICAL_START)
        if begun == ZERO or not is_recorded(array, array_cpu):
            return
        ip, parent_ip = callers(cpu)
        fields = common(cpu, array_cpu, array)
        trace_function(cpu, array_cpu, ip, parent_ip, fields)
        if max_latency.reports(array, now(cpu, array) - load_u64(array_cpu + array_cpu_record.SECTION_START)):
            call_handler(load_u64(load_u64(array + array_record.MAX_LATENCY) + max_latency_record.KEEP), cpu, array_cpu)
        trace_function(cpu, array_cpu, called_from(cpu), ip if parent_ip == ZERO else parent_ip, fields)
        store_u64(array_cpu + array_cpu_record.CRITICAL_START, ZERO)

    @cfunc(_HANDLER)
    def keep(cpu, array_cpu):
        """A section ends that is to be kept: as in Linux it is, unless another one has been kept since it began."""
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        record = load_u64(array + array_record.MAX_LATENCY)
        ip, parent_ip = callers(cpu)
        where = ip if parent_ip == ZERO else parent_ip
        fields = common(cpu, array_cpu, array)
        start = load_u64(array_cpu + array_cpu_record.SECTION_START)
        latency = now(cpu, array) - start
        trace_function(cpu, array_cpu, called_from(cpu), where, fields)
        record_callers_of(cpu, array_cpu, event_context.PLACE_EVENT, fields, ip, HOOK_CALLS)
        sequence = load_u64(record + max_latency_record.SEQUENCE)
        if load_u64(array_cpu + array_cpu_record.SEQUENCE) != sequence:
            return
        task = guest_u64(load_u64(array_cpu + array_cpu_record.HOT) + guest.current_task)
        if update_max(cpu, array_cpu, task, latency, start):
            store_u64(record + max_latency_record.CRITICAL_START, load_u64(array_cpu + array_cpu_record.CRITICAL_START))
            store_u64(record + max_latency_record.CRITICAL_END, where)
        store_u64(record + max_latency_record.SEQUENCE, sequence + ONE)

    # Which sections begin or end at a hook: with both asked for, one that interrupts and preemption keep up ends with the later.

    @njit
    def of_irqs(cpu):
        """The CPU's record of the array; 0: it is not about a section."""
        array_cpu, irqs, preemption = what_is_off(cpu)
        return array_cpu if irqs and not preemption else ZERO

    @njit
    def of_preemption(cpu):
        array_cpu, irqs, preemption = what_is_off(cpu)
        return array_cpu if preemption and not irqs else ZERO

    @njit
    def of_any(cpu):
        array_cpu, irqs, preemption = what_is_off(cpu)
        return array_cpu if irqs or preemption else ZERO

    def at_label(of, act):
        """The address of void (*)(cpu, address), which does `act` with the CPU's record that `of` gives, if it gives one."""

        @cfunc(_HANDLER)
        def handler(cpu, address):
            array_cpu = of(cpu)
            if array_cpu != ZERO:
                act(cpu, array_cpu)

        return handler.address

    return SectionCallbacks(
        keep.address,
        Callback("latency_irqs_off", at_label(of_irqs, begin)),
        Callback("latency_irqs_on", at_label(of_irqs, end)),
        Callback("latency_preempt_off", at_label(of_preemption, begin)),
        Callback("latency_preempt_on", at_label(of_preemption, end)),
        Callback("latency_start", at_label(of_any, begin)),
        Callback("latency_stop", at_label(of_any, end)),
    )
