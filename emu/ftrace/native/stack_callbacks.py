# SPDX-License-Identifier: GPL-2.0-only
"""Records stack traces, for the function tracer and for handlers of events."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import stacks, user_stack
from emu.ftrace.native.arch import StackCallbacks
from emu.ftrace.native.context import Context
from emu.ftrace.native.event import record
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.hist_record import STACK_DEPTH
from emu.ftrace.native.trace_records import ArrayCpu, EventContext, EventFile
from emu.ftrace.native.trace_values import PLACE_EVENT, PLACE_FUNCTION, PLACE_NOWHERE, PLACE_PROGRAM
from emu.ftrace.native.unwind import Unwind
from emu.ftrace.native.user_stack import UnwindUser
from emu.native.functions import callback, njit
from emu.native.records import Values, Words, u64

__all__ = ["build"]

SKIPPED = u64(2)  # trace_event_raw_event_NAME(), and its caller


@njit
def is_in_kernel(place: u64) -> bool:
    """Whether there is a backtrace of the kernel."""
    return place not in (PLACE_NOWHERE, PLACE_PROGRAM)


@njit
def common_fields(told: EventContext) -> u64:
    return Words(told.entry.address)[0]


def build(
    guest: Guest,
    context: Context,
    irqs_off: Callable[[u64], bool],
    unwind: Unwind,
    unwind_user: UnwindUser,
) -> StackCallbacks:
    """Compiles for a guest.

    Args:
        guest: the layout of its structures.
        context: compiled for it.
        irqs_off: see `NativeCpu`.
        unwind: see `native.unwind`.
        unwind_user: see `native.user_stack`.
    """
    record_stack, record_after, _ = stacks.build(context, unwind)
    record_user_stack = user_stack.build(guest, context, unwind_user)

    @callback
    def function_stack(cpu: Cpu, array_cpu: ArrayCpu) -> None:
        record_stack(cpu, array_cpu, PLACE_FUNCTION, irqs_off(cpu.env))

    @callback
    def event_stack(cpu: Cpu, array_cpu: ArrayCpu) -> None:
        told = array_cpu.array.event_context
        if is_in_kernel(told.place):
            record_after(cpu, array_cpu, told.place, common_fields(told))

    @njit
    def record_after_event(cpu: Cpu, array_cpu: ArrayCpu | None, told: EventContext) -> None:
        """The same, if the event has been recorded."""
        if array_cpu is not None and is_in_kernel(told.place):
            record_after(cpu, array_cpu, told.place, common_fields(told))

    @callback
    def event_with_stack(cpu: Cpu, file: EventFile) -> None:
        told = ArrayCpu(cpu.callout).array.event_context
        record_after_event(cpu, record(cpu, file, told.entry, told.size), told)

    @callback
    def event_user_stack(cpu: Cpu, array_cpu: ArrayCpu) -> None:
        told = array_cpu.array.event_context
        if told.place != PLACE_NOWHERE:
            record_user_stack(cpu, array_cpu, common_fields(told))

    @callback
    def key_stack(cpu: Cpu, words: Values[u64]) -> None:
        """Leaves out the calls between the function with the event and trace_event_buffer_commit()."""
        array = ArrayCpu(cpu.callout).array
        place, stack = array.event_context.place, array.stack
        skipped, count = SKIPPED if place == PLACE_EVENT else 0, u64(0)
        if is_in_kernel(place):
            count = unwind(cpu, array, place, stack, skipped + STACK_DEPTH)
        for n in range(u64(STACK_DEPTH)):
            words[n] = stack[skipped + n] if skipped + n < count else 0

    return StackCallbacks(function_stack, event_stack, event_with_stack, event_user_stack, key_stack)
