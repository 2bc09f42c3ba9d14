# SPDX-License-Identifier: GPL-2.0-only
"""The board's devices that answer host calls without Python: timers, inter-processor interrupts, stalls."""

from __future__ import annotations

import numpy as np
from numba import types

from emu.cpu.native import board_record as board
from emu.cpu.native import cpu_record as cpu
from emu.cpu.native.interrupts import end_turn, raise_at
from emu.native import cfunc
from emu.native.pointers import load_u64, store_u64

ZERO, WORD = np.uint64(0), np.uint64(8)
SECOND_ARGUMENT = cpu.ARGUMENTS + WORD
INVALID = np.uint64((1 << 64) - 22)  # -EINVAL

_HANDLER = types.void(types.uint64, types.uint64)


@cfunc(_HANDLER)
def timer_set(s, number):
    """timer_set(deadline): the local timer's vector is raised when this CPU's clock reaches it; ~0 turns it off."""
    store_u64(s + cpu.TIMER, load_u64(s + cpu.ARGUMENTS))
    store_u64(s + cpu.DEADLINE, ZERO)
    store_u64(s + cpu.RESULT, ZERO)


@cfunc(_HANDLER)
def nmi_timer_set(s, number):
    """nmi_timer_set(deadline): an NMI comes when this CPU's clock has reached it, as soon as it is awake; ~0 turns it off."""
    store_u64(s + cpu.NMI_TIMER, load_u64(s + cpu.ARGUMENTS))
    store_u64(s + cpu.DEADLINE, ZERO)
    store_u64(s + cpu.RESULT, ZERO)


@cfunc(_HANDLER)
def send_ipi(s, number):
    """send_ipi(cpu, vector): raised at the sender's time. The sender's turn ends, so that the other can answer."""
    b = load_u64(s + cpu.BOARD)
    index, vector = load_u64(s + cpu.ARGUMENTS), load_u64(s + SECOND_ARGUMENT)
    known = load_u64(b + board.VECTOR_START) <= vector < load_u64(b + board.VECTOR_END)
    if index >= load_u64(b + board.CPU_COUNT) or not known:
        store_u64(s + cpu.RESULT, INVALID)
        return
    raise_at(load_u64(load_u64(b + board.CPUS) + index * WORD), vector, load_u64(s + cpu.CYCLES))
    end_turn(s)
    store_u64(s + cpu.RESULT, ZERO)


@cfunc(_HANDLER)
def stall_until(s, number):
    """stall_until(cycles): the clock jumps there if it is behind."""
    time = load_u64(s + cpu.ARGUMENTS)
    if time > load_u64(s + cpu.CYCLES):
        store_u64(s + cpu.CYCLES, time)
    store_u64(s + cpu.RESULT, ZERO)


@cfunc(_HANDLER)
def halt_cpu(s, number):
    """halt(): sleeps until an interrupt is pending, masked or not (for CPUs without such an instruction)."""
    store_u64(s + cpu.STATUS, cpu.HALTED)
    end_turn(s)
    store_u64(s + cpu.RESULT, ZERO)


@cfunc(_HANDLER)
def relax_cpu(s, number):
    """relax(): the CPU's turn ends (for CPUs whose spin loops have no instruction that says so)."""
    end_turn(s)
    store_u64(s + cpu.RESULT, ZERO)
