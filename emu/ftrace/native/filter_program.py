# SPDX-License-Identifier: GPL-2.0-only
"""Filters of events as native code runs them.

A program is an array of words: entries of five, then the patterns of strings. An entry looks at one thing and says where to go
on, in either case: at an entry further on, or nowhere, because then the whole filter's value is known.

A pattern is a word for each of its elements. It takes one character, or any number of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from emu.cpu.native import cpu_record
from emu.ftrace.native import array_cpu_record, array_record, event_record
from emu.ftrace.native.context import Context, host_address
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import cfunc, njit
from emu.native.pointers import Accessors, call_test, load_u8, load_u16, load_u32, load_u64, store_u8
from emu.native.record import Fields

__all__ = ["build", "keeps"]

_entry = Fields()
WHAT = _entry.word()
VALUE = _entry.word()  # a number; of STRING, where in the program its pattern is, in bytes
LENGTH = _entry.word()  # of WITHIN, how many numbers from VALUE on; of STRING, the pattern's elements
IF_TRUE = _entry.word()  # the next entry's offset in the program, in bytes, or DISCARD or KEEP
IF_FALSE = _entry.word()
ENTRY_WORDS = _entry.count

DISCARD, KEEP = np.uint64(0), np.uint64(1)

# WHAT: offset of the field << 32 | its size << 16 | its source << 8 | test
TEST_MASK, SOURCE, SIZE, OFFSET = np.uint64(0xFF), np.uint64(8), np.uint64(16), np.uint64(32)
SOURCE_MASK, SIZE_MASK = np.uint64(0xFF), np.uint64(0xFFFF)

# Tests
EQUAL, LESS, LESS_OR_EQUAL, SIGNED_LESS, SIGNED_LESS_OR_EQUAL, ANY_BIT, WITHIN, STRING, UNLIKE = (np.uint64(n) for n in range(9))

# Sources: numbers, then strings
UNSIGNED, SIGNED, CPU, ARRAY, DATA_LOC, REL_LOC, POINTER, USER_POINTER, COMM = (np.uint64(n) for n in range(9))

# Elements of a pattern. Below ANY_CHARACTER is the character itself.
ANY_CHARACTER, ANY_RUN = np.uint64(256), np.uint64(257)
CLASS = np.uint64(258)  # and from there: the offset in the program of a bit for each character
CLASS_WORDS = 4

ZERO, ONE, WORD, PAGE = np.uint64(0), np.uint64(1), np.uint64(8), np.uint64(4096)
LENGTH_SHIFT, OFFSET_MASK = np.uint64(16), np.uint64(0xFFFF)  # of the word of a field of variable length
BYTE_SHIFT, BIT_MASK = np.uint64(3), np.uint64(7)
LONGEST = np.uint64(1023)  # bytes that are looked at of a string outside the entry
COMM_SIZE = np.uint64(16)
END = ZERO  # of a string


@njit
def number_at(address, size, signed):
    """A number in an entry, extended to 64 bits."""
    if size == WORD:
        return load_u64(address)
    if size == np.uint64(4):
        value = np.uint64(load_u32(address))
    elif size == np.uint64(2):
        value = np.uint64(load_u16(address))
    else:
        value = np.uint64(load_u8(address))
    if signed:
        unused = np.uint64(64) - size * WORD
        return np.uint64(np.int64(value << unused) >> np.int64(unused))
    return value


@njit
def string_at(what, entry, size):
    """The address of a string in an entry of `size` bytes, and how many bytes it has at most: a NUL may end it before.

    Its source is ARRAY, DATA_LOC or REL_LOC. Nothing outside the entry is taken for part of it.
    """
    source, offset = (what >> SOURCE) & SOURCE_MASK, what >> OFFSET
    most = (what >> SIZE) & SIZE_MASK
    if source != ARRAY:
        place = np.uint64(load_u32(entry + offset))
        offset = (place & OFFSET_MASK) + (offset + most if source == REL_LOC else ZERO)
        most = place >> LENGTH_SHIFT
    elif most == ZERO:  # the string is the rest of the entry
        most = size
    return entry + offset, min(most, size - offset) if offset < size else ZERO


@njit
def holds(entry, test, number):
    """Whether a number passes an entry's test."""
    value = load_u64(entry + VALUE)
    if test == EQUAL:
        return number == value
    if test == LESS:
        return number < value
    if test == LESS_OR_EQUAL:
        return number <= value
    if test == SIGNED_LESS:
        return np.int64(number) < np.int64(value)
    if test == SIGNED_LESS_OR_EQUAL:
        return np.int64(number) <= np.int64(value)
    if test == ANY_BIT:
        return number & value != ZERO
    return number - value < load_u64(entry + LENGTH)


