# SPDX-License-Identifier: GPL-2.0-only
"""What moves data does in lifted x86-64 code: moves, the stack, flags as a word, strings."""

from __future__ import annotations

from collections.abc import Callable

import capstone
import llvmlite.ir as ir
from capstone import x86

from emu.linux.lift.memory import I64
from emu.linux.lift.reasons import CannotLift
from emu.linux.lift.x86_64_state import Operation, State, register_of

__all__ = [
    "exchange", "extend", "leave", "load_address", "move", "move_string", "pop", "pop_flags", "push", "push_flags", "sign_of",
    "store_string", "widen",
]  # fmt: skip

_INTERRUPTS_ON = 0x202  # what `pushf` pushes: no lifted code looks at it, but to put it back


def move(state: State, instruction: capstone.CsInsn) -> None:
    state.write(instruction, 0, state.read(instruction, 1))


def extend(state: State, instruction: capstone.CsInsn, signed: bool) -> None:
    value, kind = state.read(instruction, 1), ir.IntType(8 * instruction.operands[0].size)
    if value.type.width < kind.width:
        value = state.builder.sext(value, kind) if signed else state.builder.zext(value, kind)
    state.write(instruction, 0, value)


def load_address(state: State, instruction: capstone.CsInsn) -> None:
    found = state.address(instruction, instruction.operands[1])
    size = instruction.operands[0].size
    state.write(instruction, 0, found if size == 8 else state.builder.trunc(found, ir.IntType(8 * size)))


def exchange(state: State, instruction: capstone.CsInsn) -> None:
    if any(operand.type != x86.X86_OP_REG for operand in instruction.operands):
        raise CannotLift("exchanges memory atomically")
    first, second = state.read(instruction, 0), state.read(instruction, 1)
    state.write(instruction, 0, second)
    state.write(instruction, 1, first)


def push(state: State, instruction: capstone.CsInsn) -> None:
    value = state.read(instruction, 0)
    state.push(value if value.type.width == 64 else state.builder.sext(value, I64))


def pop(state: State, instruction: capstone.CsInsn) -> None:
    state.write(instruction, 0, state.pop())


def leave(state: State, instruction: capstone.CsInsn) -> None:
    state.put(register_of("sp"), state.get(register_of("bp")))
    state.put(register_of("bp"), state.pop())


def sign_of(low: str, high: str, size: int) -> Operation:
    """`cqo` and its like: the sign of one register fills another."""

    def operation(state: State, instruction: capstone.CsInsn) -> None:
        number, other = (getattr(x86, f"X86_REG_{name}") for name in (low, high))
        value = state.read_register(number)
        state.write_register(other, state.builder.ashr(value, value.type(8 * size - 1)))

    return operation


def widen(narrow: str, wide: str) -> Operation:
    """`cdqe` and its like."""

    def operation(state: State, instruction: capstone.CsInsn) -> None:
        value = state.read_register(getattr(x86, f"X86_REG_{narrow}"))
        state.write_register(getattr(x86, f"X86_REG_{wide}"), state.builder.sext(value, ir.IntType(2 * value.type.width)))

    return operation


def push_flags(state: State, instruction: capstone.CsInsn) -> None:
    state.push(I64(_INTERRUPTS_ON))


def pop_flags(state: State, instruction: capstone.CsInsn) -> None:
    state.pop()


def store_string(size: int) -> Operation:
    """`rep stosq` and its like. The direction is always upward, as the ABI says."""

    def operation(state: State, instruction: capstone.CsInsn) -> None:
        def body() -> None:
            destination, value = state.get(register_of("di")), state.get(register_of("ax"))
            if size < 8:
                value = state.builder.trunc(value, ir.IntType(8 * size))
            state.store(destination, value)
            state.put(register_of("di"), state.builder.add(destination, I64(size)))

        _repeat(state, instruction, body)

    return operation


def move_string(size: int) -> Operation:
    """`rep movsq` and its like."""

    def operation(state: State, instruction: capstone.CsInsn) -> None:
        if any(operand.type != x86.X86_OP_MEM for operand in instruction.operands):
            raise CannotLift(f"has the instruction {instruction.mnemonic} of SSE")

        def body() -> None:
            source, destination = state.get(register_of("si")), state.get(register_of("di"))
            state.store(destination, state.load(source, size))
            state.put(register_of("si"), state.builder.add(source, I64(size)))
            state.put(register_of("di"), state.builder.add(destination, I64(size)))

        _repeat(state, instruction, body)

    return operation


def _repeat(state: State, instruction: capstone.CsInsn, body: Callable[[], None]) -> None:
    if x86.X86_PREFIX_REP not in instruction.prefix:
        body()
        return
    builder, count = state.builder, register_of("cx")
    head, inner, after = (builder.append_basic_block(name) for name in ("repeat", "once", "repeated"))
    builder.branch(head)
    builder.position_at_end(head)
    goes_on = builder.icmp_unsigned("!=", state.get(count), I64(0))
    goes_on = builder.and_(goes_on, builder.not_(state.memory.failed(builder)))
    builder.cbranch(goes_on, inner, after)
    builder.position_at_end(inner)
    body()
    state.put(count, builder.sub(state.get(count), I64(1)))
    builder.branch(head)
    builder.position_at_end(after)
