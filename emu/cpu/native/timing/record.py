# SPDX-License-Identifier: GPL-2.0-only
"""A CPU's timing record: what a timing model with state keeps of one CPU. It begins with counters and the state of the core.

`predict` and `caches` add their own words behind. Nothing in the record is of the host, so that a checkpoint copies it as
it is. Time is in parts of a cycle (`CYCLE`).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from emu.cpu.timing import CYCLE
from emu.native import njit
from emu.native.pointers import load_u64, store_u64
from emu.native.record import Fields

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

fields = Fields()
COUNTS = fields.words(MOST_COUNTERS)
LEFT = fields.words(MOST_COUNTERS)  # of each event, how many until the next sample; 0: it is not sampled
PERIODS = fields.words(MOST_COUNTERS)  # ... and how many from one sample to the next
SAMPLED = fields.word()  # the events to sample at the block's end, a bit each
TRAPPED = fields.word()  # parts of a cycle that a trap takes which has come since the last block; 0: none has
STATE = fields.word()  # number of the core's state while a turn lasts; NO_STATE: it is in what follows
ISSUE = fields.word()  # when the next micro-operation can be dispatched
KNOWN_CYCLES = fields.word()  # the CPU's CYCLES as the model left it: another value means that time has jumped
PREVIOUS = fields.word()  # offset of the summary of the block before; 0: none that counts
PREVIOUS_END = fields.word()  # virtual address behind that block
STRING = fields.word()  # 1: the last block ended with the first element of a string instruction, which goes on in the next
READY = fields.words(REGISTERS)  # when each register is there; these and the next three are counted from ISSUE
RETIRE = fields.word()  # when all that was dispatched has retired
BRANCH = fields.word()  # when the last block's last instruction was executed
AHEAD = fields.word()  # by how much fetching is ahead of dispatch, in steps of AHEAD_STEP
SLOTS = fields.word()  # dispatch slots used so far, while the window matters
WINDOW = fields.words(RING)  # when what was dispatched so many eighths of a dispatch window ago retired
FRESH = fields.words(2 * (REGISTERS + 2))  # outputs of a block and their times, until all are known
WORDS = fields.count  # `predict` and `caches` have theirs behind

NO_STATE = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)


def counter(name: str) -> np.uint64:
    """The offset of a counter, for `count` and `tally`.

    Raises:
        ValueError: there is none of that name.
    """
    return COUNTS + np.uint64(8 * COUNTERS.index(name))


_LEFT = LEFT - COUNTS
_PERIOD = PERIODS - COUNTS


@njit
def tally(timing, which):
    """Counts an event that cannot be sampled, as it is too frequent: `which` is what `counter` gives."""
    store_u64(timing + which, load_u64(timing + which) + ONE)


@njit
def count(timing, which):
    """Counts an event, and notes that it is to be sampled if it is the last of a period."""
    store_u64(timing + which, load_u64(timing + which) + ONE)
    left = load_u64(timing + which + _LEFT)
    if left != ZERO:
        if left == ONE:
            store_u64(timing + SAMPLED, load_u64(timing + SAMPLED) | ONE << ((which - COUNTS) // WORD))
            left += load_u64(timing + which + _PERIOD)
        store_u64(timing + which + _LEFT, left - ONE)


@njit
def trap(timing, time):
    """A trap or an interrupt comes, and takes that many parts of a cycle: what follows is not what was predicted."""
    if timing != ZERO:
        count(timing, TRAPS)
        store_u64(timing + TRAPPED, load_u64(timing + TRAPPED) + time)
        store_u64(timing + PREVIOUS, ZERO)


TRAPS = counter("traps")
