# SPDX-License-Identifier: GPL-2.0-only
"""The board's devices that answer host calls without Python: timers, inter-processor interrupts, stalls."""

from __future__ import annotations

import numpy as np
from numba import types

from emu.cpu.native import board_record, cpu_record
from emu.cpu.native.interrupts import end_turn, raise_at
from emu.native import cfunc
from emu.native.pointers import load_u64, store_u64

ZERO, WORD = np.uint64(0), np.uint64(8)
FIRST_ARGUMENT, SECOND_ARGUMENT = cpu_record.ARGUMENTS, cpu_record.ARGUMENTS + WORD
INVALID = np.uint64((1 << 64) - 22)  # -EINVAL

_HANDLER = types.void(types.uint64, types.uint64)


@cfunc(_HANDLER)
def timer_set(cpu, number):
    """timer_set(deadline): the local timer's vector is raised when this CPU's clock reaches it; ~0 turns it off."""
    store_u64(cpu + cpu_record.TIMER, load_u64(cpu + FIRST_ARGUMENT))
    store_u64(cpu + cpu_record.DEADLINE, ZERO)
    store_u64(cpu + cpu_record.RESULT, ZERO)


@cfunc(_HANDLER)
def nmi_timer_set(cpu, number):
    """nmi_timer_set(deadline): an NMI comes when this CPU's clock has reached it and it is awake; ~0 turns it off."""
    store_u64(cpu + cpu_record.NMI_TIMER, load_u64(cpu + FIRST_ARGUMENT))
    store_u64(cpu + cpu_record.DEADLINE, ZERO)
    store_u64(cpu + cpu_record.RESULT, ZERO)


@cfunc(_HANDLER)
def send_ipi(cpu, number):
    """send_ipi(cpu, vector): raises the vector on that CPU, at the sender's time and IPI_TIME. The sender's turn ends."""
    board = load_u64(cpu + cpu_record.BOARD)
    index, vector = load_u64(cpu + FIRST_ARGUMENT), load_u64(cpu + SECOND_ARGUMENT)
    known = load_u64(board + board_record.VECTOR_START) <= vector < load_u64(board + board_record.VECTOR_END)
    if index >= load_u64(board + board_record.CPU_COUNT) or not known:
        store_u64(cpu + cpu_record.RESULT, INVALID)
        return
    time = load_u64(cpu + cpu_record.CYCLES) + load_u64(board + board_record.IPI_TIME)
    raise_at(load_u64(load_u64(board + board_record.CPUS) + index * WORD), vector, time)
    end_turn(cpu)
    store_u64(cpu + cpu_record.RESULT, ZERO)


@cfunc(_HANDLER)
def stall_until(cpu, number):
    """stall_until(cycles): this CPU's clock jumps forward to that time."""
    time = load_u64(cpu + FIRST_ARGUMENT)
    if time > load_u64(cpu + cpu_record.CYCLES):
        store_u64(cpu + cpu_record.CYCLES, time)
    store_u64(cpu + cpu_record.RESULT, ZERO)


@cfunc(_HANDLER)
def halt_cpu(cpu, number):
    """halt(): sleeps until an interrupt is pending, masked or not (for CPUs without a halt instruction)."""
    store_u64(cpu + cpu_record.STATUS, cpu_record.HALTED)
    end_turn(cpu)
    store_u64(cpu + cpu_record.RESULT, ZERO)


@cfunc(_HANDLER)
def relax_cpu(cpu, number):
    """relax(): the CPU's turn ends (for CPUs without an instruction for spin loops, such as `pause`)."""
    end_turn(cpu)
    store_u64(cpu + cpu_record.RESULT, ZERO)
