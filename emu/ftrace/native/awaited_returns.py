# SPDX-License-Identifier: GPL-2.0-only
"""Return probes on a kernel that is looked at from outside: the calls under way whose returns are awaited.

A call is known by its frame, the place of its return address. No two calls under way have the same one, but functions that end
with a jump to each other: they were entered by one call, and return together. A call that is left without a return, as by a task
that ends, is dropped when another one begins in its frame, or when a new task gets its stack.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import probes
from emu.ftrace.native.awaited_returns_record import BUCKETS, MOST_AWAITED, AwaitedReturn, AwaitedReturns
from emu.ftrace.native.context import array_of
from emu.ftrace.native.trace_records import Rethook, TraceArray
from emu.ftrace.native.trace_values import PLACE_PROGRAM, PLACE_RETURN
from emu.native.functions import njit
from emu.native.hash_table import first_slot
from emu.native.records import u64

__all__ = ["AwaitedFunctions", "functions"]

LAST, BUCKET_COUNT = u64(BUCKETS - 1), u64(BUCKETS)
KERNEL_HALF = u64(1 << 63)


class AwaitedFunctions(NamedTuple):
    """Compiled functions."""

    expect: Callable[[TraceArray, Rethook, u64, u64, u64], AwaitedReturn | None]
    """expect(array, rethook, task, frame, returns_to) -> the call, whose arguments are still to be stored; None if its return is
    not awaited. The function is the event_context's `ip`."""

    handle: Callable[[Cpu, u64, u64], None]
    """handle(cpu, frame, address): the CPU is at an address to which a call with this frame may have returned."""

    forget: Callable[[TraceArray, u64, u64], None]
    """forget(array, start, size): no call is under way on the stack there."""

    forget_task: Callable[[TraceArray, u64], None]
    """forget_task(array, task): a task is gone, and so is its program's stack."""

    forget_same: Callable[[TraceArray, Rethook, u64], None]
    """forget_same(array, rethook, frame): the same function is called again with the same frame, so it did not return."""


@njit
def awaited_of(array: TraceArray) -> AwaitedReturns:
    return array.awaited  # type: ignore[return-value]  # it exists before the first return is awaited


@njit
def call_at(awaited: AwaitedReturns, number: u64) -> AwaitedReturn:
    return awaited.calls[number - 1]


@njit
def take(awaited: AwaitedReturns) -> u64:
    """Takes a free one. Returns its number, or 0 if there is none."""
    number = awaited.free
    if number != 0:
        awaited.free = call_at(awaited, number).next
    elif awaited.used < MOST_AWAITED:
        awaited.used += 1
        number = awaited.used
    else:
        return 0
    awaited.count += 1
    return number


@njit
def unlink(awaited: AwaitedReturns, bucket: u64, before: u64, number: u64) -> None:
    """Frees a call. `before`: the number of the one before it in its bucket; 0: it is the latest there."""
    call = call_at(awaited, number)
    if before == 0:
        awaited.buckets[bucket] = call.next
    else:
        call_at(awaited, before).next = call.next
    call.next = awaited.free
    awaited.free = number
    awaited.count -= 1


def _unlinking(matches: Callable[[AwaitedReturn, u64, u64, u64], bool]) -> Callable[[AwaitedReturns, u64, u64, u64, u64], None]:
    """unlink_some(awaited, bucket, a, b, c): frees the calls of a bucket for which matches(call, a, b, c) is true."""

    @njit
    def unlink_some(awaited: AwaitedReturns, bucket: u64, a: u64, b: u64, c: u64) -> None:
        before, number = u64(0), awaited.buckets[bucket]
        while number != 0:
            call = call_at(awaited, number)
            following = call.next
            if matches(call, a, b, c):
                unlink(awaited, bucket, before, number)
            else:
                before = number
            number = following

    return unlink_some


@njit
def is_left(call: AwaitedReturn, frame: u64, returns_to: u64, task: u64) -> bool:
    """Whether it has a frame, and cannot be under way if a task now enters another one with it."""
    return call.frame == frame and (call.returns_to != returns_to or call.task != task)


@njit
def is_on_stack(call: AwaitedReturn, start: u64, size: u64, unused: u64) -> bool:
    return call.frame - start < size


@njit
def is_of_task(call: AwaitedReturn, task: u64, unused: u64, unused_too: u64) -> bool:
    return call.task == task


@njit
def is_same(call: AwaitedReturn, frame: u64, rethook: u64, unused: u64) -> bool:
    return call.frame == frame and call.rethook == rethook


drop_left, drop_same = _unlinking(is_left), _unlinking(is_same)
drop_on_stack, drop_of_task = _unlinking(is_on_stack), _unlinking(is_of_task)


@njit
def expect(array: TraceArray, rethook: Rethook, task: u64, frame: u64, returns_to: u64) -> AwaitedReturn | None:
    awaited, acting = awaited_of(array), rethook.at_return
    if acting is None:
        return None
    bucket = first_slot(frame, LAST)
    drop_left(awaited, bucket, frame, returns_to, task)
    number = take(awaited)
    if number == 0:
        acting.missed += 1
        return None
    call = call_at(awaited, number)
    call.rethook, call.frame, call.returns_to, call.task = rethook.address, frame, returns_to, task
    call.function = array.event_context.ip
    call.next = awaited.buckets[bucket]
    awaited.buckets[bucket] = number
    return call


@njit
def act(cpu: Cpu, array: TraceArray, call: AwaitedReturn) -> None:
    """Runs the consumer of a call that has returned."""
    rethook = Rethook(call.rethook)
    acting = rethook.at_return if call.rethook != 0 else None
    if acting is not None:
        place = PLACE_RETURN if call.returns_to & KERNEL_HALF else PLACE_PROGRAM
        probes.tell(array.event_context, place, call.function, call.address, array.kprobes.fill_at_site)
        array.event_context.return_ip = call.returns_to
        acting.handler(cpu, acting)


@njit
def handle(cpu: Cpu, frame: u64, address: u64) -> None:
    array = array_of(cpu)
    awaited, bucket = awaited_of(array), first_slot(frame, LAST)
    before, number = u64(0), awaited.buckets[bucket]
    while number != 0:
        call = call_at(awaited, number)
        following = call.next
        if call.frame == frame and call.returns_to == address:
            act(cpu, array, call)
            unlink(awaited, bucket, before, number)
        else:
            before = number
        number = following


@njit
def forget(array: TraceArray, start: u64, size: u64) -> None:
    awaited = array.awaited
    if awaited is not None and awaited.count != 0:
        for bucket in range(BUCKET_COUNT):
            drop_on_stack(awaited, bucket, start, size, 0)


@njit
def forget_task(array: TraceArray, task: u64) -> None:
    awaited = array.awaited
    if awaited is not None and awaited.count != 0:
        for bucket in range(BUCKET_COUNT):
            drop_of_task(awaited, bucket, task, 0, 0)


@njit
def forget_same(array: TraceArray, rethook: Rethook, frame: u64) -> None:
    drop_same(awaited_of(array), first_slot(frame, LAST), frame, rethook.address, 0)


functions = AwaitedFunctions(expect, handle, forget, forget_task, forget_same)
