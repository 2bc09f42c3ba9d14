# SPDX-License-Identifier: GPL-2.0-only
"""Emits operations of TCG, Unicorn's code generator, into the block that is being translated.

Operands have 64 bits each. A temporary ends with its basic block, so operands must be created again after a label.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from emu.cpu.internals import TranslatorStructures
from emu.cpu.native.cpu_records import Label, Operand, TranslatorContext
from emu.native.functions import external, njit
from emu.native.records import i32, u64

__all__ = ["Tcg", "build"]

# QEMU's TCG_TYPE_I64 and TCG_COND_LTU
_I64, _LESS_UNSIGNED = 1, 4

Constant: TypeAlias = Callable[[TranslatorContext, u64], Operand]
Load: TypeAlias = Callable[[TranslatorContext, Operand, u64], Operand]
Store: TypeAlias = Callable[[TranslatorContext, Operand, Operand, u64], None]
Combine: TypeAlias = Callable[[TranslatorContext, Operand, Operand], Operand]


class Tcg(NamedTuple):
    """The compiled functions that emit."""

    constant: Constant
    """constant(ctx, value) -> operand."""

    ld: Load
    """ld(ctx, base, offset) -> operand: the value at the host address `base` + `offset`."""

    ld32u: Load
    ld16u: Load
    ld8u: Load

    st: Store
    """st(ctx, value, base, offset)."""

    st32: Store
    st16: Store
    st8: Store

    add: Combine
    """add(ctx, a, b) -> operand."""

    bit_and: Combine
    bit_or: Combine

    skip_if_less: Callable[[TranslatorContext, Operand, Operand], Label]
    """skip_if_less(ctx, a, b) -> label: if `a` < `b`, unsigned, skips the code emitted from here until `place`."""

    place: Callable[[TranslatorContext, Label], None]
    """place(ctx, label)."""


def build(arch: str, at: TranslatorStructures) -> Tcg:
    """Compiles for an architecture."""
    constant_i64 = external(f"tcg_const_i64_{arch}", u64, TranslatorContext, u64)
    temporary = external(f"tcg_temp_new_internal_{arch}", Operand, TranslatorContext, i32, bool)
    emit_label = external(f"tcg_gen_op1_{arch}", None, TranslatorContext, i32, Label)
    emit = external(f"tcg_gen_op3_{arch}", None, TranslatorContext, i32, Operand, Operand, Operand)
    emit_access = external(f"tcg_gen_op3_{arch}", None, TranslatorContext, i32, Operand, Operand, u64)
    new_label = external(f"gen_new_label_{arch}", Label, TranslatorContext)
    branch = external(f"tcg_gen_brcond_i64_{arch}", None, TranslatorContext, i32, u64, u64, Label)
    set_label = at.opcode("set_label")

    def loading(opcode: int) -> Load:
        @njit
        def load(ctx: TranslatorContext, base: Operand, offset: u64) -> Operand:
            result = temporary(ctx, _I64, False)
            emit_access(ctx, opcode, result, base, offset)
            return result

        return load

    def storing(opcode: int) -> Store:
        @njit
        def store(ctx: TranslatorContext, value: Operand, base: Operand, offset: u64) -> None:
            emit_access(ctx, opcode, value, base, offset)

        return store

    def combining(opcode: int) -> Combine:
        @njit
        def combine(ctx: TranslatorContext, first: Operand, second: Operand) -> Operand:
            result = temporary(ctx, _I64, False)
            emit(ctx, opcode, result, first, second)
            return result

        return combine

    # A TCGv is the offset of an operand in the context.

    @njit
    def constant(ctx: TranslatorContext, value: u64) -> Operand:
        return Operand(ctx.address + constant_i64(ctx, value))

    @njit
    def skip_if_less(ctx: TranslatorContext, first: Operand, second: Operand) -> Label:
        label = new_label(ctx)
        branch(ctx, _LESS_UNSIGNED, first.address - ctx.address, second.address - ctx.address, label)
        return label

    @njit
    def place(ctx: TranslatorContext, label: Label) -> None:
        emit_label(ctx, set_label, label)

    return Tcg(
        constant=constant,
        ld=loading(at.opcode("ld_i64")),
        ld32u=loading(at.opcode("ld32u_i64")),
        ld16u=loading(at.opcode("ld16u_i64")),
        ld8u=loading(at.opcode("ld8u_i64")),
        st=storing(at.opcode("st_i64")),
        st32=storing(at.opcode("st32_i64")),
        st16=storing(at.opcode("st16_i64")),
        st8=storing(at.opcode("st8_i64")),
        add=combining(at.opcode("add_i64")),
        bit_and=combining(at.opcode("and_i64")),
        bit_or=combining(at.opcode("or_i64")),
        skip_if_less=skip_if_less,
        place=place,
    )
