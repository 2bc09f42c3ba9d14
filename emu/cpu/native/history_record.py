# SPDX-License-Identifier: GPL-2.0-only
"""The record of a machine that stops at instructions and accesses to memory, and goes back."""

from __future__ import annotations

from emu.native.records import Record, Values, inline, u64

__all__ = ["ANY", "NOWHERE", "WATCHES", "History", "Moment", "Watch"]

WATCHES = 64
ANY = NOWHERE = u64(0xFFFF_FFFF_FFFF_FFFF)


class Moment(Record):
    """A moment in the order of a run."""

    turn: u64
    instructions: u64  # of the CPU whose turn it is, with those of the block that has begun
    place: u64  # the virtual address of an instruction in that block
    late: u64  # 0: before it; 1: at its accesses to memory


class Watch(Record):
    """A breakpoint, addresses of memory that are watched, or the traps of CPUs."""

    first: u64  # addresses of the first and the last byte
    last: u64
    cpu: u64  # the index of the only CPU; ANY
    physical: bool
    reads: bool
    writes: bool


class History(Record):
    """What the loop of turns and the functions at stops share with Python."""

    turns: u64  # that have begun
    goal_turn: u64  # the loop returns before this turn begins; NOWHERE
    goal_cpu: u64
    goal_instructions: u64  # it returns after a turn in which that CPU has started more; NOWHERE
    goal_block: u64  # it returns before the block with which the CPU whose turn it is would have started so many; NOWHERE
    showing: bool  # whether an instruction in the midst of a block is shown: nothing stops
    touched: u64  # then, the address of the Watch whose memory it has accessed last
    collecting: bool  # whether to go on at stops, and to keep the last one
    after: Moment = inline()  # stops at or before this moment are passed over
    before: Moment = inline()  # ... and at or after this one
    stop: u64  # the address of the Watch that the machine has stopped at; 0: none
    moment: Moment = inline()  # when
    stop_cpu: u64
    stop_write: bool
    stop_address: u64
    watch_count: u64
    trap_count: u64
    watches: Values[u64] = inline(WATCHES)  # addresses of Watch: those of memory, then those of traps
    page: u64  # the physical page whose address a CPU looks up
