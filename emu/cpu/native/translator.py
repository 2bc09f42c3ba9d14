# SPDX-License-Identifier: GPL-2.0-only
"""Changes what Unicorn's translator emits. It calls these functions instead of its own (`library_imports`).

* A block begins with its own accounting: it adds its cost to the CPU's counters, and calls the block hook only if the
  clock then is at the deadline or past it. Unicorn would call the hook for every block. With a timing model that has
  state every block calls the hook, which charges it.
* Unicorn asks whether to stop after each access to memory. Here only the block hook stops a CPU, and does so itself.
* A block that ends with a jump to an address in a register finds the next block without leaving translated code.
* The block hook executes some instructions. Unicorn's own hooks for them search for the program counter first, which
  the CPU's state has already.

The block hook's third argument says why it is called: BLOCK for the block whose record is at the offset in OFFSET_MASK
from the CPU's record (ACCOUNTED: with its cost added already), or INSTRUCTION for the one in NUMBER_MASK. Unicorn itself
would call it with a block's size, and does so if there are other hooks; that call is to do nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import types

from emu.cpu.internals import CpuStructures
from emu.cpu.native import block_record, board_record, cpu_record, tcg, translator_record
from emu.native import cfunc, external, njit
from emu.native.pointers import load_u32, load_u64, store_u64

__all__ = ["ACCOUNTED", "BLOCK", "INSTRUCTION", "NUMBER_MASK", "OFFSET_MASK", "build"]

ACCOUNTED, BLOCK, INSTRUCTION = np.uint32(1), np.uint32(1 << 30), np.uint32(1 << 31)
OFFSET_MASK, NUMBER_MASK = BLOCK - np.uint32(8), np.uint32(0xFF)

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
BLOCK_SIZE = np.uint64(block_record.WORDS * 8)
LAST_BLOCK = np.uint64(cpu_record.BLOCK_COUNT - 1)

# QEMU's TranslationBlock: the address that it begins with, and its 16-bit size in bytes.
TB_PC, TB_SIZE, SIZE_MASK = np.uint64(0), np.uint64(20), np.uint32(0xFFFF)


@njit
def nothing(cpu, ctx):
    """Emits nothing."""


def build(arch: str, layout: CpuStructures, before_call: Any = nothing, before_operation: Any = None) -> Mapping[str, int]:
    """Compiles for an architecture.

    Args:
        arch: as the names of Unicorn's symbols end.
        layout: of Unicorn's structures.
        before_call: before_call(cpu, ctx), compiled: emits what is to happen before a call of a NOTICED helper.
        before_operation: before_operation(cpu, ctx, offset), the same before an operation with a third operand `offset`.

    Returns:
        Addresses by the names of the functions that they replace.
    """
    at, ops = layout.translator, tcg.build(arch, layout.translator)
    constant, add, load_word, load_half, store_word = ops.constant, ops.add, ops.load_u64, ops.load_u32, ops.store_u64
    skip_if_less, place = ops.skip_if_less, ops.place
    context_uc, uc_cpu, opaque = np.uint64(at.context_uc), np.uint64(layout.uc_cpu), np.uint64(layout.cpu_opaque)
    translate = external(f"gen_intermediate_code_{arch}", types.void(types.uint64, types.uint64, types.int32))
    call = external(f"tcg_gen_callN_{arch}", types.void(types.uint64, types.uint64, types.uint64, types.int32, types.uint64))
    operation = external(f"tcg_gen_op3_{arch}", types.void(types.uint64, types.int32, types.uint64, types.uint64, types.uint64))
    leave = external(f"tcg_gen_exit_tb_{arch}", types.void(types.uint64, types.uint64, types.int32))
    go_on = external(f"tcg_gen_lookup_and_goto_ptr_{arch}", types.void(types.uint64))
    constant_i32 = external(f"tcg_const_i32_{arch}", types.uint64(types.uint64, types.uint32))

    @njit
    def translating(ctx):
        """The record of the CPU for which a block is being translated; 0: a Uc that is no CPU of a board."""
        return load_u64(load_u64(load_u64(ctx + context_uc) + uc_cpu) + opaque)

    @njit
    def call_hook(cpu, ctx, why):
        """Emits a call of the block hook."""
        arguments = cpu + cpu_record.HOOK_ARGUMENTS
        store_u64(arguments, constant(ctx, load_u64(cpu + cpu_record.UC)))
        store_u64(arguments + WORD, constant(ctx, load_u64(cpu + cpu_record.BLOCK)))
        store_u64(arguments + WORD + WORD, ctx + constant_i32(ctx, why))
        store_u64(arguments + WORD + WORD + WORD, constant(ctx, cpu))
        call(ctx, load_u64(cpu + cpu_record.BLOCK_HOOK), ZERO, cpu_record.HOOK_ARGUMENT_COUNT, arguments)

    @njit
    def dispatched(cpu):
        """Whether the block that is being translated may have a host function."""
        board, address = load_u64(cpu + cpu_record.BOARD), load_u64(cpu + cpu_record.BLOCK)
        return load_u64(board + board_record.DISPATCH_START) <= address < load_u64(board + board_record.DISPATCH_END)

    @njit
    def begin_block(cpu, ctx, watched):
        """Emits what a block begins with, once. `watched`: the operands of a call are ready, and must not end here."""
        offset = load_u64(cpu + cpu_record.TRANSLATED)
        store_u64(cpu + cpu_record.TRANSLATED, ZERO)
        if offset == ZERO:
            return
        if watched or load_u64(cpu + cpu_record.TIMING) != ZERO or dispatched(cpu):
            call_hook(cpu, ctx, np.uint32(offset) | BLOCK)
            return
        record = constant(ctx, cpu)
        cycles = add(ctx, load_word(ctx, record, cpu_record.CYCLES), load_word(ctx, record, offset + block_record.CYCLES))
        store_word(ctx, cycles, record, cpu_record.CYCLES)
        counter = load_u64(cpu + cpu_record.CYCLE_COUNTER)
        if counter != ZERO:
            store_word(ctx, cycles, constant(ctx, counter), ZERO)
        instructions = add(
            ctx,
            load_word(ctx, record, cpu_record.INSTRUCTIONS),
            load_half(ctx, record, offset + block_record.INSTRUCTIONS),
        )
        store_word(ctx, instructions, record, cpu_record.INSTRUCTIONS)
        label = skip_if_less(ctx, cycles, load_word(ctx, record, cpu_record.DEADLINE))
        call_hook(cpu, ctx, np.uint32(offset) | BLOCK | ACCOUNTED)
        place(ctx, label)

    @cfunc(types.void(types.uint64, types.uint64, types.int32))
    def gen_intermediate_code(state, tb, most):
        """Translates a block of at most so many instructions. `state`: CPUState *. It gets the next record of BLOCKS."""
        cpu = load_u64(state + opaque)
        if cpu == ZERO:
            translate(state, tb, most)
            return
        # Translations fill a buffer from its beginning. Once it is full all are dropped.
        if load_u64(cpu + cpu_record.FIRST_TB) == ZERO:
            store_u64(cpu + cpu_record.FIRST_TB, tb)
        if load_u64(cpu + cpu_record.FIRST_TB) == tb:
            store_u64(cpu + cpu_record.BLOCKS_USED, ZERO)
        used = load_u64(cpu + cpu_record.BLOCKS_USED)
        store_u64(cpu + cpu_record.BLOCKS_USED, min(used + ONE, LAST_BLOCK))
        offset = cpu_record.BLOCKS + used * BLOCK_SIZE
        store_u64(cpu + offset + block_record.CYCLES, block_record.UNKNOWN)
        store_u64(cpu + offset + block_record.SUMMARY, ZERO)
        store_u64(cpu + cpu_record.TRANSLATED, offset)
        store_u64(cpu + cpu_record.BLOCK, load_u64(tb + TB_PC))
        translate(state, tb, most)
        store_u64(cpu + offset + block_record.SIZE, np.uint64(load_u32(tb + TB_SIZE) & SIZE_MASK))

    @cfunc(types.void(types.uint64, types.uint64, types.uint64, types.int32, types.uint64))
    def tcg_gen_callN(ctx, function, result, count, arguments):  # noqa: N802  # QEMU's name
        """Emits a call of a helper."""
        cpu = translating(ctx)
        if cpu != ZERO:
            ours = load_u64(cpu + cpu_record.TRANSLATOR)
            if function == load_u64(ours + translator_record.EXIT_CHECK):
                return
            if function == load_u64(cpu + cpu_record.BLOCK_HOOK):
                begin_block(cpu, ctx, False)
                return
            if function == load_u64(ours + translator_record.HOOKS):
                begin_block(cpu, ctx, True)
            for n in range(translator_record.INSTRUCTION_COUNT):
                if function == load_u64(ours + translator_record.INSTRUCTIONS + np.uint64(n) * WORD):
                    call_hook(cpu, ctx, INSTRUCTION | np.uint32(n))
                    return
            for n in range(translator_record.NOTICED_COUNT):
                if function == load_u64(ours + translator_record.NOTICED + np.uint64(n) * WORD):
                    before_call(cpu, ctx)
        call(ctx, function, result, count, arguments)

    @cfunc(types.void(types.uint64, types.uint64, types.int32))
    def tcg_gen_exit_tb(ctx, tb, index):
        """Emits the end of a block: to the block that is known to follow, or (`tb` is 0) to the one at the program counter."""
        if tb == ZERO and translating(ctx) != ZERO:
            go_on(ctx)
        else:
            leave(ctx, tb, index)

    replaced = {
        "gen_intermediate_code": gen_intermediate_code.address,
        "tcg_gen_callN": tcg_gen_callN.address,
        "tcg_gen_exit_tb": tcg_gen_exit_tb.address,
    }
    if before_operation is not None:

        @cfunc(types.void(types.uint64, types.int32, types.uint64, types.uint64, types.uint64))
        def tcg_gen_op3(ctx, opcode, first, second, third):
            """Emits an operation with three operands."""
            cpu = translating(ctx)
            if cpu != ZERO:
                before_operation(cpu, ctx, third)
            operation(ctx, opcode, first, second, third)

        replaced["tcg_gen_op3"] = tcg_gen_op3.address
    return {f"{name}_{arch}": address for name, address in replaced.items()}
