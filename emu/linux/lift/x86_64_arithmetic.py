# SPDX-License-Identifier: GPL-2.0-only
"""What arithmetic does in lifted x86-64 code."""

from __future__ import annotations

import capstone
import llvmlite.ir as ir

from emu.linux.lift.memory import I1
from emu.linux.lift.x86_64_state import Operation, State, check_lock

__all__ = ["add", "complement", "logic", "negate", "rotate", "shift", "shift_pair", "step", "subtract"]


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
        count = _count(state, instruction, value.type.width)
        result = builder.call(function, [value, value, count])
        top = builder.icmp_signed("<", result, value.type(0))
        carry = builder.trunc(result, I1) if to_left else top
        second = builder.icmp_signed("<", builder.shl(result, value.type(1)), value.type(0))
        is_none = builder.icmp_unsigned("==", count, value.type(0))
        overflow = builder.xor(top, builder.trunc(result, I1) if to_left else second)
        for name, flag in (("cf", carry), ("of", overflow)):
            state.put_flag(name, builder.select(is_none, state.flag(name), flag))
        state.write(instruction, 0, result)

    return operation


def shift_pair(to_left: bool) -> Operation:
    """`shld` and `shrd`. A count of 0 leaves the flags."""

    def operation(state: State, instruction: capstone.CsInsn) -> None:
        builder, value, other = state.builder, state.read(instruction, 0), state.read(instruction, 1)
        name = f"llvm.{'fshl' if to_left else 'fshr'}.i{value.type.width}"
        kind = ir.FunctionType(value.type, [value.type] * 3)
        function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        pair = (value, other) if to_left else (other, value)
        count = _count(state, instruction, value.type.width)
        is_whole = builder.icmp_unsigned("==", count, count.type(value.type.width))  # possible only for half words
        result = builder.select(is_whole, other, builder.call(function, [*pair, count]))
        before = builder.call(function, [*pair, builder.sub(count, kind.return_type(1))])
        carry = builder.icmp_signed("<", before, value.type(0)) if to_left else builder.trunc(before, I1)
        overflow = builder.icmp_signed("<", builder.xor(value, result), value.type(0))
        is_none = builder.icmp_unsigned("==", count, value.type(0))
        old = {name: state.flag(name) for name in ("cf", "zf", "sf", "of", "pf")}
        state.put_result_flags(result)
        state.put_flag("cf", carry)
        state.put_flag("of", overflow)
        for name, flag in old.items():
            state.put_flag(name, builder.select(is_none, flag, state.flag(name)))
        state.write(instruction, 0, result)

    return operation
