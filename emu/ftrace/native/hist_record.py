# SPDX-License-Identifier: GPL-2.0-only
"""Native code's record of a histogram: its map, and the program by which an event updates it.

The map has more slots than elements. A key's slot is one of those following its hash.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.synthetic_record import Synthetic
from emu.ftrace.native.trace_records import TraceArray
from emu.native.records import Bytes, Record, Records, Values, inline, u8, u16, u32, u64

__all__ = ["Action", "Element", "Frame", "Histogram", "Step"]

FRAMES = 5
STACK_DEPTH = 16  # calls in a stack trace as a key, followed by zeros
INDEX_BITS = 20  # bits of the element's number in a slot


class Element(Record):
    """The data of a key."""

    hitcount: u64
    flags: u64  # bit n: whether variable n has been set
    kept: Values[u64] = inline()  # the key, then sums, variables, what actions keep, and a task's name


class Frame(Record):
    """The working memory of a program."""

    element: Element  # the key's element, from INSERT on
    values: Values[u64] = inline()  # the key, then registers


class Histogram(Record):
    """A histogram."""

    slots: Values[u64]  # 0, or some bits of a key's hash, and above them the element's number, from 1 on
    slot_mask: u64  # number of slots, a power of two, minus one
    elements: Bytes  # in the order in which their keys were added
    element_size: u64  # bytes
    capacity: u64  # maximum number of elements
    used: u64  # number of elements
    drops: u64  # events without room for their keys
    key_size: u64  # words
    comm: u64  # place in elements of the name of the task that created them; 0: not kept
    stack: Callable[[Cpu, Values[u64]], None]  # stores the stack trace, if it is part of a key
    program: Records[Step]
    steps: u64  # of the program
    frame: Frame  # the next free frame. An action may generate an event that reaches the same histogram
    frame_size: u64  # bytes
    frames_end: u64  # address behind the last frame

    # If only events are counted, by one number in their entries, this replaces the program, and is faster
    number_size: u16  # bytes; 0: the program runs
    number_source: u16  # as in a step
    number_offset: u32
    latest: Element | None  # the last one incremented


class Step(Record):
    """A step of a program. R: a word of the frame."""

    op: u8
    source: u8  # of FIELD, STRING: the source in the entry, as in a filter's step
    size: u16  # ... bytes of the field
    offset: u32  # ... in the entry
    to: u32  # where the result goes: R, or a word kept by the element
    a: u32  # R
    b: u32  # R; of READ: a word kept by the other element
    room: u16  # of STRING, SET_STRING: room for the string in bytes, a multiple of 8
    flags: u16  # of SET, SET_STRING: bits set in the element's flags; of READ: the bit that says whether the variable is set
    cleared: u16  # of READ: bits cleared afterwards
    number: u64  # of CONSTANT, BUCKET; of ON_MAX, ON_CHANGE: how many steps to skip
    histogram: Histogram  # of LOOK_UP
    action: Action  # of CALL


class Action(Record):
    """A function that a program calls. There may be one word for each of its fields."""

    act: Callable[[Cpu, Action], None]
    histogram: Histogram
    array: TraceArray  # the histogram's array
    event: Synthetic  # the event to generate
    values: u64  # ... place in the frame of the words for its fields
    tracked: u64  # of a snapshot: place in the element of the watched value
    latest: u64  # ... that value at the latest snapshot
    taken: bool  # whether there was one
    on_change: bool  # whether one is taken when the value differs from `latest`, rather than exceeds it
    element: Bytes  # a copy of the element that triggered the latest snapshot


# Values of `op`
(
    # R(to) = a value of the event, or a constant
    FIELD,  # the number in the entry
    CONSTANT,
    TIME,  # the trace clock
    CPU,  # the CPU's number
    # R(to) = a computed value
    COPY,  # R(a)
    MICROSECONDS,  # nanoseconds R(a), rounded to microseconds
    LOG2,  # the smallest power of two that is at least R(a)
    BUCKET,  # the greatest multiple of `number` that is at most R(a)
    NEGATE,  # -R(a)
    ADD,  # R(a) + R(b)
    SUBTRACT,
    MULTIPLY,
    DIVIDE,  # unsigned; all ones if R(b) is 0
    # Other data put into the frame
    STRING,  # from R(to) on = the string in the entry, padded with zeros
    STACKTRACE,  # STACK_DEPTH words from R(to) on = the stack trace
    ADDRESS,  # R(to) = the address of R(a)
    # Updates of the element
    SUM,  # word `to` += R(a)
    SET,  # word `to` = R(a)
    SET_STRING,  # string at word `to` = the string at address R(a)
    # Control flow
    INSERT,  # from here on, the element is that of the complete key; increments its hitcount
    LOOK_UP,  # R(to) = the address of the key's element in another histogram. Ends if there is none
    READ,  # R(to) = the variable of the element at address R(a). Ends if it is not set
    READ_STRING,  # R(to) = the address of that variable
    ON_MAX,  # if R(a) is greater than the element's word `to`: stores R(a) there; otherwise skips steps
    ON_CHANGE,  # the same, if they differ
    CALL,  # runs an action
) = (u64(n) for n in range(26))
