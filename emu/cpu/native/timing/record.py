# SPDX-License-Identifier: GPL-2.0-only
"""A CPU's timing record: what a timing model with state keeps of one CPU. It begins with counters and the state of the core.

`predict` and `caches` add their own words behind. Nothing in the record is of the host, so that a checkpoint copies it as
it is. Time is in parts of a cycle (`CYCLE`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from emu.cpu.native.timing.predictor_record import Predictor
from emu.cpu.timing import CYCLE
from emu.native.functions import njit as typed
from emu.native.record import offsets
from emu.native.records import Record, Values, inline, u64

COUNTERS: Final = (
    "branches", "branch-misses", "conditional-branches", "conditional-misses", "returns", "return-misses",
    "indirect-branches", "indirect-misses", "btb-misses",
    "L1-icache-loads", "L1-icache-load-misses", "iTLB-load-misses",
    "L1-dcache-loads", "L1-dcache-load-misses", "L1-dcache-stores", "L1-dcache-store-misses", "prefetches", "l2-misses",
    "LLC-loads", "LLC-load-misses", "dTLB-loads", "dTLB-load-misses", "coherence-transfers", "coherence-upgrades",
    "traps", "serialising", "unresolved-accesses", "static-blocks",
)  # fmt: skip
"""The events that are counted, by the names that perf has for them where it has one. The order is that of COUNTS."""

MOST_COUNTERS = 32
# Registers whose times are kept: general ones, flags, vector registers; what stands for places in memory; the store queue.
FIRST_PLACE, PLACES = 33, 3
STORES = FIRST_PLACE + PLACES
REGISTERS = STORES + 1
AHEAD_STEP = CYCLE // 2  # a coarse one, as states differ by it
RETIRED, BRANCHED = REGISTERS, REGISTERS + 1  # what a block's outputs name beside registers
RING = 64  # entries of WINDOW


class Timing(Record):
    """What a timing model with state keeps of one CPU."""

    counts: Values[u64] = inline(MOST_COUNTERS)
    left: Values[u64] = inline(MOST_COUNTERS)  # of each event, how many until the next sample; 0: it is not sampled
    periods: Values[u64] = inline(MOST_COUNTERS)  # ... and how many from one sample to the next
    sampled: u64  # the events to sample at the block's end, a bit each
    trapped: u64  # parts of a cycle that a trap takes which has come since the last block; 0: none has
    state: u64  # number of the core's state while a turn lasts; NO_STATE: it is in what follows
    issue: u64  # when the next micro-operation can be dispatched
    known_cycles: u64  # the CPU's CYCLES as the model left it: another value means that time has jumped
    previous: u64  # offset of the summary of the block before; 0: none that counts
    previous_end: u64  # virtual address behind that block
    string: u64  # 1: the last block ended with the first element of a string instruction, which goes on in the next
    ready: Values[u64] = inline(REGISTERS)  # when each register is there; these and the next three are counted from ISSUE
    retire: u64  # when all that was dispatched has retired
    branch: u64  # when the last block's last instruction was executed
    ahead: u64  # by how much fetching is ahead of dispatch, in steps of AHEAD_STEP
    slots: u64  # dispatch slots used so far, while the window matters
    window: Values[u64] = inline(RING)  # when what was dispatched so many eighths of a dispatch window ago retired
    fresh: Values[u64] = inline(2 * (REGISTERS + 2))  # outputs of a block and their times, until all are known
    predictor: Predictor = inline()  # `caches` has its words behind


globals().update(offsets(Timing))
WORDS: int = globals()["PREDICTOR"] // 8  # `predict` and `caches` have theirs behind
if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


NO_STATE = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)


def counter(name: str) -> u64:
    """The offset of a counter, for `count` and `tally`.

    Raises:
        ValueError: there is none of that name.
    """
    return u64(globals()["COUNTS"] + 8 * COUNTERS.index(name))


_LEFT = globals()["LEFT"] - globals()["COUNTS"]
_PERIOD = globals()["PERIODS"] - globals()["COUNTS"]


@typed
def tally(timing: Timing, which: u64) -> None:
    """Counts an event that cannot be sampled, as it is too frequent: `which` is what `counter` gives."""
    timing.counts[which >> 3] += 1


@typed
def count(timing: Timing, which: u64) -> None:
    """Counts an event, and notes that it is to be sampled if it is the last of a period."""
    n = which >> 3
    timing.counts[n] += 1
    left = timing.left[n]
    if left != 0:
        if left == 1:
            timing.sampled |= u64(1) << n
            left += timing.periods[n]
        timing.left[n] = left - 1


@typed
def trap(timing: Timing | None, time: u64) -> None:
    """A trap or an interrupt comes, and takes that many parts of a cycle: what follows is not what was predicted."""
    if timing is not None:
        count(timing, TRAPS)
        timing.trapped += time
        timing.previous = 0


TRAPS = counter("traps")
