# SPDX-License-Identifier: GPL-2.0-only
"""Runs event filters (`native.filter_record`)."""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import filter_record
from emu.ftrace.native.context import Context, host_address
from emu.ftrace.native.entry import number_at
from emu.ftrace.native.filter_record import FilterStep
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.trace_records import ArrayCpu, TraceArray
from emu.ftrace.native.trace_values import STRING_STAGE
from emu.ftrace.native.user_memory import UserAddress
from emu.native.functions import Compiled, Native, njit
from emu.native.records import Bytes, Ints, Words, i64, u64

__all__ = ["StringTest", "build", "keeps", "string_at"]

StringTest = Compiled[[FilterStep, Cpu, ArrayCpu, Bytes, u64], bool]

PAGE = 4096
LENGTH_SHIFT, OFFSET_MASK = 16, u64(0xFFFF)  # of a variable-length field's location word
LONGEST = u64(1023)  # bytes examined of a string outside the entry
COMM_SIZE = u64(16)
END = u64(0)  # of a string


@njit
def string_at(source: u64, offset: u64, size: u64, entry: Bytes, entry_size: u64) -> tuple[Bytes, u64]:
    """A string in an entry, and its maximum size: a NUL may end it earlier.

    Its source is ARRAY, DATA_LOC or REL_LOC. Nothing outside the entry is treated as part of it.
    """
    most = size
    if source != filter_record.ARRAY:
        place = Ints(entry.address + offset)[0]
        offset = (place & OFFSET_MASK) + (offset + size if source == filter_record.REL_LOC else 0)
        most = place >> LENGTH_SHIFT
    elif size == 0:  # the string is the rest of the entry
        most = entry_size
    return Bytes(entry.address + offset), min(most, entry_size - offset) if offset < entry_size else 0


@njit
def holds(step: FilterStep, number: u64) -> bool:
    """Whether a number passes a step's test."""
    test, value = step.test, step.value
    if test == filter_record.EQUAL:
        return number == value
    if test == filter_record.LESS:
        return number < value
    if test == filter_record.LESS_OR_EQUAL:
        return number <= value
    if test == filter_record.SIGNED_LESS:
        return i64(number) < i64(value)
    if test == filter_record.SIGNED_LESS_OR_EQUAL:
        return i64(number) <= i64(value)
    if test == filter_record.ANY_BIT:
        return number & value != 0
    return number - value < step.length


@njit
def accepts(pattern: Words, element: u64, character: u64) -> bool:
    if element < filter_record.ANY_CHARACTER:
        return element == character
    if element == filter_record.ANY_CHARACTER:
        return True
    return pattern[element - filter_record.CLASS + character // 64] >> character % 64 & 1 != 0


@njit
def like(pattern: Words, count: u64, text: Bytes, most: u64) -> bool:
    """Whether a string of at most `most` bytes, perhaps ended by a NUL, matches a pattern of `count` elements."""
    at = read = retry = retry_text = u64(0)
    while True:
        character = text[read] if read < most else END
        if at == count:
            if character == END:
                return True
        else:
            element = pattern[at]
            if element == filter_record.ANY_RUN:
                at += 1
                if at == count:
                    return True
                retry, retry_text = at, read
                continue
            if character != END and accepts(pattern, element, character):
                at += 1
                read += 1
                continue
        if character == END or retry == 0:
            return False
        retry_text += 1
        at, read = retry, retry_text


@njit
def passes(step: FilterStep, cpu: Cpu, array_cpu: ArrayCpu, entry: Bytes, size: u64) -> bool:
    """Whether the value examined by a step passes its test.

    Numbers are compared here; strings by the function from `build`, which is compiled when the first filter is set.
    """
    source = step.source
    if source <= filter_record.SIGNED:
        return holds(step, number_at(entry, step.offset, step.size, source == filter_record.SIGNED))
    if source == filter_record.CPU:
        return holds(step, cpu.index)
    return array_cpu.array.string_test(step, cpu, array_cpu, entry, size)


@njit
def keeps(first: FilterStep | None, cpu: Cpu, array_cpu: ArrayCpu, entry: Bytes, size: u64) -> bool:
    """Whether a filter with this first step keeps an entry of `size` bytes. Without a filter, all are kept."""
    if first is None:
        return True
    step = first
    while step.address > filter_record.KEEP:
        step = step.if_true if passes(step, cpu, array_cpu, entry, size) else step.if_false
    return step.address == filter_record.KEEP


def build(guest: Guest, context: Context, user_address: UserAddress) -> StringTest:
    """Compiles test(step, cpu, array_cpu, entry, size) -> whether the string examined by a step passes its test. An
    unreadable string neither matches nor differs.

    Nothing outside the entry is read as part of it, whatever its variable-length fields say.

    Args:
        guest: the layout of its structures.
        context: compiled for it.
        user_address: see `user_memory.build`.
    """
    native, current_task = Native(guest.layouts), context.current_task

    @native.njit
    def fetched(cpu: Cpu, array: TraceArray, address: u64) -> Bytes | None:
        """Copies a string of the running program to the stage. None if it cannot be read."""
        copy, source = Bytes(array.stage + STRING_STAGE), u64(0)
        for n in range(LONGEST):
            if source == 0 or (address + n) % PAGE == 0:
                source = user_address(cpu, array, address + n)
                if source == 0:
                    return None
            character = Bytes(source)[0]
            copy[n] = character
            if character == END:
                break
            source += 1
        return copy

    @native.callback
    def test(step: FilterStep, cpu: Cpu, array_cpu: ArrayCpu, entry: Bytes, size: u64) -> bool:
        array, source, most = array_cpu.array, step.source, LONGEST
        if source <= filter_record.REL_LOC:
            text, most = string_at(source, step.offset, step.size, entry, size)
        elif source == filter_record.COMM:
            text, most = current_task(array_cpu, array).comm, COMM_SIZE
        elif source == filter_record.POINTER:
            text = Bytes(host_address(array, Words(entry.address + step.offset)[0]))
            if text.address == array.nowhere:
                return False
        else:
            copied = fetched(cpu, array, Words(entry.address + step.offset)[0])
            if copied is None:
                return False
            text = copied
        return like(step.pattern, step.length, text, most) == (step.test == filter_record.STRING)

    return test
