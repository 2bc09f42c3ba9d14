# SPDX-License-Identifier: GPL-2.0-only
"""One CPU runs alone, block by block, until it is at one of some places."""

from __future__ import annotations

import numpy as np
from numba import types

from emu.cpu.native import cpu_record, turns
from emu.native import njit
from emu.native.pointers import load_u64, store_u64

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)

ARRIVED = 5  # why the loop returned, beside the reasons of `turns`


@njit(types.int64(types.uint64, types.uint64, types.uint64, types.int64, types.int64))
def run_to(board, cpu, places, count, blocks):
    """Executes blocks of one CPU until a block ends at one of `count` addresses, an array at `places`.

    Returns three numbers in one word: reason | error << 8 | blocks executed << 16. LIMIT: it has executed so many `blocks`.
    """
    for done in range(1, blocks + 1):
        now = turns.ready_at(cpu)
        if now == cpu_record.NEVER:
            return turns.IDLE | done << 16
        store_u64(cpu + cpu_record.STEPPING, ONE)
        store_u64(cpu + cpu_record.STEPS, ONE)
        turns.begin_turn(board, cpu, now, cpu_record.NEVER)
        error = turns.enter(cpu)
        store_u64(cpu + cpu_record.STEPPING, ZERO)
        if error != 0:
            return turns.FAULT | error << 8 | done << 16
        if load_u64(cpu + cpu_record.REQUEST) != ZERO:
            return turns.REQUEST | done << 16
        here = load_u64(load_u64(cpu + cpu_record.LOCATION))
        for n in range(count):
            if here == load_u64(places + np.uint64(n) * WORD):
                return ARRIVED | done << 16
    return turns.LIMIT | blocks << 16
