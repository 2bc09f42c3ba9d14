# SPDX-License-Identifier: GPL-2.0-only
"""Changes what Unicorn's translator emits: it calls these functions instead of its own (`library_imports`).

* A block begins with its own accounting: it adds its cost to the CPU's counters, and calls the block hook only if the
  clock has then reached the deadline. Unicorn would call the hook for every block. With a timing model that has state,
  every block calls the hook, which charges it.
* Unicorn checks whether to stop after each memory access. Here only the block hook stops a CPU, and does so itself.
* A block that ends with a jump to an address in a register finds the next block without leaving translated code.
* The block hook executes some instructions. Unicorn's own hooks for them first look up the program counter, which the
  CPU's state already contains.

* An instruction before which host functions run begins with a call of the block hook, too (`listening`).

The block hook's third argument says why it is called: BLOCK for the block whose record is at the offset in OFFSET_MASK
from the CPU's record (ACCOUNTED: with its cost added already), or INSTRUCTION for the one in NUMBER_MASK. LISTENED: before an
instruction with listeners; the second argument is its address, the fourth one is their place instead of the CPU's record (NAMED:
in a page with a name), and NUMBER_MASK has what the architecture must know. SHOWN: at an instruction that is shown alone, where
host functions may run (`callouts.call_if_shown_first`). Unicorn itself would call it with a block's size, and
does so if there are other hooks; such a call does nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from emu.cpu.internals import CpuStructures
from emu.cpu.native import block_record, callouts, tcg
from emu.cpu.native.cpu_records import (
    BLOCK_COUNT,
    HOOK_ARGUMENT_COUNT,
    INSTRUCTION_COUNT,
    NOTICED_COUNT,
    OPENING_COUNT,
    Block,
    Cpu,
    CpuState,
    Operand,
    TranslationBlock,
    TranslatorContext,
    shapes,
)
from emu.native.functions import Native, external, njit
from emu.native.records import HOST, Layouts, Values, i32, u32, u64

__all__ = [
    "ACCOUNTED", "BLOCK", "INSTRUCTION", "LISTENED", "NAMED", "NO_INSTRUCTION", "NUMBER_MASK", "OFFSET_MASK", "SHOWN", "build",
]  # fmt: skip

SHOWN = u64(1 << 27)
ACCOUNTED, NAMED, LISTENED, BLOCK, INSTRUCTION = u64(1), u64(1 << 28), u64(1 << 29), u64(1 << 30), u64(1 << 31)
OFFSET_MASK, NUMBER_MASK = u64(NAMED - 8), u64(0xFF)

LAST_BLOCK = u64(BLOCK_COUNT - 1)

# The fields that emitted code adds to, and what it adds
CYCLES, INSTRUCTIONS, DEADLINE = (HOST.fields(Cpu)[name].offset for name in ("cycles", "instructions", "deadline"))
BLOCK_CYCLES, BLOCK_INSTRUCTIONS = (HOST.fields(Block)[name].offset for name in ("cycles", "instructions"))

BeforeCall: TypeAlias = Callable[[Cpu, TranslatorContext], None]
BeforeOperation: TypeAlias = Callable[[Cpu, TranslatorContext, u64], None]
LastInstruction: TypeAlias = Callable[[Cpu], u64]
NO_INSTRUCTION = u64(NUMBER_MASK)


@njit
def nothing(cpu: Cpu, ctx: TranslatorContext) -> None:
    """Emits nothing."""


@njit
def not_executed(cpu: Cpu) -> u64:
    return NO_INSTRUCTION


@njit
def next_block(cpu: Cpu, tb: TranslationBlock) -> Block:
    """The next of `blocks`. Translations fill a buffer from its start. Once it is full, all are dropped."""
    if cpu.first_tb is None:
        cpu.first_tb = tb
    if cpu.first_tb is tb:
        cpu.blocks_used = 0
    used = cpu.blocks_used
    cpu.blocks_used = min(used + 1, LAST_BLOCK)
    return cpu.blocks[used]


@njit
def number_among(helpers: Values[u64], count: u64, function: u64) -> u64:
    """The index of a function among `count` helpers; `count` if it is not among them."""
    for n in range(count):
        if helpers[n] == function:
            return n
    return count


def build(
    arch: str,
    layout: CpuStructures,
    longest_block: int,
    before_call: BeforeCall = nothing,
    before_operation: BeforeOperation | None = None,
    last: LastInstruction = not_executed,
) -> Mapping[str, int]:
    """Compiles for an architecture.

    Args:
        arch: the architecture, as in the suffix of Unicorn's symbols.
        layout: of Unicorn's structures.
        longest_block: instructions. TCG ends a block at 512 instructions, or when it has emitted 4,000 operations. The latter
            would depend on what is traced, so a block must end before, at the same instruction whatever is emitted for it.
        before_call: before_call(cpu, ctx), compiled: emits code before a call of a `noticed` helper.
        before_operation: before_operation(cpu, ctx, offset): likewise before an operation with a third operand `offset`.
        last: last(cpu), compiled: the number of the instruction just translated if it ends the block and the block hook executes
            it; otherwise NO_INSTRUCTION.

    Returns:
        Addresses, by the names of the functions that they replace.
    """
    native = Native(Layouts(shapes(layout)))
    ops = tcg.build(arch, layout.translator)
    call_hook, begin_block = _build_begin(arch, ops)
    constant, store_word = ops.constant, ops.st
    translate = external(f"gen_intermediate_code_{arch}", None, CpuState, TranslationBlock, i32)
    flush = external(f"tb_flush_{arch}", None, CpuState)
    call = external(f"tcg_gen_callN_{arch}", None, TranslatorContext, u64, Operand, i32, Values[Operand])
    operation = external(f"tcg_gen_op3_{arch}", None, TranslatorContext, i32, Operand, Operand, u64)
    leave = external(f"tcg_gen_exit_tb_{arch}", None, TranslatorContext, TranslationBlock, i32)
    go_on = external(f"tcg_gen_lookup_and_goto_ptr_{arch}", None, TranslatorContext)

    @native.njit
    def translating(ctx: TranslatorContext) -> Cpu | None:
        """The CPU for which a block is being translated; None if the Uc is not a CPU of a board."""
        return Cpu(ctx.uc.cpu.opaque)

    @njit
    def look_soon(cpu: Cpu, ctx: TranslatorContext) -> None:
        """Emits code that makes the next block look for interrupts."""
        store_word(ctx, constant(ctx, 0), constant(ctx, cpu.address), DEADLINE)

    @native.callback
    def gen_intermediate_code(state: CpuState, tb: TranslationBlock, most: i32) -> None:
        """Translates a block of at most `most` instructions."""
        if state.opaque == 0:
            translate(state, tb, most)
            return
        cpu = Cpu(state.opaque)
        block = next_block(cpu, tb)
        block.cycles = block_record.UNKNOWN
        block.summary = 0
        shown = cpu.shown and most == 1
        cpu.translated = None if shown else block
        cpu.translates_shown = shown
        cpu.block = tb.pc
        translate(state, tb, min(most, longest_block))
        block.size = tb.size
        block.instructions = tb.instructions

    @native.callback
    def tb_flush(state: CpuState) -> None:
        """Drops all translations of a CPU, because the buffer is full."""
        if state.opaque != 0:
            Cpu(state.opaque).flushed = True
        flush(state)

    @native.callback
    def tcg_gen_callN(  # noqa: N802  # QEMU's name
        ctx: TranslatorContext, function: u64, result: Operand, count: i32, arguments: Values[Operand]
    ) -> None:
        """Emits a call of a helper."""
        cpu = translating(ctx)
        if cpu is not None:
            ours = cpu.translator
            if function == ours.exit_check:
                return
            if function == cpu.block_hook:
                begin_block(cpu, ctx, False)
                return
            if function == ours.hooks:
                begin_block(cpu, ctx, True)
            number = number_among(ours.instructions, INSTRUCTION_COUNT, function)
            if number < INSTRUCTION_COUNT:
                call_hook(cpu, ctx, INSTRUCTION | number)
                return
            if number_among(ours.noticed, NOTICED_COUNT, function) < NOTICED_COUNT:
                before_call(cpu, ctx)
        call(ctx, function, result, count, arguments)
        if cpu is not None and number_among(cpu.translator.openings, OPENING_COUNT, function) < OPENING_COUNT:
            look_soon(cpu, ctx)

    @native.callback
    def tcg_gen_exit_tb(ctx: TranslatorContext, tb: TranslationBlock | None, index: i32) -> None:
        """Emits the end of a block: a jump to a known next block, or (`tb` is None) to the one at the program counter."""
        cpu = translating(ctx)
        if tb is not None or cpu is None:
            leave(ctx, tb, index)
            return
        number = last(cpu)
        if number != NO_INSTRUCTION:
            call_hook(cpu, ctx, INSTRUCTION | number)
        go_on(ctx)

    replaced = {
        "gen_intermediate_code": gen_intermediate_code.address,
        "tb_flush": tb_flush.address,
        "tcg_gen_callN": tcg_gen_callN.address,
        "tcg_gen_exit_tb": tcg_gen_exit_tb.address,
    }
    if before_operation is not None:

        @native.callback
        def tcg_gen_op3(ctx: TranslatorContext, opcode: i32, first: Operand, second: Operand, third: u64) -> None:
            """Emits an operation with three operands."""
            cpu = translating(ctx)
            if cpu is not None:
                before_operation(cpu, ctx, third)
            operation(ctx, opcode, first, second, third)

        replaced["tcg_gen_op3"] = tcg_gen_op3.address
    return {f"{name}_{arch}": address for name, address in replaced.items()}


def _build_begin(
    arch: str, ops: tcg.Tcg
) -> tuple[Callable[[Cpu, TranslatorContext, u64], None], Callable[[Cpu, TranslatorContext, bool], None]]:
    """call_hook(cpu, ctx, why): emits a call of the block hook. begin_block(cpu, ctx, watched): emits the start of a block,
    once. `watched`: the operands of a call are ready, and must not end here."""
    constant, add, load_word, load_half, store_word = ops.constant, ops.add, ops.ld, ops.ld32u, ops.st
    skip_if_less, place = ops.skip_if_less, ops.place
    call = external(f"tcg_gen_callN_{arch}", None, TranslatorContext, u64, Operand, i32, Values[Operand])
    constant_i32 = external(f"tcg_const_i32_{arch}", u64, TranslatorContext, u32)

    @njit
    def call_hook(cpu: Cpu, ctx: TranslatorContext, why: u64) -> None:
        arguments = cpu.hook_arguments
        arguments[0] = constant(ctx, cpu.uc.address)
        arguments[1] = constant(ctx, cpu.block)
        arguments[2] = Operand(ctx.address + constant_i32(ctx, why))
        arguments[3] = constant(ctx, cpu.address)
        call(ctx, cpu.block_hook, None, HOOK_ARGUMENT_COUNT, arguments)

    @njit
    def begin_block(cpu: Cpu, ctx: TranslatorContext, watched: bool) -> None:
        cpu.context = ctx
        block = cpu.translated
        cpu.translated = None
        if block is None:
            if cpu.translates_shown and callouts.is_looked_at(cpu):
                call_hook(cpu, ctx, SHOWN)
            cpu.translates_shown = False
            return
        offset = block.address - cpu.address
        if watched or cpu.timing is not None or callouts.is_looked_at(cpu):
            call_hook(cpu, ctx, offset | BLOCK)
            return
        record = constant(ctx, cpu.address)
        cycles = add(ctx, load_word(ctx, record, CYCLES), load_word(ctx, record, offset + BLOCK_CYCLES))
        store_word(ctx, cycles, record, CYCLES)
        counter = cpu.cycle_counter
        if counter is not None:
            store_word(ctx, cycles, constant(ctx, counter.address), 0)
        instructions = add(ctx, load_word(ctx, record, INSTRUCTIONS), load_half(ctx, record, offset + BLOCK_INSTRUCTIONS))
        store_word(ctx, instructions, record, INSTRUCTIONS)
        label = skip_if_less(ctx, cycles, load_word(ctx, record, DEADLINE))
        call_hook(cpu, ctx, offset | BLOCK | ACCOUNTED)
        place(ctx, label)

    return call_hook, begin_block
