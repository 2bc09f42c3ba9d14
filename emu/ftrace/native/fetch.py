# SPDX-License-Identifier: GPL-2.0-only
"""Fetches the arguments of a probe by running a program (`native.fetch_record`).

Nothing here faults. An unreadable number is 0; an unreadable string is `(fault)`, or empty if it is in
user memory.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import fetch_record, symbol_names
from emu.ftrace.native.context import Context, host_address
from emu.ftrace.native.entry import end_entry, number_at
from emu.ftrace.native.fetch_record import FetchStep
from emu.ftrace.native.guest_records import Guest, GuestMemory
from emu.ftrace.native.trace_records import ArrayCpu, EventContext, TraceArray
from emu.ftrace.native.trace_values import LARGEST_ENTRY, STAGE_SIZE
from emu.ftrace.native.user_memory import UserAddress
from emu.native.functions import Native, njit
from emu.native.memory import copy_string, store_number
from emu.native.records import HOST, Bytes, Ints, Record, Records, Values, Words, inline, u8, u64

__all__ = ["Fetch", "build"]

Fetch = Callable[[Cpu, TraceArray, EventContext, Records[FetchStep], Bytes, u64], u64]

PAGE = 4096
COMM_SIZE = 16
WORD = 8  # bytes
OFFSET_MASK, LENGTH = u64(0xFFFF), 16  # of the location word of a string: the length is above the offset
FAULT = u64(int.from_bytes(b"(fault)\0", "little"))
FAULT_SIZE = 8
ALL = u64(0xFFFF_FFFF_FFFF_FFFF)


class Fetching(Record):
    """The state while an entry is put together. It is stored after the largest possible entry, in the same stage."""

    entry: Bytes
    end: u64  # the end of the entry so far
    value: u64  # the argument's value so far
    known: bool  # whether it could be read
    text: Values[u8] | None  # the text that is the argument instead
    limit: u64  # maximum size of the text
    word: Values[u8] = inline(WORD)  # room for a number that spans two pages


assert LARGEST_ENTRY + HOST.size(Fetching) <= STAGE_SIZE


@njit
def take_bits(entry: Bytes, step: FetchStep) -> None:
    """Keeps only some bits of numbers."""
    mask = ALL >> 64 - step.bits
    for n in range(step.count):
        place = step.to + n * step.size
        store_number(entry, place, number_at(entry, place, step.size, False) >> step.first_bit & mask, step.size)


@njit
def find_data(told: EventContext, step: FetchStep, fetching: Fetching) -> None:
    """Finds the data of a variable-length field. It is limited to the entry of the probed event."""
    word = Ints(told.entry.address + step.operand)[0]
    begin = step.operand + step.size if step.flags & fetch_record.RELATIVE else 0
    offset = (word & OFFSET_MASK) + begin
    fetching.text = Bytes(told.entry.address + offset)
    fetching.limit = min(word >> LENGTH, told.size - offset) if offset < told.size else 0


@njit
def end_string(step: FetchStep, fetching: Fetching, n: u64, length: u64) -> None:
    """Stores the location of string `n` of the step, which was appended to the entry. `length` 0: there is none."""
    end = fetching.end
    if length == 0 and step.flags & fetch_record.FAULT_TEXT and LARGEST_ENTRY - end >= FAULT_SIZE:
        Words(fetching.entry.address + end)[0] = FAULT
        length = u64(FAULT_SIZE)
    store_number(fetching.entry, step.to + n * 4, end | length << LENGTH, 4)
    fetching.end = end + length


@njit
def store_symbol(step: FetchStep, fetching: Fetching) -> None:
    length, end = u64(0), fetching.end
    if fetching.known:
        to = Bytes(fetching.entry.address + end)
        length = symbol_names.put_name(step.names, to, LARGEST_ENTRY - end, fetching.value)
    end_string(step, fetching, 0, length)


def build(guest: Guest, context: Context, user_address: UserAddress) -> Fetch:
    """Compiles fetch(cpu, array, told, program, entry, size) -> the entry's size, a multiple of four.

    It stores the arguments in an entry whose fixed part has `size` bytes. `told` has the registers that the program uses, and
    the entry of a probed event. At most LARGEST_ENTRY bytes are stored, and a `Fetching` after them.

    Args:
        guest: the layout of its structures.
        context: compiled for it.
        user_address: see `user_memory.build`.
    """
    native, current_task = Native(guest.layouts), context.current_task

    @native.njit
    def number_in(found: GuestMemory, size: u64) -> u64:
        if size == 8:
            return found.as_u64
        if size == 4:
            return found.as_u32
        return found.as_u16 if size == 2 else found.as_u8

    @native.njit
    def address_of(cpu: Cpu, array: TraceArray, address: u64, user: bool) -> u64:
        """The host address of a kernel or user address, valid up to the end of its page; 0 if there is none.

        An address outside the kernel is taken as a user address: where the two never overlap, kernel fetches find both.
        """
        if not user:
            found = host_address(array, address)
            if found != array.nowhere:
                return found
        return user_address(cpu, array, address)

    @native.njit
    def memory_at(cpu: Cpu, array: TraceArray, fetching: Fetching, address: u64, size: u64, user: bool) -> GuestMemory | None:
        """Up to eight bytes of memory; a copy if they span two pages. None if some are not readable."""
        last = address + size - 1
        found = address_of(cpu, array, address, user)
        if found == 0 or address // PAGE == last // PAGE:
            return GuestMemory(found)
        rest = address_of(cpu, array, last // PAGE * PAGE, user)
        if rest == 0:
            return None
        here = PAGE - address % PAGE
        for n in range(size):
            fetching.word[n] = Bytes(found)[n] if n < here else Bytes(rest)[n - here]
        return GuestMemory(fetching.word.address)

    @native.njit
    def put_string(cpu: Cpu, array: TraceArray, to: Bytes, room: u64, address: u64, user: bool) -> u64:
        """Copies a string with its NUL into at most `room` bytes. Returns the number of bytes; 0 if it cannot be read."""
        source = n = u64(0)
        while n < room:
            if source == 0 or (address + n) % PAGE == 0:
                source = address_of(cpu, array, address + n, user)
                if source == 0:
                    return 0
            character = Bytes(source)[0] if n + 1 < room else 0
            to[n] = character
            n += 1
            if character == 0:
                break
            source += 1
        return n

    @native.njit
    def begin(cpu: Cpu, array: TraceArray, told: EventContext, step: FetchStep, fetching: Fetching) -> None:
        """Runs a step that starts a value."""
        op, operand, size = step.op, step.operand, step.size
        fetching.value, fetching.known, fetching.text = 0, True, None
        if op == fetch_record.REGISTER:
            fetching.value = told.registers[operand]
        elif op == fetch_record.IMMEDIATE:
            fetching.value = operand
        elif op == fetch_record.PLACE:
            fetching.value = told.ip + operand
        elif op == fetch_record.COMM:
            fetching.text, fetching.limit = current_task(ArrayCpu(cpu.callout), array).comm, COMM_SIZE
        elif op == fetch_record.TEXT:
            fetching.text, fetching.limit = step.text, size
        elif op == fetch_record.FIELD:
            fetching.value = number_at(told.entry, operand, size, step.flags & fetch_record.SIGNED != 0)
        elif op == fetch_record.FIELD_TEXT:
            fetching.text, fetching.limit = Bytes(told.entry.address + operand), size
        else:
            find_data(told, step, fetching)

    @native.njit
    def number_behind(cpu: Cpu, array: TraceArray, step: FetchStep, fetching: Fetching, n: u64, size: u64) -> GuestMemory | None:
        """Number `n` of those at the value so far plus `operand`. None if it cannot be read."""
        offset, limit, text = step.operand + n * size, fetching.limit, fetching.text
        if text is not None:
            return GuestMemory(text.address + offset) if offset < limit and limit - offset >= size else None
        if not fetching.known:
            return None
        return memory_at(cpu, array, fetching, fetching.value + offset, size, step.flags & fetch_record.USER != 0)

    @native.njit
    def dereference(cpu: Cpu, array: TraceArray, step: FetchStep, fetching: Fetching) -> None:
        found = number_behind(cpu, array, step, fetching, 0, WORD)
        fetching.value = found.as_u64 if found is not None else 0
        fetching.known, fetching.text = found is not None, None

    @native.njit
    def store_memory(cpu: Cpu, array: TraceArray, step: FetchStep, fetching: Fetching) -> None:
        for n in range(step.count):
            found = number_behind(cpu, array, step, fetching, n, step.size)
            number = number_in(found, step.size) if found is not None else 0
            store_number(fetching.entry, step.to + n * step.size, number, step.size)

    @native.njit
    def store_string(cpu: Cpu, array: TraceArray, step: FetchStep, fetching: Fetching) -> None:
        length, offset, text, end = u64(0), step.operand, fetching.text, fetching.end
        to, room = Bytes(fetching.entry.address + end), LARGEST_ENTRY - end
        if text is not None:
            if offset <= fetching.limit and room != 0:
                length = copy_string(to, Bytes(text.address + offset), min(room, fetching.limit - offset + 1))
        elif fetching.known:
            length = put_string(cpu, array, to, room, fetching.value + offset, step.flags & fetch_record.USER != 0)
        end_string(step, fetching, 0, length)

    @native.njit
    def string_of(cpu: Cpu, array: TraceArray, step: FetchStep, fetching: Fetching, n: u64) -> u64:
        """Appends the string at pointer `n` of those at the value so far. Returns the same as `put_string`."""
        if not fetching.known:
            return 0
        place, end = fetching.value + step.operand + n * WORD, fetching.end
        found = memory_at(cpu, array, fetching, place, WORD, step.flags & fetch_record.USER != 0)
        if found is None:
            return 0
        to, user = Bytes(fetching.entry.address + end), step.flags & fetch_record.USER_STRINGS != 0
        return put_string(cpu, array, to, LARGEST_ENTRY - end, found.as_u64, user)

    @native.njit
    def take(cpu: Cpu, array: TraceArray, told: EventContext, step: FetchStep, fetching: Fetching) -> None:
        """Runs a step."""
        op = step.op
        if op < fetch_record.DEREFERENCE:
            begin(cpu, array, told, step, fetching)
        elif op == fetch_record.DEREFERENCE:
            dereference(cpu, array, step, fetching)
        elif op == fetch_record.STORE:
            store_number(fetching.entry, step.to, fetching.value, step.size)
        elif op == fetch_record.STORE_MEMORY:
            store_memory(cpu, array, step, fetching)
        elif op == fetch_record.STORE_STRING:
            store_string(cpu, array, step, fetching)
        elif op == fetch_record.STORE_STRINGS:
            for n in range(step.count):
                end_string(step, fetching, n, string_of(cpu, array, step, fetching, n))
        elif op == fetch_record.STORE_SYMBOL:
            store_symbol(step, fetching)
        else:
            take_bits(fetching.entry, step)

    @native.shared
    def fetch(cpu: Cpu, array: TraceArray, told: EventContext, program: Records[FetchStep], entry: Bytes, size: u64) -> u64:
        fetching, n = Fetching(entry.address + LARGEST_ENTRY), u64(0)
        fetching.entry, fetching.end = entry, size
        while program[n].op != fetch_record.END:
            take(cpu, array, told, program[n], fetching)
            n += 1
        return end_entry(entry, fetching.end)

    return fetch
