# SPDX-License-Identifier: GPL-2.0-only
"""Makes Unicorn's translator emit calls of the block hook before instructions that have listeners.

Unicorn's own hook of instructions would write back the flags, and change how the code after it computes them. Here, the
architecture's function that translates an instruction is preceded by one that emits the call alone: TCG stores registers in the
CPU's state before a call, and the hook is told the rest. Blocks without listeners are translated as if there were none.

A program's code may be at any address, in many processes, and in another page of RAM after a while. Its instructions are known by
the name of their page, a number which `Board.name_page` finds when code is translated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from emu.cpu.internals import CpuStructures
from emu.cpu.native import listeners, tcg
from emu.cpu.native.code_pages import PAGE
from emu.cpu.native.cpu_records import (
    HOOK_ARGUMENT_COUNT,
    OPERATION_COUNT,
    TRANSLATE,
    Cpu,
    CpuState,
    DisasContext,
    Operand,
    Operation,
    TranslationBlock,
    TranslatorContext,
    shapes,
)
from emu.cpu.native.translator import LISTENED, NAMED
from emu.native.functions import Compiled, Native, external, njit
from emu.native.records import Layouts, Values, i32, u32, u64

__all__ = ["Listening", "build"]

PAGE_OFFSET = u64((1 << PAGE) - 1)
NO_PAGE = u64(1)  # no address of a page


class Listening(NamedTuple):
    """The compiled functions."""

    replaced: Mapping[str, int]
    """Addresses, by the names of the functions of Unicorn that they replace."""

    translate: Compiled[[DisasContext, CpuState], None]
    """The function for Translator.translate_listened."""


def build(
    arch: str, layout: CpuStructures, state_of: Callable[[DisasContext], u64], in_program: Callable[[Cpu], bool]
) -> Listening:
    """Compiles for an architecture.

    Args:
        arch: the architecture, as in the suffix of Unicorn's symbols.
        layout: of Unicorn's structures.
        state_of: state_of(context), compiled: what the hook must know of the instruction to be translated, in NUMBER_MASK.
        in_program: in_program(cpu), compiled: whether the CPU is in user mode.
    """
    native = Native(Layouts(shapes(layout)))
    constant = tcg.build(arch, layout.translator).constant
    loop = external(f"translator_loop_{arch}", None, Values[Operation], DisasContext, CpuState, TranslationBlock, i32)
    call = external(f"tcg_gen_callN_{arch}", None, TranslatorContext, u64, Operand, i32, Values[Operand])
    constant_i32 = external(f"tcg_const_i32_{arch}", u64, TranslatorContext, u32)
    code_address = external(f"get_page_addr_code_{arch}", u64, u64, u64)
    free = external(f"tcg_temp_free_internal_{arch}", None, TranslatorContext, Operand)

    @njit
    def call_hook(cpu: Cpu, address: u64, why: u64, place: u64) -> None:
        ctx, arguments = cpu.context, cpu.hook_arguments
        arguments[0] = constant(ctx, cpu.uc.address)
        arguments[1] = constant(ctx, address)
        arguments[2] = Operand(ctx.address + constant_i32(ctx, why))
        arguments[3] = constant(ctx, place)
        call(ctx, cpu.block_hook, None, HOOK_ARGUMENT_COUNT, arguments)
        for n in range(HOOK_ARGUMENT_COUNT):  # a block may have as many listeners as instructions, but not as many temporaries
            free(ctx, arguments[n])

    @njit
    def find_name(cpu: Cpu, name_page: Callable[[Cpu, u64], None], address: u64) -> None:
        """The translator has come to a program's instruction. If it is the first one of a page, finds the page's name.

        The instruction is about to be read, so this faults where the translator would.
        """
        page = address & ~PAGE_OFFSET
        if page != cpu.program_page:
            cpu.program_page = page
            cpu.page_name = 0
            place = code_address(cpu.env, address)
            if place < cpu.board.ram_size:
                name_page(cpu, place & ~PAGE_OFFSET)

    @native.callback
    def translate_insn(context: DisasContext, state: CpuState) -> None:
        """Translates an instruction of a board's CPU."""
        cpu = Cpu(state.opaque)
        board, address = cpu.board, context.pc_next
        if listeners.has(board.listeners, address):
            call_hook(cpu, address, LISTENED | state_of(context), address)
        name_page = board.name_page
        if name_page is not None and in_program(cpu):
            find_name(cpu, name_page, address)
            place = cpu.page_name + (address & PAGE_OFFSET)
            if cpu.page_name != 0 and listeners.has(board.named_listeners, place):
                call_hook(cpu, address, LISTENED | NAMED | state_of(context), place)
        cpu.translator.translate(context, state)

    @native.callback
    def translator_loop(
        operations: Values[Operation], context: DisasContext, state: CpuState, tb: TranslationBlock, most: i32
    ) -> None:
        """Translates a block."""
        if state.opaque != 0:
            cpu = Cpu(state.opaque)
            cpu.program_page = NO_PAGE
            if cpu.board.listeners.used != 0 or cpu.board.name_page is not None:
                ours = cpu.translator
                changed = ours.operations
                for n in range(OPERATION_COUNT):
                    changed[n] = operations[n]
                ours.translate = operations[TRANSLATE]
                changed[TRANSLATE] = ours.translate_listened
                loop(changed, context, state, tb, most)
                return
        loop(operations, context, state, tb, most)

    return Listening({f"translator_loop_{arch}": translator_loop.address}, translate_insn)
