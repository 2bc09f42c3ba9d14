# SPDX-License-Identifier: GPL-2.0-only
"""The block hook of x86-64 CPUs whose timing model has state."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.arch.x86_64.state import FS, GS, Layout
from emu.cpu.native import block_record, callouts, translator
from emu.cpu.native.arch import TimedHooks, x86_64_strings, x86_64_walk
from emu.cpu.native.arch.x86_64_env import Registers, Segment
from emu.cpu.native.arch.x86_64_strings import COMPARE, LOAD, MOVE, STORE
from emu.cpu.native.arch.x86_64_told import Told
from emu.cpu.native.block_begin import Begin
from emu.cpu.native.cpu_records import Block, Board, Cpu, Uc
from emu.cpu.native.timing import block as timed_block
from emu.cpu.native.timing.layout import layouts
from emu.cpu.timing.core import Core
from emu.native.functions import Native
from emu.native.records import HOST, u32, u64

__all__ = ["build"]


def _base(layout: Layout, segment: int) -> int:
    """The index in the CPU's state of the word with a segment's base."""
    return (layout.env_segments + segment * HOST.size(Segment) + HOST.fields(Segment)["base"].offset) // 8


def build(
    layout: Layout,
    begin: Begin,
    execute: Callable[[Cpu, u64], None],
    execute_string: Callable[[Cpu, u64], u64],
    told: Told,
    core: Core,
    with_data: bool,
) -> TimedHooks:
    """Compiles for a layout of Unicorn's structures and a core. `begin`, `execute`, `execute_string`, `told`: as for `x86_64`."""
    native, tell = Native(layouts(core)), told.tell
    bases = _base(layout, FS), _base(layout, GS)
    charge, elements, settle_cpu, lines_written = timed_block.build(core, native, bases, x86_64_walk.build(layout), with_data)

    @native.njit
    def charge_string(cpu: Cpu, block: Block, address: u64) -> None:
        """Charges a block that ends with a repeated instruction. If the block begins with it, executes elements."""
        begins = block_record.begins_string(cpu, block, address)
        if begins:
            charge(cpu, block, address)
        description = block_record.string_description(cpu, block, address)
        timing, registers = cpu.timing, Registers(cpu.env)
        if description == 0:  # the block has other instructions too, and executes one element
            timing.string = True
            return
        source, target = registers.si, registers.di
        step = execute_string(cpu, description)
        if with_data and step != 0:
            before = step if timing.string and not begins else u64(0)  # the first element was executed before
            first = begins or before != 0
            kind = description & x86_64_strings.KIND
            if kind in (MOVE, LOAD, COMPARE):  # the block itself executes one more element now
                elements(cpu, source - before, registers.si + step, step, first, False)
            if kind != LOAD:
                elements(cpu, target - before, registers.di + step, step, first, kind in (MOVE, STORE))
        timing.string = False

    @native.callback
    def timed_block_hook(uc: Uc, address: u64, why: u32, cpu: Cpu) -> None:
        if why & translator.LISTENED:
            tell(uc, address, why, cpu.address)
            return
        if why & translator.INSTRUCTION:
            execute(cpu, why & translator.NUMBER_MASK)
        if not why & translator.BLOCK:
            if why == translator.SHOWN:
                callouts.call_if_shown_first(cpu, address)
            return
        block = begin(uc, cpu, address, why)
        if block.cycles & block_record.STRING:
            charge_string(cpu, block, address)
        else:
            charge(cpu, block, address)
        callouts.call_function_at(cpu, cpu.board, address)

    @native.callback
    def settle(cpu: Cpu, nothing: u64) -> None:
        settle_cpu(cpu)

    @native.shared
    def written(board: Board, first: u64, last: u64) -> None:
        lines_written(board, first, last)

    return TimedHooks(timed_block_hook, settle, written)
