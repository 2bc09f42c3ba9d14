# SPDX-License-Identifier: GPL-2.0-only
"""What an event does to a histogram: it is the handler of a consumer, whose TARGET is the histogram (`native.hist_record`).

A program of steps makes the key in a frame, finds its element, and changes that. This code is compiled when the first histogram
is made.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types

from emu.cpu.native import cpu_record
from emu.ftrace.native import array_record, consumer, event_context, event_file, hist_record
from emu.ftrace.native.context import build as build_context
from emu.ftrace.native.context import now
from emu.ftrace.native.event import record
from emu.ftrace.native.filter_program import number_at, string_at
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.hist_map import count_number, count_up, find, insert
from emu.ftrace.native.trigger import spend
from emu.native import cfunc, njit
from emu.native.memory import copy_text
from emu.native.pointers import Accessors, call_handler, load_u64, store_u8, store_u64

__all__ = ["HistHandlers", "build"]

_HANDLER = types.void(types.uint64, types.uint64)
ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
NUL = np.uint8(0)
STEP_SIZE = np.uint64(hist_record.STEP_WORDS * 8)
SIZE_MASK = np.uint64(0xFF)
COMM_WORDS = 2
IDLE = np.uint64(int.from_bytes(b"<idle>\0\0", "little"))
THOUSAND, HALF = np.uint64(1000), np.uint64(500)
ALL_ONES = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


class HistHandlers(NamedTuple):
    """The addresses of void (*)(cpu, consumer)."""

    hist: int

    event_with_hist: int
    """void (*)(cpu, file): all that an event_file wants, if it has a histogram as its only consumer, and that has no filter."""

    enable_hist: int
    disable_hist: int


@njit
def log2_of(value):
    """The number of bits of `value` - 1: 0 has none."""
    count = ZERO
    if value > ONE:
        rest = value - ONE
        while rest != ZERO:
            rest >>= ONE
            count += ONE
    return count


@njit
def quotient(dividend, divisor):
    return ALL_ONES if divisor == ZERO else dividend // divisor


@njit
def set_field_string(to, room, what, entry, size):
    """Copies a string of an entry, of less than `room` bytes, and zeros behind it."""
    text, most = string_at(what, entry, size)
    set_string(to, room, text, most)


@njit
def set_string(to, room, text, most):
    """Copies a string of at most `most` and of less than `room` bytes, and zeros behind it."""
    at = copy_text(to, text, min(most, room - ONE))
    while at < room:
        store_u8(to + at, NUL)
        at += ONE


@njit
def read_variable(element, which):
    """A variable of an element, and whether it is set."""
    place = element + (which & hist_record.OFFSET_MASK)
    flags = element + (which >> hist_record.FLAGS_AT & hist_record.OFFSET_MASK)
    flag = which >> hist_record.FLAG & hist_record.FLAGS_MASK
    is_set = load_u64(flags) & flag != ZERO
    if which & hist_record.ONCE != ZERO:
        store_u64(flags, load_u64(flags) & ~flag)
    return place if which & hist_record.BY_ADDRESS != ZERO else load_u64(place), is_set


@njit
def set_paused(acting, paused):
    """Pauses all histograms of the event of a consumer's target, or has them go on. Other consumers do not look at it."""
    if spend(acting):
        following = load_u64(load_u64(acting + consumer.TARGET) + event_file.CONSUMERS)
        while following != ZERO:
            store_u64(following + consumer.PAUSED, paused)
            following = load_u64(following + consumer.NEXT)


