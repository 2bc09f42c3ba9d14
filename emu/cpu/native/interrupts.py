# SPDX-License-Identifier: GPL-2.0-only
"""Interrupts and time of one CPU: what becomes pending when, and when the block hook must look."""

from __future__ import annotations

import numpy as np

from emu.cpu.native import board_record as board
from emu.cpu.native import cpu_record as cpu
from emu.native import njit
from emu.native.pointers import load_u64, store_u64

ONE, WORD, ZERO = np.uint64(1), np.uint64(8), np.uint64(0)
SIX, LOW_SIX, TOP_VECTOR = np.uint64(6), np.uint64(63), np.uint64(cpu.VECTORS - 1)


@njit
def set_pending(s, vector):
    """Marks a vector pending now; a vector that already is stays one interrupt."""
    place = s + cpu.PENDING + (vector >> SIX) * WORD
    bits = load_u64(place)
    bit = ONE << (vector & LOW_SIX)
    if not bits & bit:
        store_u64(place, bits | bit)
        store_u64(s + cpu.PENDING_COUNT, load_u64(s + cpu.PENDING_COUNT) + ONE)


@njit
def highest(s):
    """The highest pending vector. There must be one."""
    word = np.uint64(3)
    while load_u64(s + cpu.PENDING + word * WORD) == ZERO:
        word -= ONE
    bits = load_u64(s + cpu.PENDING + word * WORD)
    bit = LOW_SIX
    while not bits >> bit & ONE:
        bit -= ONE
    return (word << SIX) | bit


@njit
def take_highest(s):
    """Clears the highest pending vector and returns it. There must be one."""
    vector = highest(s)
    place = s + cpu.PENDING + (vector >> SIX) * WORD
    store_u64(place, load_u64(place) & ~(ONE << (vector & LOW_SIX)))
    store_u64(s + cpu.PENDING_COUNT, load_u64(s + cpu.PENDING_COUNT) - ONE)
    return vector


@njit
def raise_at(s, vector, time):
    """Raises a vector on a CPU no earlier than `time`."""
    place = s + cpu.ARRIVALS + vector * WORD
    if time < load_u64(place):
        store_u64(place, time)
    if time < load_u64(s + cpu.ARRIVAL):
        store_u64(s + cpu.ARRIVAL, time)
    store_u64(s + cpu.DEADLINE, ZERO)


@njit
def end_turn(s):
    """The CPU's turn ends at its next block."""
    store_u64(s + cpu.TURN_END, ZERO)
    store_u64(s + cpu.DEADLINE, ZERO)


@njit
def look_around(s):
    """Makes pending what has become due, and sets the next DEADLINE."""
    now = load_u64(s + cpu.CYCLES)
    if load_u64(s + cpu.TIMER) <= now:
        store_u64(s + cpu.TIMER, cpu.NEVER)
        set_pending(s, load_u64(load_u64(s + cpu.BOARD) + board.TIMER_VECTOR))
    if load_u64(s + cpu.NMI_TIMER) <= now:
        store_u64(s + cpu.NMI_TIMER, cpu.NEVER)
        store_u64(s + cpu.NMI, ONE)
    if load_u64(s + cpu.ARRIVAL) <= now:
        earliest = cpu.NEVER
        for n in range(cpu.VECTORS):
            vector = np.uint64(n)
            place = s + cpu.ARRIVALS + vector * WORD
            time = load_u64(place)
            if time <= now:
                store_u64(place, cpu.NEVER)
                set_pending(s, vector)
            elif time < earliest:
                earliest = time
        store_u64(s + cpu.ARRIVAL, earliest)
    busy = load_u64(s + cpu.REQUEST) | load_u64(s + cpu.PENDING_COUNT) | load_u64(s + cpu.NMI) | load_u64(s + cpu.STEPPING)
    if busy:
        store_u64(s + cpu.DEADLINE, ZERO)
    else:
        next_event = min(load_u64(s + cpu.TIMER), load_u64(s + cpu.NMI_TIMER), load_u64(s + cpu.ARRIVAL))
        store_u64(s + cpu.DEADLINE, min(next_event, load_u64(s + cpu.TURN_END)))


@njit
def turn_is_over(s):
    """Whether the block that is about to begin belongs to a later turn. Counts it if exact stepping allows it."""
    if load_u64(s + cpu.REQUEST) != ZERO or load_u64(s + cpu.CYCLES) >= load_u64(s + cpu.TURN_END):
        return True
    if load_u64(s + cpu.STEPPING) != ZERO:
        steps = load_u64(s + cpu.STEPS)
        if steps == ZERO:
            return True
        store_u64(s + cpu.STEPS, steps - ONE)
    return False


@njit
def next_event(s):
    """The time at which a halted CPU has something to do. The watchdog timer wakes nobody: it is for those who are awake."""
    if load_u64(s + cpu.PENDING_COUNT) != ZERO or load_u64(s + cpu.NMI) != ZERO:
        return load_u64(s + cpu.CYCLES)
    return max(min(load_u64(s + cpu.TIMER), load_u64(s + cpu.ARRIVAL)), load_u64(s + cpu.CYCLES))
