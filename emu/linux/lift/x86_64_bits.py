# SPDX-License-Identifier: GPL-2.0-only
"""What instructions for bits and bytes do in lifted x86-64 code."""

from __future__ import annotations

import capstone
import llvmlite.ir as ir
from capstone import x86

from emu.linux.lift.memory import I1, I64
from emu.linux.lift.reasons import CannotLift
from emu.linux.lift.x86_64_state import Operation, State, check_lock

__all__ = ["bit", "count_ones", "scan", "swap_bytes"]


def bit(change: str) -> Operation:
    """`bt` and its like. A bit number in a register reaches beyond an operand in memory."""

    def operation(state: State, instruction: capstone.CsInsn) -> None:
        check_lock(instruction)
        builder, first, second = state.builder, instruction.operands[0], state.read(instruction, 1)
        is_string = first.type == x86.X86_OP_MEM and instruction.operands[1].type == x86.X86_OP_REG
        if is_string:
            if change:
                raise CannotLift("changes a bit of memory")
            number = builder.sext(second, I64) if second.type.width < 64 else second
            byte = builder.add(state.address(instruction, first), builder.ashr(number, I64(3)))
            value = state.load(byte, 1)
            number = builder.trunc(builder.and_(number, I64(7)), value.type)
        else:
            value = state.read(instruction, 0)
            number = builder.zext(second, value.type) if second.type.width < value.type.width else second
            number = builder.and_(number, value.type(value.type.width - 1))
        state.put_flag("cf", builder.trunc(builder.lshr(value, number), I1))
        mask = builder.shl(value.type(1), number)
        if change == "set":
            state.write(instruction, 0, builder.or_(value, mask))
        elif change == "clear":
            state.write(instruction, 0, builder.and_(value, builder.not_(mask)))
        elif change == "turn":
            state.write(instruction, 0, builder.xor(value, mask))

    return operation


def scan(from_top: bool, counts: bool) -> Operation:
    """`bsf` and `bsr`, which leave their destination if there is no bit; `tzcnt` and `lzcnt` then count all bits."""

    def operation(state: State, instruction: capstone.CsInsn) -> None:
        builder, value = state.builder, state.read(instruction, 1)
        name = "llvm.ctlz" if from_top else "llvm.cttz"
        function = builder.module.declare_intrinsic(name, [value.type], ir.FunctionType(value.type, [value.type, I1]))
        found = builder.call(function, [value, I1(0)])
        is_zero = builder.icmp_unsigned("==", value, value.type(0))
        if counts:
            state.put_flag("cf", is_zero)
            state.put_flag("zf", builder.icmp_unsigned("==", found, value.type(0)))
        else:
            if from_top:
                found = builder.sub(value.type(value.type.width - 1), found)
            found = builder.select(is_zero, state.read(instruction, 0), found)
            state.put_flag("zf", is_zero)
        state.write(instruction, 0, found)

    return operation


def count_ones(state: State, instruction: capstone.CsInsn) -> None:
    builder, value = state.builder, state.read(instruction, 1)
    found = builder.call(builder.module.declare_intrinsic("llvm.ctpop", [value.type]), [value])
    for name in ("cf", "sf", "of", "pf"):
        state.put_flag(name, I1(0))
    state.put_flag("zf", builder.icmp_unsigned("==", value, value.type(0)))
    state.write(instruction, 0, found)


def swap_bytes(state: State, instruction: capstone.CsInsn) -> None:
    value = state.read(instruction, 0)
    state.write(instruction, 0, state.builder.call(state.builder.module.declare_intrinsic("llvm.bswap", [value.type]), [value]))
