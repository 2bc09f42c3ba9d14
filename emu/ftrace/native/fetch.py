# SPDX-License-Identifier: GPL-2.0-only
"""Fetches the arguments of a probe: programs of a few steps for each, which end with storing it in the entry.

A program is an array of words, two for each step, and the texts that it has. A step makes a value, or changes that of the step
before: a number, or a text that the host can read. `emu.ftrace.dynevent.fetch_program` makes them.

Nothing here faults. A number that cannot be read is 0; a string that cannot be read is `(fault)`, in a program's memory an empty
one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.cpu.native import cpu_record
from emu.ftrace.native import array_record, event_context, event_record, symbol_names
from emu.ftrace.native.context import Context, host_address
from emu.ftrace.native.filter_program import number_at
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import njit
from emu.native.memory import copy_string
from emu.native.pointers import Accessors, load_u8, load_u32, load_u64, store_u8, store_u16, store_u32, store_u64
from emu.native.record import Fields

__all__ = ["build"]

_step = Fields()
WHAT = _step.word()
OPERAND = _step.word()
STEP_WORDS = _step.count

# WHAT: where the value goes in the entry << 48 | how many values << 32 | size << 16 | flags | what is to be done
OP_MASK, SIZE, COUNT, TO = np.uint64(0xFF), np.uint64(16), np.uint64(32), np.uint64(48)
HALF_MASK = np.uint64(0xFFFF)
USER = np.uint64(0x100)  # the memory is the program's
SIGNED = np.uint64(0x200)  # the number of a field
FAULT_TEXT = np.uint64(0x400)  # what a string is that cannot be read is written out
RELATIVE = np.uint64(0x800)  # a field of variable length says where its data is from its own end on

# What is to be done
END = np.uint64(0)
REGISTER = np.uint64(1)  # OPERAND: where among the registers, in bytes
IMMEDIATE = np.uint64(2)
PLACE = np.uint64(3)  # the address that is probed, and OPERAND
COMM = np.uint64(4)  # a text: the name of the task
TEXT = np.uint64(5)  # OPERAND: where in the program, in bytes; SIZE: how many
FIELD = np.uint64(6)  # OPERAND: where in the entry of the event that is probed
FIELD_TEXT = np.uint64(7)  # the same for a text, an array of characters
FIELD_DATA = np.uint64(8)  # the same for a field of variable length
DEREFERENCE = np.uint64(9)  # the word that is OPERAND bytes behind the address so far
STORE = np.uint64(10)
STORE_MEMORY = np.uint64(11)  # what is OPERAND bytes behind the address, or COUNT of such
STORE_STRING = np.uint64(12)  # the string there
STORE_STRINGS = np.uint64(13)  # COUNT strings to which pointers there point
STORE_SYMBOL = np.uint64(14)  # the name of an address. OPERAND: address of the symbol_names
BITS = np.uint64(15)  # of what is stored. OPERAND: the first bit << 8 | how many

# Flags of STORE_STRINGS
USER_STRINGS = np.uint64(0x1000)  # the strings are in the program's memory, wherever the pointers are

BIT_OFFSET, BIT_COUNT_MASK = np.uint64(8), np.uint64(0xFF)
LENGTH = np.uint64(16)  # shift of the length in the word that leads to a string

ZERO, ONE, TWO, FOUR, WORD = (np.uint64(n) for n in (0, 1, 2, 4, 8))
ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
NUL = np.uint8(0)
PAGE_MASK = np.uint64(4095)
COMM_SIZE = np.uint64(16)
LARGEST = np.uint64(event_record.LARGEST_ENTRY)
SCRATCH = np.uint64(event_record.LARGEST_ENTRY)  # offset in a stage of a word's room behind the largest entry
FAULT = np.uint64(int.from_bytes(b"(fault)\0", "little"))
FAULT_SIZE = np.uint64(8)


@njit
def store_number(to, number, size):
    """Stores a number's low `size` bytes."""
    if size == WORD:
        store_u64(to, number)
    elif size == FOUR:
        store_u32(to, np.uint32(number))
    elif size == TWO:
        store_u16(to, np.uint16(number))
    else:
        store_u8(to, np.uint8(number))


