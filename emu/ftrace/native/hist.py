# SPDX-License-Identifier: GPL-2.0-only
"""The effect of an event on a histogram: the handler of a consumer whose `target` is the histogram (`native.hist_record`).

A program of steps makes the key in a frame, finds its element, and updates it. This code is compiled when the first histogram
is made.
"""

from __future__ import annotations

from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import filter_record, hist_record
from emu.ftrace.native.context import build as build_context
from emu.ftrace.native.context import now
from emu.ftrace.native.entry import number_at
from emu.ftrace.native.event import record
from emu.ftrace.native.filter_program import string_at
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.hist_map import count_number, find, insert
from emu.ftrace.native.hist_record import Element, Frame, Histogram, Step
from emu.ftrace.native.trace_records import ArrayCpu, Consumer, EventContext, EventFile, TraceArray
from emu.ftrace.native.trigger import spend
from emu.native.functions import Compiled, Native, callback, njit
from emu.native.memory import copy_text
from emu.native.records import Bytes, Words, u64

__all__ = ["HistHandlers", "build"]

COMM_WORDS = u64(2)
IDLE = u64(int.from_bytes(b"<idle>\0\0", "little"))
ALL_ONES = u64(0xFFFF_FFFF_FFFF_FFFF)
ALL_STEPS = u64(1 << 32)  # more than in any program


class HistHandlers(NamedTuple):
    """Compiled functions."""

    hist: Compiled[[Cpu, Consumer], None]

    event_with_hist: Compiled[[Cpu, EventFile], None]
    """The complete handling of an event file whose only consumer is a histogram without a filter."""

    enable_hist: Compiled[[Cpu, Consumer], None]
    disable_hist: Compiled[[Cpu, Consumer], None]


@njit
def log2_of(value: u64) -> u64:
    """The number of bits of `value` - 1: 0 has none."""
    count = u64(0)
    if value > 1:
        rest = value - 1
        while rest != 0:
            rest >>= 1
            count += 1
    return count


@njit
def of_event(cpu: Cpu, array: TraceArray, told: EventContext, step: Step) -> u64:
    """The value that a step takes from the event."""
    op = step.op
    if op == hist_record.FIELD:
        return number_at(told.entry, step.offset, step.size, step.source == filter_record.SIGNED)
    if op == hist_record.CONSTANT:
        return step.number
    return now(cpu, array) if op == hist_record.TIME else cpu.index


@njit
def computed(frame: Frame, step: Step) -> u64:
    """The value that a step computes from the frame's values."""
    op, a = step.op, frame.values[step.a]
    if op == hist_record.COPY:
        return a
    if op == hist_record.MICROSECONDS:
        return (a + 500) // 1000
    if op == hist_record.LOG2:
        return log2_of(a)
    if op == hist_record.BUCKET:
        return a // step.number * step.number
    if op == hist_record.NEGATE:
        return u64(0) - a
    b = frame.values[step.b]
    if op == hist_record.ADD:
        return a + b
    if op == hist_record.SUBTRACT:
        return a - b
    if op == hist_record.MULTIPLY:
        return a * b
    return ALL_ONES if b == 0 else a // b


@njit
def bytes_at(values: Words, n: u64) -> Bytes:
    return Bytes(values.address + n * 8)


@njit
def set_string(to: Bytes, room: u64, text: Bytes, most: u64) -> None:
    """Copies a string of at most `most` and less than `room` bytes, followed by zeros."""
    for n in range(copy_text(to, text, min(most, room - 1)), room):
        to[n] = 0


@njit
def put(cpu: Cpu, histogram: Histogram, told: EventContext, frame: Frame, step: Step) -> None:
    """Puts data larger than a number into the frame."""
    to = bytes_at(frame.values, step.to)
    if step.op == hist_record.STRING:
        text, most = string_at(step.source, step.offset, step.size, told.entry, told.size)
        set_string(to, step.room, text, most)
    elif step.op == hist_record.STACKTRACE:
        histogram.stack(cpu, Words(to.address))
    else:
        frame.values[step.to] = bytes_at(frame.values, step.a).address


@njit
def keep(frame: Frame, step: Step) -> None:
    """Updates what the element keeps."""
    element, value = frame.element, frame.values[step.a]
    if step.op == hist_record.SUM:
        element.kept[step.to] += value
        return
    if step.op == hist_record.SET:
        element.kept[step.to] = value
    else:
        set_string(bytes_at(element.kept, step.to), step.room, Bytes(value), step.room)
    element.flags |= step.flags


@njit
def look_up(histogram: Histogram, frame: Frame, step: Step) -> bool:
    """Finds the key's element in another histogram. Returns False if there is none."""
    other = step.histogram
    if other.key_size > histogram.key_size:
        return False
    found = find(other, frame.values)
    if found is None:
        return False
    frame.values[step.to] = found.address
    return True


