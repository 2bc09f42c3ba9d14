# SPDX-License-Identifier: GPL-2.0-only
"""A CPU's timing record: what a timing model with state keeps of one CPU.

Nothing in it is of the host, so that a checkpoint copies it as it is. Time is in parts of a cycle (`CYCLE`).
"""

from __future__ import annotations

from typing import Final

from emu.cpu.native.timing.cache_records import OwnCaches
from emu.cpu.native.timing.predictor_record import Predictor
from emu.cpu.timing import CYCLE
from emu.native.functions import njit
from emu.native.records import Record, Records, Values, inline, u64

COUNTERS: Final = (
    "branches", "branch-misses", "conditional-branches", "conditional-misses", "returns", "return-misses",
    "indirect-branches", "indirect-misses", "btb-misses",
    "L1-icache-loads", "L1-icache-load-misses", "iTLB-load-misses",
    "L1-dcache-loads", "L1-dcache-load-misses", "L1-dcache-stores", "L1-dcache-store-misses", "prefetches", "l2-misses",
    "LLC-loads", "LLC-load-misses", "dTLB-loads", "dTLB-load-misses", "coherence-transfers", "coherence-upgrades",
    "traps", "serialising", "unresolved-accesses", "static-blocks",
)  # fmt: skip
"""The events that are counted, by the names that perf has for them where it has one. The order is that of `counts`."""

MOST_COUNTERS = 32
# Registers whose times are kept: general ones, flags, vector registers; what stands for places in memory; the store queue.
FIRST_PLACE, PLACES = 33, 3
STORES = FIRST_PLACE + PLACES
REGISTERS = STORES + 1
AHEAD_STEP = CYCLE // 2  # a coarse one, as states differ by it
# What else there is a time of: when all that was dispatched has retired, when the last block's last instruction was executed, and
# by how much fetching is ahead of dispatch, in steps of AHEAD_STEP.
RETIRED, BRANCHED, AHEAD = REGISTERS, REGISTERS + 1, REGISTERS + 2
TIMES = REGISTERS + 3
RING = 64  # entries of `window`
NO_STATE = u64(0xFFFF_FFFF_FFFF_FFFF)


class Fresh(Record):
    """An output of a block, before it is one of `times`."""

    register: u64
    time: u64


class Timing(Record):
    """What a timing model with state keeps of one CPU."""

    counts: Values[u64] = inline(MOST_COUNTERS)
    left: Values[u64] = inline(MOST_COUNTERS)  # of each event, how many until the next sample; 0: it is not sampled
    periods: Values[u64] = inline(MOST_COUNTERS)  # ... and how many from one sample to the next
    sampled: u64  # the events to sample at the block's end, a bit each
    trapped: u64  # parts of a cycle that a trap takes which has come since the last block; 0: none has
    state: u64  # number of the core's state while a turn lasts; NO_STATE: it is in what follows
    issue: u64  # when the next micro-operation can be dispatched
    known_cycles: u64  # the CPU's `cycles` as the model left it: another value means that time has jumped
    previous: u64  # offset of the summary of the block before; 0: none that counts
    previous_end: u64  # virtual address behind that block
    string: bool  # the last block ended with the first element of a string instruction, which goes on in the next
    times: Values[u64] = inline(TIMES)  # when each register is there, and what else there is a time of; counted from `issue`
    slots: u64  # dispatch slots used so far, while the window matters
    window: Values[u64] = inline(RING)  # when what was dispatched so many eighths of a dispatch window ago retired
    fresh: Records[Fresh] = inline(REGISTERS + 2)  # outputs of a block, until all are known
    predictor: Predictor = inline()
    caches: OwnCaches = inline()


def counter(name: str) -> u64:
    """The number of a counter, for `count` and `tally`.

    Raises:
        ValueError: there is none of that name.
    """
    return u64(COUNTERS.index(name))


@njit
def tally(timing: Timing, which: u64) -> None:
    """Counts an event that cannot be sampled, as it is too frequent: `which` is what `counter` gives."""
    timing.counts[which] += 1


@njit
def count(timing: Timing, which: u64) -> None:
    """Counts an event, and notes that it is to be sampled if it is the last of a period."""
    timing.counts[which] += 1
    left = timing.left[which]
    if left != 0:
        if left == 1:
            timing.sampled |= u64(1) << which
            left += timing.periods[which]
        timing.left[which] = left - 1


@njit
def trap(timing: Timing | None, time: u64) -> None:
    """A trap or an interrupt comes, and takes that many parts of a cycle: what follows is not what was predicted."""
    if timing is not None:
        count(timing, TRAPS)
        timing.trapped += time
        timing.previous = 0


TRAPS = counter("traps")
