# SPDX-License-Identifier: GPL-2.0-only
"""What arithmetic does in lifted x86-64 code."""

from __future__ import annotations

import capstone
import llvmlite.ir as ir
from capstone import x86

from emu.linux.lift.memory import I1
from emu.linux.lift.reasons import CannotLift
from emu.linux.lift.x86_64_state import Operation, State, check_lock

__all__ = ["add", "complement", "divide", "logic", "multiply", "negate", "rotate", "shift", "shift_pair", "step", "subtract"]


def _same_width(state: State, instruction: capstone.CsInsn) -> tuple[ir.Value, ir.Value]:
    first, second = state.read(instruction, 0), state.read(instruction, 1)
    if second.type.width < first.type.width:  # an immediate operand
        second = state.builder.sext(second, first.type)
    return first, second


def _put_subtraction_flags(state: State, first: ir.Value, second: ir.Value, result: ir.Value) -> None:
    builder = state.builder
    changed = builder.and_(builder.xor(first, second), builder.xor(first, result))
    state.put_flag("of", builder.icmp_signed("<", changed, changed.type(0)))
    state.put_result_flags(result)


def add(state: State, instruction: capstone.CsInsn, with_carry: bool = False) -> None:
    check_lock(instruction)
    first, second = _same_width(state, instruction)
    builder = state.builder
    result = builder.add(first, second)
    carry = builder.icmp_unsigned("<", result, first)
    if with_carry:
        more = builder.zext(state.flag("cf"), first.type)
        result = builder.add(result, more)
        carry = builder.or_(carry, builder.icmp_unsigned("<", result, more))
    changed = builder.and_(builder.xor(first, result), builder.xor(second, result))
    state.put_flag("cf", carry)
    state.put_flag("of", builder.icmp_signed("<", changed, changed.type(0)))
    state.put_result_flags(result)
    state.write(instruction, 0, result)


def subtract(state: State, instruction: capstone.CsInsn, with_carry: bool = False, stores: bool = True) -> None:
    check_lock(instruction)
    first, second = _same_width(state, instruction)
    builder = state.builder
    result, borrow = builder.sub(first, second), builder.icmp_unsigned("<", first, second)
    if with_carry:
        more = builder.zext(state.flag("cf"), first.type)
        borrow = builder.or_(borrow, builder.icmp_unsigned("<", result, more))
        result = builder.sub(result, more)
    state.put_flag("cf", borrow)
    _put_subtraction_flags(state, first, second, result)
    if stores:
        state.write(instruction, 0, result)


def step(state: State, instruction: capstone.CsInsn, by: int) -> None:
    check_lock(instruction)
    first = state.read(instruction, 0)
    result = state.builder.add(first, first.type(by))
    extreme = (1 << first.type.width - 1) - (by > 0)  # what steps over the sign
    state.put_flag("of", state.builder.icmp_unsigned("==", first, first.type(extreme)))
    state.put_result_flags(result)
    state.write(instruction, 0, result)


def negate(state: State, instruction: capstone.CsInsn) -> None:
    first = state.read(instruction, 0)
    result = state.builder.neg(first)
    state.put_flag("cf", state.builder.icmp_unsigned("!=", first, first.type(0)))
    _put_subtraction_flags(state, first.type(0), first, result)
    state.write(instruction, 0, result)


def complement(state: State, instruction: capstone.CsInsn) -> None:
    state.write(instruction, 0, state.builder.not_(state.read(instruction, 0)))


def logic(combine: str, stores: bool = True) -> Operation:
    def operation(state: State, instruction: capstone.CsInsn) -> None:
        check_lock(instruction)
        result = getattr(state.builder, combine)(*_same_width(state, instruction))
        state.put_flag("cf", I1(0))
        state.put_flag("of", I1(0))
        state.put_result_flags(result)
        if stores:
            state.write(instruction, 0, result)

    return operation