@njit
def read(frame: Frame, step: Step) -> bool:
    """Reads a variable of another histogram's element. Returns False if it is not set."""
    other = Element(frame.values[step.a])
    is_set = other.flags & step.flags != 0
    other.flags &= ~step.cleared
    frame.values[step.to] = other.kept[step.b] if step.op == hist_record.READ else bytes_at(other.kept, step.b).address
    return is_set


@njit
def replace(frame: Frame, step: Step) -> bool:
    """Makes the element keep a value, if it is greater than before, or different. Returns False if it is not."""
    kept, value = frame.element.kept, frame.values[step.a]
    before = kept[step.to]
    if value > before or (value != before and step.op == hist_record.ON_CHANGE):
        kept[step.to] = value
        return True
    return False


@njit
def count_event(cpu: Cpu, acting: Consumer) -> None:
    """Has the effect of the consumer whose target is the histogram."""
    histogram = Histogram(acting.target)
    if histogram.number_size == 0:
        acting.handler(cpu, acting)
    elif not acting.paused:
        entry, signed = acting.array.event_context.entry, histogram.number_source == filter_record.SIGNED
        count_number(histogram, number_at(entry, histogram.number_offset, histogram.number_size, signed))


@njit
def set_paused(acting: Consumer, paused: bool) -> None:
    """Pauses or resumes all histograms of the event of a consumer's target. Other consumers ignore the flag."""
    if spend(acting):
        following = EventFile(acting.target).consumers
        while following is not None:
            following.paused = paused
            following = following.next


def build(guest: Guest) -> HistHandlers:
    """Compiles for a guest."""
    native, current_task = Native(guest.layouts), build_context(guest).current_task

    @native.njit
    def keep_comm(cpu: Cpu, array: TraceArray, to: Words) -> None:
        """Stores the name of the current task."""
        task = current_task(ArrayCpu(cpu.callout), array)
        if task.pid == 0:
            to[0] = IDLE
        else:
            for n in range(COMM_WORDS):
                to[n] = Words(task.comm.address)[n]

    @njit
    def count(cpu: Cpu, array: TraceArray, histogram: Histogram, frame: Frame) -> bool:
        """Finds or makes the key's element, and counts the event there. Returns False if there is no room for it."""
        element = insert(histogram, frame.values)
        if element is None:
            return False
        if element.hitcount == 0 and histogram.comm != 0:
            keep_comm(cpu, array, Words(bytes_at(element.kept, histogram.comm).address))
        element.hitcount += 1
        frame.element = element
        return True

    @njit
    def skipped(cpu: Cpu, array: TraceArray, histogram: Histogram, frame: Frame, step: Step) -> u64:
        """Runs a step that controls the program's flow. Returns how many steps to skip."""
        op = step.op
        if op == hist_record.INSERT:
            return 0 if count(cpu, array, histogram, frame) else ALL_STEPS
        if op == hist_record.LOOK_UP:
            return 0 if look_up(histogram, frame, step) else ALL_STEPS
        if op <= hist_record.READ_STRING:
            return 0 if read(frame, step) else ALL_STEPS
        if op != hist_record.CALL:
            return 0 if replace(frame, step) else step.number
        step.action.act(cpu, step.action)
        return 0

    @njit
    def run(cpu: Cpu, array: TraceArray, histogram: Histogram, frame: Frame) -> None:
        """Runs the program in a frame."""
        told, program, steps, n = array.event_context, histogram.program, histogram.steps, u64(0)
        while n < steps:
            step = program[n]
            n += 1
            op = step.op
            if op <= hist_record.CPU:
                frame.values[step.to] = of_event(cpu, array, told, step)
            elif op <= hist_record.DIVIDE:
                frame.values[step.to] = computed(frame, step)
            elif op <= hist_record.ADDRESS:
                put(cpu, histogram, told, frame, step)
            elif op <= hist_record.SET_STRING:
                keep(frame, step)
            else:
                n += skipped(cpu, array, histogram, frame, step)

    @callback
    def hist(cpu: Cpu, acting: Consumer) -> None:
        """Runs the program, unless all frames are in use."""
        histogram = Histogram(acting.target)
        frame = histogram.frame
        behind = frame.address + histogram.frame_size
        if not acting.paused and behind <= histogram.frames_end:
            histogram.frame = Frame(behind)
            run(cpu, acting.array, histogram, frame)
            histogram.frame = frame

    @callback
    def event_with_hist(cpu: Cpu, file: EventFile) -> None:
        acting = file.consumers
        if acting is not None:
            count_event(cpu, acting)
            told = acting.array.event_context
            record(cpu, file, told.entry, told.size)

    @callback
    def enable_hist(cpu: Cpu, acting: Consumer) -> None:
        set_paused(acting, False)

    @callback
    def disable_hist(cpu: Cpu, acting: Consumer) -> None:
        set_paused(acting, True)

    return HistHandlers(hist, event_with_hist, enable_hist, disable_hist)
