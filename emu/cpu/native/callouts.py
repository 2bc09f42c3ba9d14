# SPDX-License-Identifier: GPL-2.0-only
"""Calls from a CPU to the layers above: the functions of addresses at which blocks begin, and those of host calls."""

from __future__ import annotations

import numpy as np

from emu.cpu.native import board_record, cpu_record
from emu.cpu.native.interrupts import end_turn
from emu.native import njit
from emu.native.pointers import call_handler, load_u64, store_u64

ZERO, WORD = np.uint64(0), np.uint64(8)
HOST_CALL_COUNT = np.uint64(board_record.HOST_CALL_COUNT)


@njit
def call_function_at(cpu, board, address):
    """A block begins at `address`: runs the host function that is there, if there is one."""
    start = load_u64(board + board_record.DISPATCH_START)
    if start <= address < load_u64(board + board_record.DISPATCH_END):
        handler = load_u64(load_u64(board + board_record.DISPATCH) + (address - start) * WORD)
        if handler != ZERO:
            call_handler(handler, cpu, address)


@njit
def host_call(cpu, number):
    """Answers a host call. Its arguments are in the CPU's record, and its result is stored there, too.

    Returns False if Python has to answer the call: the turn then ends.
    """
    handler = ZERO
    if number < HOST_CALL_COUNT:
        handler = load_u64(load_u64(load_u64(cpu + cpu_record.BOARD) + board_record.HOST_CALLS) + number * WORD)
    if handler != ZERO:
        call_handler(handler, cpu, number)
        return True
    store_u64(cpu + cpu_record.HOST_CALL, number)
    store_u64(cpu + cpu_record.REQUEST, cpu_record.HOST_CALL_REQUEST)
    end_turn(cpu)
    return False
