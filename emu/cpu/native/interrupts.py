# SPDX-License-Identifier: GPL-2.0-only
"""Interrupts and time of one CPU: when a vector becomes pending, and when the block hook must check for it."""

from __future__ import annotations

import numpy as np

from emu.cpu.native import board_record, cpu_record
from emu.native import njit
from emu.native.pointers import load_u64, store_u64

ONE, WORD, ZERO = np.uint64(1), np.uint64(8), np.uint64(0)
SIX, LOW_SIX = np.uint64(6), np.uint64(63)  # of a vector: which word of PENDING, and which bit of it
LAST_WORD = np.uint64(cpu_record.VECTORS // 64 - 1)


@njit
def set_pending(cpu, vector):
    """Marks a vector pending. A vector that is pending already stays one interrupt."""
    place = cpu + cpu_record.PENDING + (vector >> SIX) * WORD
    bits = load_u64(place)
    bit = ONE << (vector & LOW_SIX)
    if not bits & bit:
        store_u64(place, bits | bit)
        store_u64(cpu + cpu_record.PENDING_COUNT, load_u64(cpu + cpu_record.PENDING_COUNT) + ONE)


@njit
def highest(cpu):
    """The highest pending vector. There must be one."""
    word = LAST_WORD
    while load_u64(cpu + cpu_record.PENDING + word * WORD) == ZERO:
        word -= ONE
    bits = load_u64(cpu + cpu_record.PENDING + word * WORD)
    bit = LOW_SIX
    while not bits >> bit & ONE:
        bit -= ONE
    return (word << SIX) | bit


@njit
def take_highest(cpu):
    """Clears the highest pending vector and returns it. There must be one."""
    vector = highest(cpu)
    place = cpu + cpu_record.PENDING + (vector >> SIX) * WORD
    store_u64(place, load_u64(place) & ~(ONE << (vector & LOW_SIX)))
    store_u64(cpu + cpu_record.PENDING_COUNT, load_u64(cpu + cpu_record.PENDING_COUNT) - ONE)
    return vector


@njit
def raise_at(cpu, vector, time):
    """Raises a vector on a CPU no earlier than `time`."""
    place = cpu + cpu_record.ARRIVALS + vector * WORD
    if time < load_u64(place):
        store_u64(place, time)
    if time < load_u64(cpu + cpu_record.ARRIVAL):
        store_u64(cpu + cpu_record.ARRIVAL, time)
    store_u64(cpu + cpu_record.DEADLINE, ZERO)


@njit
def end_turn(cpu):
    """Ends the CPU's turn at its next block."""
    store_u64(cpu + cpu_record.TURN_END, ZERO)
    store_u64(cpu + cpu_record.DEADLINE, ZERO)


@njit
def stop(cpu):
    """Ends the CPU's turn at its next block and returns to Python before any CPU goes on."""
    store_u64(cpu + cpu_record.REQUEST, cpu_record.STOP_REQUEST)
    store_u64(cpu + cpu_record.DEADLINE, ZERO)


@njit
def next_due(cpu):
    """When an interrupt becomes pending or the CPU is interrupted unseen, or the turn ends."""
    timers = min(load_u64(cpu + cpu_record.TIMER), load_u64(cpu + cpu_record.NMI_TIMER))
    begin = min(load_u64(cpu + cpu_record.ARRIVAL), load_u64(cpu + cpu_record.SMI_NEXT))
    return min(min(timers, begin), load_u64(cpu + cpu_record.TURN_END))


@njit
def after_smi(cpu, now):
    """The time at which a CPU goes on that could at `now`: later, if a system management interrupt has begun and takes longer.

    One that has begun and ended while the CPU slept or stalled is over.
    """
    due = load_u64(cpu + cpu_record.SMI_NEXT)
    if due > now:
        return now
    period = load_u64(cpu + cpu_record.SMI_PERIOD)
    due += (now - due) // period * period
    store_u64(cpu + cpu_record.SMI_NEXT, due + period)
    return max(now, due + load_u64(cpu + cpu_record.SMI_LENGTH))


@njit
def look_around(cpu):
    """Makes pending what has become due, and sets the next DEADLINE."""
    now = after_smi(cpu, load_u64(cpu + cpu_record.CYCLES))
    store_u64(cpu + cpu_record.CYCLES, now)
    if load_u64(cpu + cpu_record.TIMER) <= now:
        store_u64(cpu + cpu_record.TIMER, cpu_record.NEVER)
        set_pending(cpu, load_u64(load_u64(cpu + cpu_record.BOARD) + board_record.TIMER_VECTOR))
    if load_u64(cpu + cpu_record.NMI_TIMER) <= now:
        store_u64(cpu + cpu_record.NMI_TIMER, cpu_record.NEVER)
        store_u64(cpu + cpu_record.NMI, ONE)
    if load_u64(cpu + cpu_record.ARRIVAL) <= now:
        earliest = cpu_record.NEVER
        for n in range(cpu_record.VECTORS):
            vector = np.uint64(n)
            place = cpu + cpu_record.ARRIVALS + vector * WORD
            time = load_u64(place)
            if time <= now:
                store_u64(place, cpu_record.NEVER)
                set_pending(cpu, vector)
            elif time < earliest:
                earliest = time
        store_u64(cpu + cpu_record.ARRIVAL, earliest)
    busy = (
        load_u64(cpu + cpu_record.REQUEST)
        | load_u64(cpu + cpu_record.PENDING_COUNT)
        | load_u64(cpu + cpu_record.NMI)
        | load_u64(cpu + cpu_record.STEPPING)
    )
    if busy:
        store_u64(cpu + cpu_record.DEADLINE, ZERO)
    else:
        store_u64(cpu + cpu_record.DEADLINE, next_due(cpu))


@njit
def turn_is_over(cpu):
    """Whether the turn ends before the block that is about to begin. With exact stepping, counts the block."""
    if load_u64(cpu + cpu_record.REQUEST) != ZERO or load_u64(cpu + cpu_record.CYCLES) >= load_u64(cpu + cpu_record.TURN_END):
        return True
    if load_u64(cpu + cpu_record.STEPPING) != ZERO:
        steps = load_u64(cpu + cpu_record.STEPS)
        if steps == ZERO:
            return True
        store_u64(cpu + cpu_record.STEPS, steps - ONE)
    return False


@njit
def next_event(cpu):
    """The time at which a halted CPU wakes, in cycles. The watchdog timer wakes no CPU."""
    if load_u64(cpu + cpu_record.PENDING_COUNT) != ZERO or load_u64(cpu + cpu_record.NMI) != ZERO:
        return load_u64(cpu + cpu_record.CYCLES)
    return max(min(load_u64(cpu + cpu_record.TIMER), load_u64(cpu + cpu_record.ARRIVAL)), load_u64(cpu + cpu_record.CYCLES))
