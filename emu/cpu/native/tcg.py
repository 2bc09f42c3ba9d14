# SPDX-License-Identifier: GPL-2.0-only
"""Emitting operations of TCG, Unicorn's compiler, into the block that is being translated.

Operands are TCGTemp pointers, of 64 bits each. A temporary ends with its basic block: what is used behind a label is made
there again. `ctx` is always the TCGContext.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import types

from emu.cpu.internals import TranslatorStructures
from emu.native import external, njit

__all__ = ["Tcg", "build"]

# QEMU's TCG_TYPE_I64 and TCG_COND_LTU
_I64, _LESS_UNSIGNED = 1, 4


class Tcg(NamedTuple):
    """The compiled functions that emit."""

    constant: Any
    """constant(ctx, value) -> operand."""

    load_u64: Any
    """load_u64(ctx, base, offset) -> operand: what is at the host address `base` + `offset`."""

    load_u32: Any
    load_u16: Any
    load_u8: Any

    store_u64: Any
    """store_u64(ctx, value, base, offset)."""

    store_u32: Any
    store_u16: Any
    store_u8: Any

    add: Any
    """add(ctx, a, b) -> operand."""

    bit_and: Any
    bit_or: Any

    skip_if_less: Any
    """skip_if_less(ctx, a, b) -> label: where `a` < `b`, unsigned, what is emitted until `place` is not executed."""

    place: Any
    """place(ctx, label)."""


def build(arch: str, at: TranslatorStructures) -> Tcg:
    """Compiles for an architecture."""
    constant_i64 = external(f"tcg_const_i64_{arch}", types.uint64(types.uint64, types.uint64))
    temporary = external(f"tcg_temp_new_internal_{arch}", types.uint64(types.uint64, types.int32, types.boolean))
    emit_one = external(f"tcg_gen_op1_{arch}", types.void(types.uint64, types.int32, types.uint64))
    emit = external(f"tcg_gen_op3_{arch}", types.void(types.uint64, types.int32, types.uint64, types.uint64, types.uint64))
    new_label = external(f"gen_new_label_{arch}", types.uint64(types.uint64))
    branch = external(
        f"tcg_gen_brcond_i64_{arch}", types.void(types.uint64, types.int32, types.uint64, types.uint64, types.uint64)
    )

    def reading(opcode: int) -> Any:
        @njit
        def read(ctx, first, second):
            result = temporary(ctx, _I64, False)
            emit(ctx, opcode, result, first, second)
            return result

        return read

    def storing(opcode: int) -> Any:
        @njit
        def store(ctx, value, base, offset):
            emit(ctx, opcode, value, base, offset)

        return store

    @njit
    def constant(ctx, value):
        return ctx + constant_i64(ctx, value)  # a TCGv is a TCGTemp's offset in the context

    @njit
    def skip_if_less(ctx, first, second):
        label = new_label(ctx)
        branch(ctx, _LESS_UNSIGNED, first - ctx, second - ctx, label)
        return label

    @njit
    def place(ctx, label):
        emit_one(ctx, set_label, label)

    set_label = at.opcode("set_label")
    return Tcg(
        constant=constant,
        load_u64=reading(at.opcode("ld_i64")),
        load_u32=reading(at.opcode("ld32u_i64")),
        load_u16=reading(at.opcode("ld16u_i64")),
        load_u8=reading(at.opcode("ld8u_i64")),
        store_u64=storing(at.opcode("st_i64")),
        store_u32=storing(at.opcode("st32_i64")),
        store_u16=storing(at.opcode("st16_i64")),
        store_u8=storing(at.opcode("st8_i64")),
        add=reading(at.opcode("add_i64")),
        bit_and=reading(at.opcode("and_i64")),
        bit_or=reading(at.opcode("or_i64")),
        skip_if_less=skip_if_less,
        place=place,
    )
