# SPDX-License-Identifier: GPL-2.0-only
"""The block hook of x86-64 CPUs with a timing model that has state."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numba import types

from emu.cpu.arch.x86_64.state import FS, GS, Layout, SegmentCache, register
from emu.cpu.native import block_record, callouts, cpu_record, translator
from emu.cpu.native.arch import TimedHooks, x86_64_strings, x86_64_walk
from emu.cpu.native.arch.x86_64_strings import COMPARE, LOAD, MOVE, STORE
from emu.cpu.native.timing import block as timed_block
from emu.cpu.native.timing import record
from emu.cpu.native.timing.layout import Layout as TimingLayout
from emu.cpu.timing.core import Core
from emu.native import cfunc, njit
from emu.native.pointers import load_u64, store_u64

__all__ = ["build"]

ZERO, ONE = np.uint64(0), np.uint64(1)
SI, DI = (np.uint64(register(name)) for name in ("si", "di"))


def build(
    layout: Layout, begin: Any, execute: Any, execute_string: Any, core: Core, at: TimingLayout, with_data: bool
) -> TimedHooks:
    """Compiles for a layout of Unicorn and a core. `begin`, `execute`, `execute_string`: what `x86_64`'s block hook uses."""
    fs, gs = (np.uint64(layout.env_segments + n * ctypes.sizeof(SegmentCache) + SegmentCache.base.offset) for n in (FS, GS))
    charge, elements, settle_cpu, lines_written = timed_block.build(core, at, (fs, gs), x86_64_walk.build(layout), with_data)

    @njit
    def charge_string(cpu, block, address):
        """Charges a block that ends with a repeated instruction, and executes elements if it begins with it."""
        begins = block_record.begins_string(cpu, block, address)
        if begins:
            charge(cpu, block, address)
        description = block_record.string_description(cpu, block, address)
        second = load_u64(cpu + cpu_record.TIMING) + record.STRING
        if description == ZERO:  # the block has other instructions, too, and executes one element
            store_u64(second, ONE)
            return
        env = load_u64(cpu + cpu_record.ENV)
        source, target = load_u64(env + SI), load_u64(env + DI)
        step = execute_string(cpu, description)
        if with_data and step != ZERO:
            before = step if load_u64(second) != ZERO and not begins else ZERO  # the first element, which has been executed
            first = begins or before != ZERO
            kind = description & x86_64_strings.KIND
            if kind in (MOVE, LOAD, COMPARE):  # one more element is executed now
                elements(cpu, source - before, load_u64(env + SI) + step, step, first, False)
            if kind != LOAD:
                elements(cpu, target - before, load_u64(env + DI) + step, step, first, kind in (MOVE, STORE))
        store_u64(second, ZERO)

    @cfunc(types.void(types.uint64, types.uint64, types.uint32, types.uint64))
    def timed_block_hook(uc, address, why, cpu):
        if why & translator.INSTRUCTION:
            execute(cpu, why & translator.NUMBER_MASK)
        if not why & translator.BLOCK:
            return
        block = begin(uc, cpu, address, why)
        if load_u64(block + block_record.CYCLES) & block_record.STRING:
            charge_string(cpu, block, address)
        else:
            charge(cpu, block, address)
        callouts.call_function_at(cpu, load_u64(cpu + cpu_record.BOARD), address)

    @cfunc(types.void(types.uint64, types.uint64))
    def settle(cpu, nothing):
        settle_cpu(cpu)

    @cfunc(types.void(types.uint64, types.uint64, types.uint64))
    def written(board, first, last):
        lines_written(board, first, last)

    return TimedHooks(timed_block_hook.address, settle.address, written.address)
