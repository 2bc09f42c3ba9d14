# SPDX-License-Identifier: GPL-2.0-only
"""The loop over turns: the CPU that is furthest behind runs next, until a quantum past the one after it."""

from __future__ import annotations

import numpy as np
from numba import types

from emu.cpu.native import board_record as board
from emu.cpu.native import cpu_record as cpu
from emu.cpu.native.interrupts import look_around, next_event
from emu.native import external, njit
from emu.native.pointers import load_u64, store_u64

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)

# Why the loop returned.
TIME, IDLE, REQUEST, FAULT, LIMIT = 0, 1, 2, 3, 4

_emu_start = external("uc_emu_start", types.int32(types.uint64, types.uint64, types.uint64, types.uint64, types.uint64))
_clock = external("clock", types.int64())  # microseconds of processor time
_TURNS_BETWEEN_LOOKS = 32


@njit
def _random(b):
    """The next word of the board's generator (xorshift64)."""
    x = load_u64(b + board.RANDOM)
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    store_u64(b + board.RANDOM, x)
    return x


@njit
def _ready_at(s):
    status = load_u64(s + cpu.STATUS)
    if status == cpu.RUNNING:
        return load_u64(s + cpu.CYCLES)
    if status == cpu.HALTED:
        return next_event(s)
    if status == cpu.STOPPED and load_u64(s + cpu.NMI) != ZERO:
        return load_u64(s + cpu.CYCLES)
    return cpu.NEVER


@njit
def begin_turn(b, s, now, others):
    """Prepares the turn of a CPU that can run at `now`, the next other one being able to at `others`."""
    store_u64(s + cpu.STATUS, cpu.RUNNING)
    store_u64(s + cpu.CYCLES, now)
    end = now + load_u64(b + board.LONGEST_TURN)
    if others != cpu.NEVER:
        quantum = load_u64(b + board.QUANTUM)
        end = min(end, others + quantum - _random(b) % (quantum // np.uint64(4) + ONE))
    store_u64(s + cpu.TURN_END, max(end, now + ONE))
    look_around(s)
    store_u64(s + cpu.DEADLINE, ZERO)
    store_u64(b + board.CURRENT, load_u64(s + cpu.INDEX))


@njit(types.int32(types.uint64))
def enter(s):
    """Executes a CPU's turn; returns Unicorn's error. Starting Unicorn sets the program counter alone, so what follows it
    is kept in RESUME for the architecture's trap unit, which Unicorn asks before the first block."""
    store_u64(s + cpu.RESUME, load_u64(load_u64(s + cpu.NEXT_LOCATION)))
    return _emu_start(load_u64(s + cpu.UC), load_u64(load_u64(s + cpu.LOCATION)), ZERO, ZERO, ZERO)


@njit(types.int64(types.uint64, types.int64))
def run(b, microseconds):
    """Runs turns until Python must act, or about `microseconds` of host time have passed.

    Returns a pair in one word: reason | error << 8; the CPU concerned is the board's CURRENT.
    """
    table, count = load_u64(b + board.CPUS), load_u64(b + board.CPU_COUNT)
    stop_at = _clock() + microseconds
    turns = 0
    while True:
        best = second = cpu.NEVER
        s = ZERO
        for n in range(count):
            candidate = load_u64(table + np.uint64(n) * WORD)
            ready = _ready_at(candidate)
            if ready < best:
                best, second, s = ready, best, candidate
            elif ready < second:
                second = ready
        if best == cpu.NEVER:
            return IDLE
        if best >= load_u64(b + board.LIMIT):
            return LIMIT
        begin_turn(b, s, best, second)
        error = enter(s)
        if error != 0:
            return FAULT | error << 8
        if load_u64(s + cpu.REQUEST) != ZERO:
            return REQUEST
        turns += 1
        if turns == _TURNS_BETWEEN_LOOKS:
            turns = 0
            if _clock() >= stop_at:
                return TIME
