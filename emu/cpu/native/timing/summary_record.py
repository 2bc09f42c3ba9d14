# SPDX-License-Identifier: GPL-2.0-only
"""Native code's data about a block: its summary, and the board's tables of core states.

A summary is followed by its accesses (at entry, at exit, calculated), and those by its outputs. Summaries, states and transitions
are not restored to earlier values: they are always true.
"""

from __future__ import annotations

from emu.cpu.native.timing.record import TIMES
from emu.native.functions import njit
from emu.native.records import Record, Records, Values, i64, inline, u8, u16, u32, u64

__all__ = [
    "Access", "CalculatedAccess", "Input", "Output", "State", "Summary", "Tables", "Transition", "argument_of",
    "first_calculated", "first_output", "kind_of", "next_calculated", "next_output", "step_word", "summary_at",
]  # fmt: skip

# Summary.flags
FLUSHES_TLB, STATIC, SERIALISES = u64(1), u64(2), u64(4)

MOST_STATES = 1 << 18
STATE_SLOTS = 1 << 20
TRANSITION_SLOTS = 1 << 18
STATE_WORDS = TIMES * 2 // 8
assert STATE_WORDS * 8 == TIMES * 2, "states are compared by the word"


class Access(Record):
    """A data access. Accesses are per line: nearby accesses are merged."""

    base: u8  # a general register, or NO_REGISTER
    scaled: u8  # another register
    shift: u8  # scale of that register, as a shift
    segment: u8  # 0: none; 1: FS, 2: GS
    write: u8  # 1: a write
    locked: u8  # 1: users of its result wait until it is done, even if it is a store
    size: u16  # bytes
    displacement: u64


class CalculatedAccess(Record):
    """An access with a calculated address."""

    count: u16  # number of steps
    size: u16  # bytes
    follows: u8  # 1: its address is loaded from memory
    write: u8
    locked: u8
    steps: Values[i64] = inline()  # `step_word`; the next access follows them


class Input(Record):
    register: u8
    latency: u32  # parts of a cycle


class Output(Record):
    """A register written by a block, and when it is ready (`emu.cpu.timing.Output`)."""

    register: u8
    count: u8  # number of inputs
    loads: u8  # 1: it waits for the block's data
    base: u32  # parts of a cycle
    inputs: Records[Input] = inline()  # the next output follows them


class Summary(Record):
    ending: u8  # an Ending
    flags: u8
    slots: u16  # of the dispatch window
    serialising: u32  # cycles; 0: no instruction waits until all earlier ones are done
    dispatch: u32  # parts of a cycle
    size: u32  # of the summary, in bytes
    at_entry: u16  # number of accesses
    at_exit: u16
    unknown: u16
    calculated: u16
    output_count: u32
    outputs: u32  # offset of the outputs from here, in bytes
    loads: u32  # total number of loads
    stores: u32
    transition: u64  # key of this block's last transition; 0: none
    next: u64  # ... and its target
    unused: u64
    other_transition: u64  # the one before that; in the next cache line of the host, because it is rarely used
    other_next: u64
    accesses: Records[Access] = inline()  # at entry, then at exit


class State(Record):
    """The `times` of a timing record, between turns."""

    times: Values[u16] = inline(TIMES)


class Transition(Record):
    key: u64  # the previous state, and the block's conditions; 0: the slot is free
    block: u64  # offset of its summary
    next: u64  # its target
    unused: u64


class Tables(Record):
    summaries: Values[u8]  # all of them, by offset; offset 0 is none
    summaries_first: u64  # offset of the first
    summaries_end: u64  # offset after the last; each begins on a new line of 64 bytes
    states_used: u64
    forgotten: u64  # how many times states were forgotten because there were too many
    computed: u64  # transitions that were not cached
    unused: Values[u64] = inline(2)
    transitions: Records[Transition] = inline(TRANSITION_SLOTS)  # none spans two cache lines of the host
    found: Values[u32] = inline(STATE_SLOTS)  # by hash: the number of a state, plus one; 0: none
    states: Records[State] = inline(MOST_STATES)


@njit
def summary_at(tables: Tables, offset: u64) -> Summary:
    return Summary(tables.summaries.address + offset)


@njit
def first_calculated(summary: Summary) -> CalculatedAccess:
    """The first calculated access, after the others."""
    return CalculatedAccess(summary.accesses[summary.at_entry + summary.at_exit].address)


@njit
def next_calculated(access: CalculatedAccess) -> CalculatedAccess:
    return CalculatedAccess(access.steps.address + access.count * STEP_SIZE)


@njit
def first_output(summary: Summary) -> Output:
    return Output(summary.address + summary.outputs)


@njit
def next_output(output: Output) -> Output:
    return Output(output.inputs[output.count].address)


# A step of a calculation is one number: the operation in the low bits, and its signed argument above them.
STEP_BITS, STEP_SIZE = 8, 8
STEP_MASK = (1 << STEP_BITS) - 1


def step_word(kind: int, argument: int) -> int:
    return kind | argument << STEP_BITS


@njit
def kind_of(step: i64) -> u64:
    return u64(step & STEP_MASK)


@njit
def argument_of(step: i64) -> u64:
    return u64(step >> STEP_BITS)
