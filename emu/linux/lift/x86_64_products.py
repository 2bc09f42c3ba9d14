# SPDX-License-Identifier: GPL-2.0-only
"""What multiplications and divisions do in lifted x86-64 code."""

from __future__ import annotations

from typing import TypeAlias

import capstone
import llvmlite.ir as ir
from capstone import x86

from emu.linux.lift.memory import I64
from emu.linux.lift.reasons import CannotLift
from emu.linux.lift.x86_64_state import Operation, State

__all__ = ["divide", "multiply"]

_Division: TypeAlias = tuple[ir.Value, ir.Value, ir.Value]
"""A quotient, a rest, and whether the quotient fits."""

_AX = {1: x86.X86_REG_AL, 2: x86.X86_REG_AX, 4: x86.X86_REG_EAX, 8: x86.X86_REG_RAX}
_DX = {2: x86.X86_REG_DX, 4: x86.X86_REG_EDX, 8: x86.X86_REG_RDX}


def multiply(signed: bool) -> Operation:
    def operation(state: State, instruction: capstone.CsInsn) -> None:
        builder, operands = state.builder, instruction.operands
        size = operands[0].size
        narrow, wide = ir.IntType(8 * size), ir.IntType(16 * size)
        extend = builder.sext if signed else builder.zext
        if len(operands) == 1:
            first, second = state.read_register(_AX[size]), state.read(instruction, 0)
        else:
            first, second = (state.read(instruction, n) for n in ((1, 2) if len(operands) == 3 else (0, 1)))
            if second.type.width < narrow.width:
                second = builder.sext(second, narrow)
        product = builder.mul(extend(first, wide), extend(second, wide))
        low = builder.trunc(product, narrow)
        high = builder.trunc(builder.lshr(product, wide(8 * size)), narrow)
        if len(operands) > 1:
            state.write(instruction, 0, low)
        elif size == 1:
            state.write_register(_AX[2], product)
        else:
            state.write_register(_AX[size], low)
            state.write_register(_DX[size], high)
        overflows = builder.icmp_unsigned("!=", product, extend(low, wide))
        state.put_flag("cf", overflows)
        state.put_flag("of", overflows)

    return operation


def divide(signed: bool) -> Operation:
    """Of a dividend of twice the size. A quotient that does not fit would trap: the code fails."""

    def operation(state: State, instruction: capstone.CsInsn) -> None:
        builder, size = state.builder, instruction.operands[0].size
        if size == 1:
            raise CannotLift("divides a half word")
        divisor, low, high = state.read(instruction, 0), state.read_register(_AX[size]), state.read_register(_DX[size])
        if size == 8:
            quotient, rest, fits = (_divide_words if signed else _divide_two_words)(state, low, high, divisor)
        else:
            wide = ir.IntType(16 * size)
            dividend = builder.or_(builder.shl(builder.zext(high, wide), wide(8 * size)), builder.zext(low, wide))
            quotient, rest, fits = _divide_wide(builder, dividend, divisor, signed)
        with builder.if_then(builder.not_(fits)):
            state.memory.fail(builder)
        state.write_register(_AX[size], quotient)
        state.write_register(_DX[size], rest)

    return operation


def _divide_wide(builder: ir.IRBuilder, dividend: ir.Value, divisor: ir.Value, signed: bool) -> _Division:
    wide, narrow = dividend.type, divisor.type
    extend = builder.sext if signed else builder.zext
    divisor = extend(divisor, wide)
    divides = builder.icmp_unsigned("!=", divisor, wide(0))
    if signed:  # the host would trap if the least number were divided by -1
        divides = builder.and_(divides, builder.icmp_unsigned("!=", dividend, wide(1 << wide.width - 1)))
    divisor = builder.select(divides, divisor, wide(1))
    quotient = (builder.sdiv if signed else builder.udiv)(dividend, divisor)
    rest = (builder.srem if signed else builder.urem)(dividend, divisor)
    fits = builder.icmp_unsigned("==", extend(builder.trunc(quotient, narrow), wide), quotient)
    return builder.trunc(quotient, narrow), builder.trunc(rest, narrow), builder.and_(divides, fits)


def _divide_words(state: State, low: ir.Value, high: ir.Value, divisor: ir.Value) -> _Division:
    """Signed, of a dividend whose upper word is the lower one's sign, as compilers make it."""
    builder = state.builder
    is_least = builder.icmp_unsigned("==", low, I64(1 << 63))
    overflows = builder.and_(is_least, builder.icmp_signed("==", divisor, I64(-1)))
    fits = builder.icmp_unsigned("==", high, builder.ashr(low, I64(63)))
    fits = builder.and_(fits, builder.icmp_unsigned("!=", divisor, I64(0)))
    fits = builder.and_(fits, builder.not_(overflows))
    divisor = builder.select(fits, divisor, I64(1))
    return builder.sdiv(low, divisor), builder.srem(low, divisor), fits


def _divide_two_words(state: State, low: ir.Value, high: ir.Value, divisor: ir.Value) -> _Division:
    builder = state.builder
    fits = builder.icmp_unsigned("<", high, divisor)
    divisor = builder.select(fits, divisor, I64(1))
    with builder.if_else(builder.icmp_unsigned("==", high, I64(0))) as (of_one, of_two):
        with of_one:
            one, one_ends = builder.udiv(low, divisor), builder.block
        with of_two:
            two, two_ends = state.memory.helper(builder, "divide", high, low, divisor), builder.block
    quotient = builder.phi(I64)
    quotient.add_incoming(one, one_ends)
    quotient.add_incoming(two, two_ends)
    return quotient, builder.sub(low, builder.mul(quotient, divisor)), fits
