# SPDX-License-Identifier: GPL-2.0-only
"""The loop over turns: the CPU whose clock is furthest behind runs next, until it is a quantum ahead of the second."""

from __future__ import annotations

import numpy as np
from numba import types

from emu.cpu.native import board_record, cpu_record, heap
from emu.cpu.native.interrupts import after_smi, look_around, next_event
from emu.native import external, njit
from emu.native.pointers import call_handler, load_u64, store_u64

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)

# Why the loop returned.
TIME, IDLE, REQUEST, FAULT, LIMIT = 0, 1, 2, 3, 4

_emu_start = external("uc_emu_start", types.int32(types.uint64, types.uint64, types.uint64, types.uint64, types.uint64))
_clock = external("clock", types.int64())  # microseconds of processor time
_TURNS_BETWEEN_LOOKS = 32


@njit
def _random(board):
    """The next word of the board's generator (xorshift64)."""
    x = load_u64(board + board_record.RANDOM)
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    store_u64(board + board_record.RANDOM, x)
    return x


@njit
def ready_at(cpu):
    """The time from which on a CPU can execute, in cycles; NEVER: nothing will wake it."""
    status = load_u64(cpu + cpu_record.STATUS)
    if status == cpu_record.RUNNING:
        return load_u64(cpu + cpu_record.CYCLES)
    if status == cpu_record.HALTED:
        return next_event(cpu)
    if status == cpu_record.STOPPED and load_u64(cpu + cpu_record.NMI) != ZERO:
        return load_u64(cpu + cpu_record.CYCLES)
    return cpu_record.NEVER


@njit
def begin_turn(board, cpu, now, others):
    """Prepares the turn of a CPU that can run at time `now`. `others`: when the first other CPU can run, or NEVER."""
    if load_u64(cpu + cpu_record.STATUS) == cpu_record.HALTED:
        slept = now - load_u64(cpu + cpu_record.CYCLES)
        store_u64(cpu + cpu_record.SLEPT, load_u64(cpu + cpu_record.SLEPT) + slept)
    now = after_smi(cpu, now)
    store_u64(cpu + cpu_record.STATUS, cpu_record.RUNNING)
    store_u64(cpu + cpu_record.CYCLES, now)
    end = now + load_u64(board + board_record.LONGEST_TURN)
    if others != cpu_record.NEVER:
        quantum = load_u64(board + board_record.QUANTUM)
        pace = load_u64(board + board_record.PACE)
        if pace != ZERO:  # CPUs have just taken a line from each other: turns are short, and grow again
            store_u64(board + board_record.PACE, pace + (pace >> ONE) if pace < quantum else ZERO)
            quantum = min(quantum, pace)
        end = min(end, others + quantum - _random(board) % (quantum // np.uint64(4) + ONE))
    store_u64(cpu + cpu_record.TURN_END, max(end, now + ONE))
    look_around(cpu)
    store_u64(cpu + cpu_record.DEADLINE, ZERO)
    store_u64(board + board_record.CURRENT, load_u64(cpu + cpu_record.INDEX))


@njit(types.int32(types.uint64))
def enter(cpu):
    """Executes a CPU's turn; returns Unicorn's error, 0: none.

    Starting Unicorn sets the program counter alone, so the next one is kept in RESUME for the architecture's trap unit,
    which Unicorn asks before the first block.
    """
    store_u64(cpu + cpu_record.RESUME, load_u64(load_u64(cpu + cpu_record.NEXT_LOCATION)))
    store_u64(heap.CONTROL, load_u64(load_u64(cpu + cpu_record.BOARD) + board_record.HEAP))
    error = _emu_start(load_u64(cpu + cpu_record.UC), load_u64(load_u64(cpu + cpu_record.LOCATION)), ZERO, ZERO, ZERO)
    store_u64(heap.CONTROL, ZERO)
    settle = load_u64(load_u64(cpu + cpu_record.BOARD) + board_record.SETTLE)
    if settle != ZERO:
        call_handler(settle, cpu, ZERO)
    return error


@njit(types.int64(types.uint64, types.int64))
def run(board, microseconds):
    """Runs turns until Python must act, another thread wants it to, or about `microseconds` of host time have passed.

    Returns a pair in one word: reason | error << 8; the CPU concerned is the board's CURRENT.
    """
    table, count = load_u64(board + board_record.CPUS), load_u64(board + board_record.CPU_COUNT)
    stop_at = _clock() + microseconds
    turns = 0
    while True:
        best = second = cpu_record.NEVER
        cpu = ZERO
        for n in range(count):
            candidate = load_u64(table + np.uint64(n) * WORD)
            ready = ready_at(candidate)
            if ready < best:
                best, second, cpu = ready, best, candidate
            elif ready < second:
                second = ready
        if best == cpu_record.NEVER:
            return IDLE
        if best >= load_u64(board + board_record.LIMIT):
            return LIMIT
        begin_turn(board, cpu, best, second)
        error = enter(cpu)
        if error != 0:
            return FAULT | error << 8
        if load_u64(cpu + cpu_record.REQUEST) != ZERO:
            return REQUEST
        if load_u64(board + board_record.WANTED) != ZERO:
            return TIME
        turns += 1
        if turns == _TURNS_BETWEEN_LOOKS:
            turns = 0
            if _clock() >= stop_at:
                return TIME