def _count(state: State, instruction: capstone.CsInsn, width: int) -> ir.Value:
    """By how much a shift shifts, as a number of `width` bits."""
    kind, most = ir.IntType(width), 63 if instruction.operands[0].size == 8 else 31
    if len(instruction.operands) < 2:
        return kind(1)
    count = state.read(instruction, len(instruction.operands) - 1)
    if count.type.width < width:
        count = state.builder.zext(count, kind)
    elif count.type.width > width:
        count = state.builder.trunc(count, kind)
    return state.builder.and_(count, kind(most))


def shift(combine: str) -> Operation:
    """`shl`, `shr` and `sar`. A count of 0 leaves the flags. Of the overflow flag, only what no code looks at is left out."""

    def operation(state: State, instruction: capstone.CsInsn) -> None:
        builder, first = state.builder, state.read(instruction, 0)
        width = first.type.width
        wide = ir.IntType(max(width, 32))
        value = first if width >= 32 else builder.sext(first, wide) if combine == "ashr" else builder.zext(first, wide)
        count = _count(state, instruction, wide.width)
        result = getattr(builder, combine)(value, count)
        before = getattr(builder, combine)(value, builder.and_(builder.sub(count, wide(1)), wide(wide.width - 1)))
        carry = builder.lshr(before, wide(width - 1)) if combine == "shl" else before
        if width < 32:
            result = builder.trunc(result, first.type)
        is_none = builder.icmp_unsigned("==", count, wide(0))
        old = {name: state.flag(name) for name in ("cf", "zf", "sf", "of", "pf")}
        state.put_result_flags(result)
        state.put_flag("cf", builder.trunc(carry, I1))
        state.put_flag("of", builder.icmp_signed("<", builder.xor(first, result), first.type(0)))
        for name, value in old.items():
            state.put_flag(name, builder.select(is_none, value, state.flag(name)))
        state.write(instruction, 0, result)

    return operation


def rotate(to_left: bool) -> Operation:
    def operation(state: State, instruction: capstone.CsInsn) -> None:
        builder, value = state.builder, state.read(instruction, 0)
        name = f"llvm.{'fshl' if to_left else 'fshr'}.i{value.type.width}"
        kind = ir.FunctionType(value.type, [value.type] * 3)
        function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        state.write(instruction, 0, builder.call(function, [value, value, _count(state, instruction, value.type.width)]))

    return operation


def shift_pair(to_left: bool) -> Operation:
    """`shld` and `shrd`. Their flags are not lifted: compilers do not use them."""

    def operation(state: State, instruction: capstone.CsInsn) -> None:
        builder, value, other = state.builder, state.read(instruction, 0), state.read(instruction, 1)
        name = f"llvm.{'fshl' if to_left else 'fshr'}.i{value.type.width}"
        kind = ir.FunctionType(value.type, [value.type] * 3)
        function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        pair = (value, other) if to_left else (other, value)
        state.write(instruction, 0, builder.call(function, [*pair, _count(state, instruction, value.type.width)]))

    return operation


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
        wide, narrow = ir.IntType(16 * size), ir.IntType(8 * size)
        extend = builder.sext if signed else builder.zext
        divisor = extend(state.read(instruction, 0), wide)
        upper = builder.shl(builder.zext(state.read_register(_DX[size]), wide), wide(8 * size))
        dividend = builder.or_(upper, builder.zext(state.read_register(_AX[size]), wide))
        is_zero = builder.icmp_unsigned("==", divisor, wide(0))
        with builder.if_then(is_zero):
            state.memory.fail(builder)
        divisor = builder.select(is_zero, wide(1), divisor)
        quotient = (builder.sdiv if signed else builder.udiv)(dividend, divisor)
        rest = (builder.srem if signed else builder.urem)(dividend, divisor)
        state.write_register(_AX[size], builder.trunc(quotient, narrow))
        state.write_register(_DX[size], builder.trunc(rest, narrow))

    return operation
