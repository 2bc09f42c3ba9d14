# SPDX-License-Identifier: GPL-2.0-only
"""What native code knows of a histogram: its map, and the program by which an event changes it.

The map has more slots than there may be elements; a key's is one of those that follow its hash.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.synthetic_record import Synthetic
from emu.ftrace.native.trace_records import TraceArray
from emu.native.records import Bytes, Record, Records, Values, inline, u8, u16, u32, u64

__all__ = ["Action", "Element", "Frame", "Histogram", "Step"]

FRAMES = 5
STACK_DEPTH = 16  # calls in a stack that is a key. Behind the last one are zeros
INDEX_BITS = 20  # of the element's number in a slot


class Element(Record):
    """What is counted for a key."""

    hitcount: u64
    flags: u64  # bit n: variable n has been set
    kept: Values[u64] = inline()  # the key, then sums, variables, what actions keep, and the name of a task


class Frame(Record):
    """In what a program works."""

    element: Element  # that of the key, from INSERT on
    values: Values[u64] = inline()  # the key, then registers


class Histogram(Record):
    """A histogram."""

    slots: Values[u64]  # 0, or some bits of a key's hash and above all the element's number, from 1 on
    slot_mask: u64  # their number, a power of two, less one
    elements: Bytes  # in the order in which their keys came
    element_size: u64  # bytes
    capacity: u64  # elements there is room for
    used: u64  # elements there are
    drops: u64  # events for whose keys there was no room
    key_size: u64  # words
    comm: u64  # where elements keep the name of the task whose event made them; 0: they do not
    stack: Callable[[Cpu, Values[u64]], None]  # stores the calls under way, if a key is a stack
    program: Records[Step]
    steps: u64  # of the program
    frame: Frame  # the next free one. An action can make an event that comes to the same histogram again
    frame_size: u64  # bytes
    frames_end: u64  # address behind the last frame

    # If only events are counted, by one number of their entries. This does the same sooner as the program
    number_size: u16  # bytes; 0: the program runs
    number_source: u16  # as in a step
    number_offset: u32
    latest: Element | None  # that was counted up last


class Step(Record):
    """A step of a program. R: a word of the frame."""

    op: u8
    source: u8  # of FIELD, STRING: where the entry has it, and as what, as the step of a filter says
    size: u16  # ... bytes of the field
    offset: u32  # ... in the entry
    to: u32  # where the result goes: R, or what the element has kept
    a: u32  # R
    b: u32  # R; of READ: what the other element has kept
    room: u16  # of STRING, SET_STRING: bytes of room for the string, a multiple of 8
    flags: u16  # of SET, SET_STRING: are set in the element's flags; of READ: is set there if the variable is
    cleared: u16  # of READ: is not set there afterwards
    number: u64  # of CONSTANT, BUCKET; of ON_MAX, ON_CHANGE: how many steps are skipped
    histogram: Histogram  # of LOOK_UP
    action: Action  # of CALL


class Action(Record):
    """What a program calls. There may be a word for each of its fields."""

    act: Callable[[Cpu, Action], None]
    histogram: Histogram
    array: TraceArray  # the histogram's
    event: Synthetic  # that happens
    values: u64  # ... from where on the frame has a word for each of its fields
    tracked: u64  # of a snapshot: where the element has the value that decides
    latest: u64  # ... that value at the latest snapshot
    taken: bool  # there was one
    on_change: bool  # one is taken when the value is not `latest`, not when it is greater
    element: Bytes  # a copy of the element that led to the latest snapshot


# Values of `op`
(
    # R(to) = what the event is, or a number
    FIELD,  # the number of the entry
    CONSTANT,
    TIME,  # the trace clock
    CPU,  # the CPU's number
    # R(to) = what is computed
    COPY,  # R(a)
    MICROSECONDS,  # nanoseconds R(a), rounded to microseconds
    LOG2,  # the power of two that is R(a) or the next greater
    BUCKET,  # the greatest multiple of `number` that is at most R(a)
    NEGATE,  # -R(a)
    ADD,  # R(a) + R(b)
    SUBTRACT,
    MULTIPLY,
    DIVIDE,  # without sign; all ones if R(b) is 0
    # What else is put into the frame
    STRING,  # from R(to) on = the string of the entry, and zeros
    STACKTRACE,  # STACK_DEPTH words from R(to) on = the calls under way
    ADDRESS,  # R(to) = the address of R(a)
    # What the element keeps
    SUM,  # what it has at `to` += R(a)
    SET,  # what it has at `to` = R(a)
    SET_STRING,  # what it has at `to` = the string at address R(a)
    # What decides how the program goes on
    INSERT,  # from here on the element is that of the key, which is complete; its hitcount grows by one
    LOOK_UP,  # R(to) = the address of the key's element in another histogram. If it has none, nothing more happens
    READ,  # R(to) = the variable of the element at address R(a). If it is not set, nothing more happens
    READ_STRING,  # R(to) = the address of that variable
    ON_MAX,  # if R(a) is greater than what the element has at `to`: that becomes R(a); if not, steps are skipped
    ON_CHANGE,  # the same, if they differ
    CALL,  # what an action does
) = (u64(n) for n in range(26))
