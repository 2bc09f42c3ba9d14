# SPDX-License-Identifier: GPL-2.0-only
"""Runs one CPU alone, block by block, until it reaches one of several places."""

from __future__ import annotations

from emu.cpu.native import turns
from emu.cpu.native.cpu_records import NEVER, Board, Cpu
from emu.native.functions import shared
from emu.native.records import Words, i64, u64

ARRIVED = 5  # why the loop returned, in addition to the reasons of `turns`


@shared
def run_to(board: Board, cpu: Cpu, places: Words, count: u64, blocks: i64) -> i64:
    """Executes blocks of one CPU until a block ends at one of `count` addresses.

    Returns three numbers in one word: reason | error << 8 | blocks executed << 16. LIMIT: it has executed `blocks` blocks.
    """
    for done in range(1, blocks + 1):
        now = turns.ready_at(cpu)
        if now == NEVER:
            return turns.IDLE | done << 16
        cpu.stepping = True
        cpu.steps = 1
        turns.begin_turn(board, cpu, now, NEVER)
        error = turns.enter(cpu)
        cpu.stepping = False
        if error != 0:
            return turns.FAULT | error << 8 | done << 16
        if cpu.request != 0:
            return turns.REQUEST | done << 16
        here = cpu.location[0]
        for n in range(count):
            if here == places[n]:
                return ARRIVED | done << 16
    return turns.LIMIT | blocks << 16