def build(memory: Accessors, guest: GuestLayout) -> HistHandlers:
    """Compiles for a guest. `memory`: accesses in its byte order."""
    guest_u32 = memory.load_u32
    current_task: Any = build_context(memory, guest).current_task

    @njit
    def keep_comm(cpu, array, to):
        """Stores the name of the task that runs."""
        task = current_task(load_u64(cpu + cpu_record.CALLOUT), array)
        if guest_u32(task + guest.task_pid) == np.uint32(0):
            store_u64(to, IDLE)
        else:
            for n in range(COMM_WORDS):
                store_u64(to + np.uint64(n) * WORD, load_u64(task + guest.task_comm + np.uint64(n) * WORD))

    @njit
    def run(cpu, array, hist, frame, entry, size):
        """Runs the program in a frame."""
        key_size = load_u64(hist + hist_record.KEY_SIZE)
        element = ZERO
        step, end = load_u64(hist + hist_record.PROGRAM), load_u64(hist + hist_record.PROGRAM_END)
        while step != end:
            op, to = load_u64(step + hist_record.OP), load_u64(step + hist_record.TO)
            a, b = load_u64(step + hist_record.A), load_u64(step + hist_record.B)
            step += STEP_SIZE
            if op == hist_record.FIELD:
                store_u64(frame + to, number_at(entry + a, b & SIZE_MASK, b & hist_record.SIGNED != ZERO))
            elif op == hist_record.INSERT:
                element, is_new = insert(hist, frame)
                if element == ZERO:
                    return
                if is_new and load_u64(hist + hist_record.COMM) != ZERO:
                    keep_comm(cpu, array, element + load_u64(hist + hist_record.COMM))
                count_up(element + key_size)
            elif op == hist_record.SUM:
                store_u64(element + to, load_u64(element + to) + load_u64(frame + a))
            elif op == hist_record.SET:
                store_u64(element + to, load_u64(frame + a))
                flags = element + key_size + WORD
                store_u64(flags, load_u64(flags) | b)
            elif op == hist_record.CONSTANT:
                store_u64(frame + to, a)
            elif op == hist_record.TIME:
                store_u64(frame + to, now(cpu, array))
            elif op == hist_record.MICROSECONDS:
                store_u64(frame + to, (load_u64(frame + a) + HALF) // THOUSAND)
            elif op == hist_record.CPU:
                store_u64(frame + to, load_u64(cpu + cpu_record.INDEX))
            elif op == hist_record.STRING:
                set_field_string(frame + to, b, a, entry, size)
            elif op == hist_record.STACKTRACE:
                call_handler(load_u64(hist + hist_record.STACK), cpu, frame + to)
            elif op == hist_record.LOG2:
                store_u64(frame + to, log2_of(load_u64(frame + a)))
            elif op == hist_record.BUCKET:
                store_u64(frame + to, load_u64(frame + a) // b * b)
            elif op == hist_record.ADD:
                store_u64(frame + to, load_u64(frame + a) + load_u64(frame + b))
            elif op == hist_record.SUBTRACT:
                store_u64(frame + to, load_u64(frame + a) - load_u64(frame + b))
            elif op == hist_record.MULTIPLY:
                store_u64(frame + to, load_u64(frame + a) * load_u64(frame + b))
            elif op == hist_record.DIVIDE:
                store_u64(frame + to, quotient(load_u64(frame + a), load_u64(frame + b)))
            elif op == hist_record.NEGATE:
                store_u64(frame + to, ZERO - load_u64(frame + a))
            elif op == hist_record.COPY:
                store_u64(frame + to, load_u64(frame + a))
            elif op == hist_record.ADDRESS:
                store_u64(frame + to, frame + a)
            elif op == hist_record.LOOK_UP:
                other = find(a, frame) if load_u64(a + hist_record.KEY_SIZE) <= key_size else ZERO
                if other == ZERO:
                    return
                store_u64(frame + to, other)
            elif op == hist_record.READ:
                value, is_set = read_variable(load_u64(frame + a), b)
                if not is_set:
                    return
                store_u64(frame + to, value)
            elif op == hist_record.SET_STRING:
                room = b >> hist_record.ROOM
                set_string(element + to, room, load_u64(frame + a), room)
                flags = element + key_size + WORD
                store_u64(flags, load_u64(flags) | (b & hist_record.FLAGS_MASK))
            elif op == hist_record.ON_MAX:
                if load_u64(frame + a) > load_u64(element + to):
                    store_u64(element + to, load_u64(frame + a))
                else:
                    step += b
            elif op == hist_record.ON_CHANGE:
                if load_u64(frame + a) != load_u64(element + to):
                    store_u64(element + to, load_u64(frame + a))
                else:
                    step += b
            elif op == hist_record.CALL:
                store_u64(hist + hist_record.ELEMENT, element)
                call_handler(a, cpu, b)

    @njit
    def run_in_frame(cpu, array, one, entry, size):
        """Runs the program, unless it is under way in all frames."""
        frame = load_u64(one + hist_record.FRAME)
        behind = frame + load_u64(one + hist_record.FRAME_SIZE)
        if behind <= load_u64(one + hist_record.FRAMES_END):
            store_u64(one + hist_record.FRAME, behind)
            run(cpu, array, one, frame, entry, size)
            store_u64(one + hist_record.FRAME, frame)

    @cfunc(_HANDLER)
    def hist(cpu, acting):
        if load_u64(acting + consumer.PAUSED) == ZERO:
            array = load_u64(acting + consumer.ARRAY)
            context = load_u64(array + array_record.EVENT_CONTEXT)
            entry, size = load_u64(context + event_context.ENTRY), load_u64(context + event_context.SIZE)
            run_in_frame(cpu, array, load_u64(acting + consumer.TARGET), entry, size)

    @cfunc(_HANDLER)
    def event_with_hist(cpu, file):
        acting = load_u64(file + event_file.CONSUMERS)
        context = load_u64(load_u64(acting + consumer.ARRAY) + array_record.EVENT_CONTEXT)
        entry = load_u64(context + event_context.ENTRY)
        one = load_u64(acting + consumer.TARGET)
        field = load_u64(one + hist_record.NUMBER)
        if field == ZERO:
            call_handler(load_u64(acting + consumer.HANDLER), cpu, acting)
        elif load_u64(acting + consumer.PAUSED) == ZERO:
            kind = field & hist_record.NUMBER_MASK
            place = entry + (field >> hist_record.NUMBER_OFFSET)
            count_number(one, number_at(place, kind & SIZE_MASK, kind & hist_record.SIGNED != ZERO))
        record(cpu, file, entry, load_u64(context + event_context.SIZE))

    @cfunc(_HANDLER)
    def enable_hist(cpu, acting):
        set_paused(acting, ZERO)

    @cfunc(_HANDLER)
    def disable_hist(cpu, acting):
        set_paused(acting, ONE)

    return HistHandlers(hist.address, event_with_hist.address, enable_hist.address, disable_hist.address)