@njit
def accepts(program, element, character):
    if element < ANY_CHARACTER:
        return element == character
    if element == ANY_CHARACTER:
        return True
    bits = load_u8(program + (element - CLASS) + (character >> BYTE_SHIFT))
    return (np.uint64(bits) >> (character & BIT_MASK)) & ONE != ZERO


@njit
def like(program, pattern, count, text, most):
    """Whether a string of at most `most` bytes, which a NUL may end before, matches a pattern of `count` elements."""
    at = read = retry = retry_text = ZERO
    while True:
        character = np.uint64(load_u8(text + read)) if read < most else END
        if at == count:
            if character == END:
                return True
        else:
            element = load_u64(pattern + at * WORD)
            if element == ANY_RUN:
                at += ONE
                if at == count:
                    return True
                retry, retry_text = at, read
                continue
            if character != END and accepts(program, element, character):
                at += ONE
                read += ONE
                continue
        if character == END or retry == ZERO:
            return False
        retry_text += ONE
        at, read = retry, retry_text


@njit
def keeps(program, cpu, array_cpu, entry, size):
    """Whether a filter keeps an entry of `size` bytes; without a filter (`program` 0) all are kept.

    Numbers are compared here; strings by what `build` makes, which is not compiled before there is a filter.
    """
    if program == ZERO:
        return True
    at = ZERO
    while True:
        step = program + at
        what = load_u64(step + WHAT)
        source = (what >> SOURCE) & SOURCE_MASK
        if source <= SIGNED:
            number = number_at(entry + (what >> OFFSET), (what >> SIZE) & SIZE_MASK, source == SIGNED)
            passes = holds(step, what & TEST_MASK, number)
        elif source == CPU:
            passes = holds(step, what & TEST_MASK, load_u64(cpu + cpu_record.INDEX))
        else:
            array = load_u64(array_cpu + array_cpu_record.ARRAY)
            passes = call_test(load_u64(array + array_record.STRING_TEST), program, step, cpu, array_cpu, entry, size) != ZERO
        at = load_u64(step + (IF_TRUE if passes else IF_FALSE))
        if at <= KEEP:
            return at == KEEP


def build(memory: Accessors, guest: GuestLayout, context: Context, user_address: Any) -> Any:
    """Compiles passes(program, step, cpu, array_cpu, entry, size) -> 1 if the string at which a program's entry `step` looks is
    as it should be, else 0. One that cannot be read is neither like nor unlike.

    Nothing outside the entry is read as if it were in it, whatever its fields of variable length say.

    Args:
        memory: accesses in the guest's byte order.
        guest: its structures.
        context: compiled for it.
        user_address: see `user_memory.build`.
    """
    current_task = context.current_task

    @njit
    def fetched(cpu, array, address):
        """Copies a string of the running program to the stage. Returns its address there; 0: it cannot be read."""
        copy = load_u64(array + array_record.STAGE) + event_record.STRING_STAGE
        source = ZERO
        for n in range(LONGEST):
            at = address + np.uint64(n)
            if source == ZERO or at % PAGE == ZERO:
                source = user_address(cpu, array, at)
                if source == ZERO:
                    return ZERO
            character = load_u8(source)
            store_u8(copy + np.uint64(n), character)
            if character == np.uint8(0):
                break
            source += ONE
        return copy

    @cfunc(types.uint64(*[types.uint64] * 6))
    def passes(program, step, cpu, array_cpu, entry, size):
        what, array = load_u64(step + WHAT), load_u64(array_cpu + array_cpu_record.ARRAY)
        source, offset = (what >> SOURCE) & SOURCE_MASK, what >> OFFSET
        text, most = ZERO, LONGEST
        if source <= REL_LOC:
            text, most = string_at(what, entry, size)
        elif source == COMM:
            text, most = current_task(array_cpu, array) + guest.task_comm, COMM_SIZE
        elif source == POINTER:
            text = host_address(array, load_u64(entry + offset))
            if text == load_u64(array + array_record.NOWHERE):
                return ZERO
        else:
            text = fetched(cpu, array, load_u64(entry + offset))
            if text == ZERO:
                return ZERO
        same = like(program, program + load_u64(step + VALUE), load_u64(step + LENGTH), text, most)
        return ONE if same == (what & TEST_MASK == STRING) else ZERO

    return passes
