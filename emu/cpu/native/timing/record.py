# SPDX-License-Identifier: GPL-2.0-only
"""A CPU's timing record: the state of one CPU in a timing model with state.

It contains nothing of the host, so checkpoints copy it as it is. Times are in parts of a cycle (`CYCLE`).
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
"""The events counted, with perf's names where it has one. The order is that of `counts`."""

MOST_COUNTERS = 32
# Registers whose ready times are tracked: general registers, flags, vector registers; pseudo-registers for memory; the store
# queue.
FIRST_PLACE, PLACES = 33, 3
STORES = FIRST_PLACE + PLACES
REGISTERS = STORES + 1
AHEAD_STEP = CYCLE // 2  # coarse, because states differ by it
# The other times: when everything dispatched has retired, when the last block's last instruction was executed, and by how much
# fetching is ahead of dispatch, in steps of AHEAD_STEP.
RETIRED, BRANCHED, AHEAD = REGISTERS, REGISTERS + 1, REGISTERS + 2
TIMES = REGISTERS + 3
RING = 64  # entries of `window`
NO_STATE = u64(0xFFFF_FFFF_FFFF_FFFF)


class Fresh(Record):
    """An output of a block, before it is stored in `times`."""

    register: u64
    time: u64


class Timing(Record):
    """The state of one CPU in a timing model with state."""

    counts: Values[u64] = inline(MOST_COUNTERS)
    left: Values[u64] = inline(MOST_COUNTERS)  # for each event, the number until the next sample; 0: not sampled
    periods: Values[u64] = inline(MOST_COUNTERS)  # ... and the number from one sample to the next
    sampled: u64  # the events to sample at the block's end, one bit each
    trapped: u64  # parts of a cycle of a trap since the last block; 0: there was none
    state: u64  # number of the core's state during a turn; NO_STATE: the state is in the fields below
    issue: u64  # when the next micro-operation can be dispatched
    known_cycles: u64  # the CPU's `cycles` as the model left it: another value means that time has jumped
    previous: u64  # offset of the previous block's summary; 0: there is no relevant one
    previous_end: u64  # virtual address after that block
    string: bool  # whether the last block ended with the first element of a string instruction that continues in the next block
    times: Values[u64] = inline(TIMES)  # when each register is ready, and the other times; relative to `issue`
    slots: u64  # dispatch slots used so far, while the window is tracked
    window: Values[u64] = inline(RING)  # retirement times of what was dispatched so many eighths of a dispatch window ago
    fresh: Records[Fresh] = inline(REGISTERS + 2)  # outputs of a block, until all are known
    predictor: Predictor = inline()
    caches: OwnCaches = inline()


def counter(name: str) -> u64:
    """The index of a counter, for `count` and `tally`.

    Raises:
        ValueError: no counter has that name.
    """
    return u64(COUNTERS.index(name))


@njit
def tally(timing: Timing, which: u64) -> None:
    """Counts an event that is too frequent to be sampled. `which`: from `counter`."""
    timing.counts[which] += 1


@njit
def count(timing: Timing, which: u64) -> None:
    """Counts an event, and marks it for sampling if it is the last one of a period."""
    timing.counts[which] += 1
    left = timing.left[which]
    if left != 0:
        if left == 1:
            timing.sampled |= u64(1) << which
            left += timing.periods[which]
        timing.left[which] = left - 1


@njit
def trap(timing: Timing | None, time: u64) -> None:
    """A trap or an interrupt occurs and takes that many parts of a cycle: the next block is not the predicted one."""
    if timing is not None:
        count(timing, TRAPS)
        timing.trapped += time
        timing.previous = 0


TRAPS = counter("traps")
