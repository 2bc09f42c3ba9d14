# SPDX-License-Identifier: GPL-2.0-only
"""Code of a RISC-V CPU as it is translated and executed: `fence.i`, `sret`, ends of pages, and what an instruction in memory is.

* Unicorn translates `fence.i` to nothing, but ends the block there. The translator therefore keeps the halfwords that it reads:
  if a block ends with `fence.i`, the block hook drops the CPU's stale translations.
* Unicorn's `sret` does not know sstatus.SDT, so the bit is cleared just before.
* If an instruction begins in one page and ends in another that is not mapped, Unicorn would report the fault for the whole block,
  at its beginning. The block is translated again without that instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from emu.cpu.arch.riscv64 import state as arch_state
from emu.cpu.internals import CpuStructures
from emu.cpu.native import code_pages, tcg
from emu.cpu.native.arch.riscv64_csrs import DOUBLE_TRAP
from emu.cpu.native.arch.riscv64_env import layouts
from emu.cpu.native.cpu_records import Cpu, CpuState, TranslatorContext
from emu.cpu.native.translator import NO_INSTRUCTION, BeforeCall, LastInstruction
from emu.native.functions import Native, external, njit
from emu.native.records import Words, u64

__all__ = ["FENCE_I", "Code", "build"]

FENCE_I = u64(0)  # its number for the block hook

# Instruction formats (The RISC-V Instruction Set Manual, volume I)
NOT_COMPRESSED = 3
OPCODE, OPCODE_AND_FUNCT3 = 0x7F, 0x707F
FENCE_I_CODE, AMO, LR = 0x100F, 0x2F, 2
FUNCT5 = 27
PAGE_MASK = ~u64((1 << code_pages.PAGE) - 1)


class Code(NamedTuple):
    """The compiled functions."""

    drop_stale: Callable[[Cpu], None]
    """drop_stale(cpu): executes `fence.i`."""

    is_atomic_store: Callable[[Cpu, u64], bool]
    """is_atomic_store(cpu, address): whether the instruction there, which has faulted, is an AMO or a store-conditional."""

    ends_before: Callable[[Cpu, CpuState, u64, u64], bool]
    """ends_before(cpu, state, address, fault): a fetch for the block at `address` has faulted. Whether the block is to be
    executed up to the instruction that leads into the page at `fault`; it is then translated so."""

    before_sret: BeforeCall
    last: LastInstruction
    translator: Mapping[str, int]
    """Addresses, by the functions that they replace."""


def build(layout: CpuStructures) -> Code:
    """Compiles for a layout of Unicorn's structures."""
    native = Native(layouts(layout))
    ops = tcg.build("riscv64", layout.translator)
    constant, bit_and, load_word, store_word = ops.constant, ops.bit_and, ops.ld, ops.st
    to_opaque, mstatus = layout.cpu_opaque - layout.cpu_env, arch_state.Env.mstatus.offset
    fetch = external("cpu_lduw_code_riscv64", u64, u64, u64)
    code_address = external("get_page_addr_code_riscv64", u64, u64, u64)
    drop_stale = code_pages.build_fence("riscv64")

    @native.njit
    def halfword(cpu: Cpu, address: u64) -> u64:
        """The two bytes of code at a virtual address; 0 if they are not in RAM."""
        place = code_address(cpu.env, address)
        if place >= cpu.board.ram_size:
            return 0
        code = code_pages.code_at(cpu, place)
        return code[0] | code[1] << 8

    @native.njit
    def is_atomic_store(cpu: Cpu, address: u64) -> bool:
        return halfword(cpu, address) & OPCODE == AMO and halfword(cpu, address + 2) >> (FUNCT5 - 16) != LR

    @native.njit
    def ends_before(cpu: Cpu, state: CpuState, address: u64, fault: u64) -> bool:
        last = fault - 2
        if fault & ~PAGE_MASK != 0 or address & PAGE_MASK != last & PAGE_MASK or address >= last:
            return False
        count = u64(0)
        while address < last:
            address += u64(4) if halfword(cpu, address) & NOT_COMPRESSED == NOT_COMPRESSED else u64(2)
            count += 1
        state.cflags_next_tb = count
        return True

    @njit
    def before_sret(cpu: Cpu, ctx: TranslatorContext) -> None:
        env = constant(ctx, cpu.env)
        store_word(ctx, bit_and(ctx, load_word(ctx, env, mstatus), constant(ctx, ~DOUBLE_TRAP)), env, mstatus)

    @njit
    def last(cpu: Cpu) -> u64:
        """What ends a block without leading to a known address has four bytes."""
        return FENCE_I if cpu.fetched >> 16 & OPCODE_AND_FUNCT3 == FENCE_I_CODE else NO_INSTRUCTION

    @native.callback
    def cpu_lduw_code(env: u64, address: u64) -> u64:
        """The translator reads two bytes of code."""
        found = fetch(env, address) & 0xFFFF
        record = Words(env + to_opaque)[0]
        if record != 0:
            cpu = Cpu(record)
            if cpu.stale and code_address(env, address) < cpu.board.ram_size:
                found = halfword(cpu, address)
            cpu.fetched = (cpu.fetched & 0xFFFF) << 16 | found
        return found

    return Code(
        drop_stale=drop_stale,
        is_atomic_store=is_atomic_store,
        ends_before=ends_before,
        before_sret=before_sret,
        last=last,
        translator={"cpu_lduw_code_riscv64": cpu_lduw_code.address},
    )
