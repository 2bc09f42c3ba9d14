# SPDX-License-Identifier: GPL-2.0-only
"""The function tracer: what runs once per call of a traced function."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emu.cpu.native import cpu_record
from emu.ftrace.native import array_cpu_record, array_record, consumer, event_context, probes, stack_tracer_record
from emu.ftrace.native.context import Context, complete, linear_time, now
from emu.ftrace.native.function_entries import FUNCTION_KIND, FUNCTION_SIZE, put_function
from emu.ftrace.native.ring_buffer import reserve
from emu.ftrace.native.sites import site_flags
from emu.native import njit
from emu.native.pointers import call_handler, call_test, load_u64, store_u64

__all__ = ["FunctionTracer", "build"]

ZERO = np.uint64(0)


class FunctionTracer(NamedTuple):
    """The compiled functions that an architecture's callbacks call, once they know the function and its caller."""

    record_function: Any
    """record_function(cpu, ip, parent_ip, irqs_off) -> where the CPU goes on instead of there, or 0: records a call of the
    function at `ip`, from `parent_ip`."""

    before_graph: Any
    """before_graph(cpu, ip, parent_ip, irqs_off): at a site that calls function_graph's callback, for the arrays whose function
    tracer wants the site, too, for the commands that act before function_graph, and for the stack tracer."""

    after_graph: Any
    """after_graph(cpu, ip) -> where the CPU goes on instead of there, or 0: the same for the commands that act after it."""


def build(context: Context, general: bool) -> FunctionTracer:
    """Compiles for a guest. `general`: see `Callbacks`."""
    current_task, preempt_count, common_fields = context
    clock = now if general else linear_time

    @njit
    def record_call(cpu, array_cpu, ip, parent_ip, irqs_off):
        """Records a call in one array, unless the array ignores the task that runs."""
        if load_u64(array_cpu + array_cpu_record.IGNORED) != ZERO:
            return
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        common = common_fields(FUNCTION_KIND, current_task(array_cpu, array), preempt_count(array_cpu), irqs_off)
        if general:
            repeats = load_u64(array + array_record.FUNC_REPEATS)
            if repeats != ZERO and call_test(repeats, cpu, array_cpu, ip, parent_ip, common, ZERO) != ZERO:
                return
        entry = reserve(load_u64(array_cpu + array_cpu_record.RING), clock(cpu, array), FUNCTION_SIZE)
        if entry == ZERO:
            return
        put_function(entry, common, ip, parent_ip)
        complete(cpu, array_cpu, array)
        if general:
            record_stack = load_u64(array + array_record.FUNC_STACKS)
            if record_stack != ZERO:
                call_handler(record_stack, cpu, array_cpu)

    @njit
    def check_stack(cpu, array):
        """Has the stack tracer look how deep the stack is."""
        tracer = load_u64(array + array_record.STACK_TRACER)
        call_handler(load_u64(tracer + stack_tracer_record.CHECK), cpu, tracer)

    @njit
    def record_in_each(cpu, array_cpu, ip, parent_ip, irqs_off):
        """Goes through the arrays and does what each wants at this site, as Linux's ftrace_ops_list_func does."""
        while array_cpu != ZERO:
            array = load_u64(array_cpu + array_cpu_record.ARRAY)
            flags = site_flags(array, ip)
            first = ZERO
            if flags & array_record.STACK_CHECKED != 0:
                check_stack(cpu, array)
            if flags & array_record.PROBED != 0:
                probes.tell_at_site(array, ip)
                first = probes.at_site(array, ip)
                probes.act(cpu, first, consumer.BEFORE)
            if flags & array_record.TRACED != 0:
                record_call(cpu, array_cpu, ip, parent_ip, irqs_off)
            if first != ZERO:
                probes.act(cpu, first, consumer.AFTER)
                probes.write_at_site(cpu, array)
            array_cpu = load_u64(array_cpu + array_cpu_record.NEXT)

    @njit
    def act_at_graph(cpu, array, ip, flags, post):
        """Has the commands act of the array whose calls return to the trampoline, the top array."""
        if flags & array_record.PROBED != 0:
            probes.tell_at_site(array, ip)
            probes.act(cpu, probes.at_site(array, ip), post)
            probes.write_at_site(cpu, array)

    @njit
    def goes_on_at(array_cpu):
        """Where a consumer has the CPU go on; from now on, none has."""
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        place = load_u64(array + array_record.EVENT_CONTEXT) + event_context.GOES_ON_AT
        found = load_u64(place)
        store_u64(place, ZERO)
        return found

    @njit
    def asks_each(array_cpu):
        return load_u64(load_u64(array_cpu + array_cpu_record.ARRAY) + array_record.ASKS_EACH) != ZERO

    @njit
    def record_function(cpu, ip, parent_ip, irqs_off):
        array_cpu = load_u64(cpu + cpu_record.CALLOUT)
        if general and asks_each(array_cpu):
            record_in_each(cpu, array_cpu, ip, parent_ip, irqs_off)
            return goes_on_at(array_cpu)
        record_call(cpu, array_cpu, ip, parent_ip, irqs_off)
        return ZERO

    @njit
    def before_graph(cpu, ip, parent_ip, irqs_off):
        array_cpu = load_u64(cpu + cpu_record.CALLOUT)
        if general and asks_each(array_cpu):
            array = load_u64(array_cpu + array_cpu_record.ARRAY)
            flags = site_flags(array, ip)
            if flags & array_record.STACK_CHECKED != 0:
                check_stack(cpu, array)
            act_at_graph(cpu, array, ip, flags, consumer.BEFORE)
            if flags & array_record.TRACED != 0:  # the graph is the profiler's
                record_call(cpu, array_cpu, ip, parent_ip, irqs_off)
            record_in_each(cpu, load_u64(array_cpu + array_cpu_record.NEXT), ip, parent_ip, irqs_off)

    @njit
    def after_graph(cpu, ip):
        array_cpu = load_u64(cpu + cpu_record.CALLOUT)
        if general and asks_each(array_cpu):
            array = load_u64(array_cpu + array_cpu_record.ARRAY)
            act_at_graph(cpu, array, ip, site_flags(array, ip), consumer.AFTER)
            return goes_on_at(array_cpu)
        return ZERO

    return FunctionTracer(record_function, before_graph, after_graph)