@njit
def take_bits(to, size, count, operand):
    """Leaves of `count` numbers some bits."""
    first, wanted = operand >> BIT_OFFSET, operand & BIT_COUNT_MASK
    mask = ALL >> (np.uint64(64) - wanted)
    for n in range(count):
        place = to + np.uint64(n) * size
        store_number(place, number_at(place, size, False) >> first & mask, size)


@njit
def field_data(entry, size, at, field_size, relative):
    """Where the data of a field of variable length is in an entry of `size` bytes, and how long. It never leaves the entry."""
    word = np.uint64(load_u32(entry + at))
    offset = (word & HALF_MASK) + (at + field_size if relative else ZERO)
    return entry + offset, (min(word >> LENGTH, size - offset) if offset < size else ZERO)


def build(memory: Accessors, guest: GuestLayout, context: Context, user_address: Any) -> Any:
    """Compiles fetch(cpu, array, told, program, stage, size) -> the entry's size, a multiple of four.

    It stores the arguments in the entry at `stage`, whose fixed part has `size` bytes. `told` is the event_context: the registers
    that the program wants are there, and the entry, if an event is probed. At most LARGEST_ENTRY bytes are stored, and a word
    behind them.

    Args:
        memory: accesses in the guest's byte order.
        guest: its structures.
        context: compiled for it.
        user_address: see `user_memory.build`.
    """
    guest_u16, guest_u32, guest_u64 = memory.load_u16, memory.load_u32, memory.load_u64
    current_task = context.current_task

    @njit
    def guest_number(address, size):
        if size == WORD:
            return guest_u64(address)
        if size == FOUR:
            return np.uint64(guest_u32(address))
        if size == TWO:
            return np.uint64(guest_u16(address))
        return np.uint64(load_u8(address))

    @njit
    def address_of(cpu, array, address, user):
        """The host address of an address of the kernel or of the program, good up to the end of its page; 0: there is none.

        What is no address of the kernel is the program's: where they never are the same, the kernel finds either.
        """
        if not user:
            found = host_address(array, address)
            if found != load_u64(array + array_record.NOWHERE):
                return found
        return user_address(cpu, array, address)

    @njit
    def bytes_at(cpu, array, address, size, user, scratch):
        """The host address of at most eight bytes; `scratch`, to which they are copied, if they lie in two pages. 0: not all are
        there."""
        last = address + size - ONE
        found = address_of(cpu, array, address, user)
        if found == ZERO or address & ~PAGE_MASK == last & ~PAGE_MASK:
            return found
        rest = address_of(cpu, array, last & ~PAGE_MASK, user)
        if rest == ZERO:
            return ZERO
        here = PAGE_MASK + ONE - (address & PAGE_MASK)
        for n in range(size):
            at = np.uint64(n)
            store_u8(scratch + at, load_u8(found + at) if at < here else load_u8(rest + at - here))
        return scratch

    @njit
    def put_string(cpu, array, to, room, address, user):
        """Copies a string with its NUL into at most `room` bytes. Returns how many; 0: it cannot be read."""
        source = n = ZERO
        while n < room:
            if source == ZERO or (address + n) & PAGE_MASK == ZERO:
                source = address_of(cpu, array, address + n, user)
                if source == ZERO:
                    return ZERO
            character = load_u8(source)
            n += ONE
            if n == room:
                character = NUL
            store_u8(to + n - ONE, character)
            if character == NUL:
                break
            source += ONE
        return n

    @njit
    def end_string(stage, to, end, length, with_text):
        """Stores where a string is that was appended at `end`. Returns where the entry ends now. `length` 0: there is none."""
        if length == ZERO and with_text and LARGEST - end >= FAULT_SIZE:
            store_u64(stage + end, FAULT)
            length = FAULT_SIZE
        store_u32(stage + to, np.uint32(end | length << LENGTH))
        return end + length

    @njit
    def fetch(cpu, array, told, program, stage, size):
        registers, scratch = load_u64(told + event_context.REGISTERS), stage + SCRATCH
        entry, entry_size = load_u64(told + event_context.ENTRY), load_u64(told + event_context.SIZE)
        value = text = limit = ZERO
        known = True  # the value so far could be read
        end, step = size, program
        while True:
            what, operand = load_u64(step + WHAT), load_u64(step + OPERAND)
            step += np.uint64(STEP_WORDS) * WORD
            op, of_size, user = what & OP_MASK, (what >> SIZE) & HALF_MASK, what & USER != ZERO
            to, count = what >> TO, (what >> COUNT) & HALF_MASK
            if op == END:
                break
            if op < DEREFERENCE:
                value = text = ZERO
                known = True
                if op == REGISTER:
                    value = load_u64(registers + operand)
                elif op == IMMEDIATE:
                    value = operand
                elif op == PLACE:
                    value = load_u64(told + event_context.IP) + operand
                elif op == COMM:
                    text, limit = current_task(load_u64(cpu + cpu_record.CALLOUT), array) + guest.task_comm, COMM_SIZE
                elif op == TEXT:
                    text, limit = program + operand, of_size
                elif op == FIELD:
                    value = number_at(entry + operand, of_size, what & SIGNED != ZERO)
                elif op == FIELD_TEXT:
                    text, limit = entry + operand, of_size
                else:
                    text, limit = field_data(entry, entry_size, operand, of_size, what & RELATIVE != ZERO)
            elif op == DEREFERENCE:
                if text != ZERO:
                    known = operand < limit and limit - operand >= WORD
                    value = guest_u64(text + operand) if known else ZERO
                    text = ZERO
                elif known:
                    found = bytes_at(cpu, array, value + operand, WORD, user, scratch)
                    known = found != ZERO
                    value = guest_u64(found) if known else ZERO
            elif op == STORE:
                store_number(stage + to, value, of_size)
            elif op == STORE_MEMORY:
                for n in range(count):
                    offset = operand + np.uint64(n) * of_size
                    number = ZERO
                    if text != ZERO:
                        if offset < limit and limit - offset >= of_size:
                            number = guest_number(text + offset, of_size)
                    elif known:
                        found = bytes_at(cpu, array, value + offset, of_size, user, scratch)
                        if found != ZERO:
                            number = guest_number(found, of_size)
                    store_number(stage + to + np.uint64(n) * of_size, number, of_size)
            elif op == STORE_STRING:
                length = ZERO
                if text != ZERO:
                    if operand <= limit and end < LARGEST:
                        length = copy_string(stage + end, text + operand, min(LARGEST - end, limit - operand + ONE))
                elif known:
                    length = put_string(cpu, array, stage + end, LARGEST - end, value + operand, user)
                end = end_string(stage, to, end, length, what & FAULT_TEXT != ZERO)
            elif op == STORE_STRINGS:
                for n in range(count):
                    length = ZERO
                    at = np.uint64(n)
                    found = bytes_at(cpu, array, value + operand + at * WORD, WORD, user, scratch) if known else ZERO
                    if found != ZERO:
                        strings_user = what & USER_STRINGS != ZERO
                        length = put_string(cpu, array, stage + end, LARGEST - end, guest_u64(found), strings_user)
                    end = end_string(stage, to + at * FOUR, end, length, what & FAULT_TEXT != ZERO)
            elif op == STORE_SYMBOL:
                length = symbol_names.put_name(operand, stage + end, LARGEST - end, value) if known else ZERO
                end = end_string(stage, to, end, length, what & FAULT_TEXT != ZERO)
            else:
                take_bits(stage + to, of_size, count, operand)
        while end & (FOUR - ONE):
            store_u8(stage + end, NUL)
            end += ONE
        return end

    return fetch
