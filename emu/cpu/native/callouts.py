# SPDX-License-Identifier: GPL-2.0-only
"""Calls from a CPU to the layers above: functions for addresses at which blocks begin, and for host calls."""

from __future__ import annotations

from emu.cpu.native.cpu_records import HOST_CALL_COUNT, HOST_CALL_REQUEST, Board, Cpu
from emu.cpu.native.interrupts import end_turn
from emu.native.functions import njit
from emu.native.records import u64


@njit
def call_function_at(cpu: Cpu, board: Board, address: u64) -> None:
    """A block begins at `address`: runs the host function for that address, if there is one."""
    start = board.dispatch_start
    if start <= address < board.dispatch_end:
        handler = board.dispatch[address - start]
        if handler is not None:
            handler(cpu, address)


@njit
def host_call(cpu: Cpu, number: u64) -> bool:
    """Answers a host call. Its arguments are in the CPU's record, and its result is stored there too.

    Returns False if Python has to answer the call: the turn then ends.
    """
    if number < HOST_CALL_COUNT:
        handler = cpu.board.host_calls[number]
        if handler is not None:
            handler(cpu, number)
            return True
    cpu.host_call = number
    cpu.request = HOST_CALL_REQUEST
    end_turn(cpu)
    return False
