# SPDX-License-Identifier: GPL-2.0-only
"""What native code knows of a block: a summary in memory, and the board's tables of the core's states.

A summary is followed by its accesses (at entry, at exit, calculated), and those by its outputs. Summaries, states and transitions
are never put back to an earlier moment: they say what is always true.
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
    """An access to data. Accesses are of lines: those near each other are one."""

    base: u8  # a general register, or NO_REGISTER
    scaled: u8  # another
    shift: u8  # by how many bits
    segment: u8  # 0: none; 1: FS, 2: GS
    write: u8  # 1: it is one
    locked: u8  # 1: who needs what it gives waits until it is done, even if it is a store
    size: u16  # bytes
    displacement: u64


class CalculatedAccess(Record):
    """An access whose address is calculated."""

    count: u16  # of steps
    size: u16  # bytes
    follows: u8  # 1: its address is in memory
    write: u8
    locked: u8
    steps: Values[i64] = inline()  # `step_word`; behind them is the next access


class Input(Record):
    register: u8
    latency: u32  # parts of a cycle


class Output(Record):
    """What a block writes, and when (`emu.cpu.timing.Output`)."""

    register: u8
    count: u8  # of inputs
    loads: u8  # 1: it waits for the block's data
    base: u32  # parts of a cycle
    inputs: Records[Input] = inline()  # behind them is the next output


class Summary(Record):
    ending: u8  # an Ending
    flags: u8
    slots: u16  # of the dispatch window
    serialising: u32  # cycles; 0: it has no instruction that waits until all is done
    dispatch: u32  # parts of a cycle
    size: u32  # of the summary, in bytes
    at_entry: u16  # how many accesses
    at_exit: u16
    unknown: u16
    calculated: u16
    output_count: u32
    outputs: u32  # where they begin, in bytes from here
    loads: u32  # how many, all accesses together
    stores: u32
    transition: u64  # the key of the last transition at this block; 0: none
    next: u64  # ... and where it led
    unused: u64
    other_transition: u64  # the one before that was another; in the host's next line, as it is rarely looked at
    other_next: u64
    accesses: Records[Access] = inline()  # at entry, then at exit


class State(Record):
    """`times` of a timing record, between turns."""

    times: Values[u16] = inline(TIMES)


class Transition(Record):
    key: u64  # the state before, and what the block met; 0: there is no transition here
    block: u64  # offset of its summary
    next: u64  # where it led
    unused: u64


class Tables(Record):
    summaries: Values[u8]  # all of them, by offset; an offset of 0 is none
    summaries_first: u64  # offset of the first
    summaries_end: u64  # offset behind the last: each begins a line of 64 bytes behind the one before
    states_used: u64
    forgotten: u64  # how often states were forgotten because there were too many
    computed: u64  # transitions that were not remembered
    unused: Values[u64] = inline(2)
    transitions: Records[Transition] = inline(TRANSITION_SLOTS)  # none lies in two of the host's lines
    found: Values[u32] = inline(STATE_SLOTS)  # by hash: the number of a state, plus one; 0: none
    states: Records[State] = inline(MOST_STATES)


@njit
def summary_at(tables: Tables, offset: u64) -> Summary:
    return Summary(tables.summaries.address + offset)


@njit
def first_calculated(summary: Summary) -> CalculatedAccess:
    """The first access that is calculated, behind the others."""
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


# A step of a calculation is one number: what it does in the low bits, and its argument, which has a sign, above them.
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
