# SPDX-License-Identifier: GPL-2.0-only
"""What the instructions of lifted x86-64 code do, by their mnemonics (manual volume 2), except for jumps, calls and returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import capstone
import llvmlite.ir as ir
from capstone import x86

from emu.linux.lift.memory import I1, I64
from emu.linux.lift.reasons import CannotLift
from emu.linux.lift.x86_64_state import State, register_of

__all__ = ["IGNORED", "OPERATIONS", "condition", "execute"]

Operation: TypeAlias = Callable[[State, capstone.CsInsn], None]
_Division: TypeAlias = tuple[ir.Value, ir.Value, ir.Value]
"""A quotient, a rest, and whether the quotient fits."""

IGNORED = frozenset(
    ["nop", "endbr64", "lfence", "mfence", "sfence", "pause", "prefetcht0", "prefetchnta", "prefetchw", "stac", "clac", "cli", "sti", "int3"]
)
"""Instructions that change nothing that lifted code sees. Interrupts do not come while it runs."""
_INTERRUPTS_ON = 0x202  # what `pushf` pushes: nothing that lifted code lifts looks at it, but to put it back

_CONDITIONS: Mapping[str, tuple[str, bool]] = {
    "o": ("o", True), "no": ("o", False), "b": ("b", True), "ae": ("b", False), "e": ("e", True), "ne": ("e", False),
    "be": ("be", True), "a": ("be", False), "s": ("s", True), "ns": ("s", False), "p": ("p", True), "np": ("p", False),
    "l": ("l", True), "ge": ("l", False), "le": ("le", True), "g": ("le", False),
}  # fmt: skip


def condition(state: State, name: str) -> ir.Value:
    """Whether the condition of `jne`, `cmovne` and `setne` is true. `name`: "ne"."""
    base, wanted = _CONDITIONS[name]
    builder = state.builder
    if base in ("l", "le"):
        found = builder.xor(state.flag("sf"), state.flag("of"))
    else:
        found = state.flag({"o": "of", "b": "cf", "e": "zf", "be": "cf", "s": "sf", "p": "pf"}[base])
    if base in ("be", "le"):
        found = builder.or_(found, state.flag("zf"))
    return found if wanted else builder.not_(found)


def execute(state: State, instruction: capstone.CsInsn) -> None:
    """Emits what an instruction does.

    Raises:
        CannotLift: lifted code cannot do it.
    """
    name: str = instruction.mnemonic
    if name in IGNORED or name.startswith("nop"):
        return
    if name.startswith("cmov"):
        _move_if(state, instruction)
    elif name.startswith("set"):
        state.write(instruction, 0, state.builder.zext(condition(state, name[3:]), ir.IntType(8)))
    elif name in OPERATIONS:
        OPERATIONS[name](state, instruction)
    else:
        raise CannotLift(f"has the instruction {name}")


# Moves


def _move(state: State, instruction: capstone.CsInsn) -> None:
    state.write(instruction, 0, state.read(instruction, 1))


def _extend(state: State, instruction: capstone.CsInsn, signed: bool) -> None:
    value, kind = state.read(instruction, 1), ir.IntType(8 * instruction.operands[0].size)
    if value.type.width < kind.width:
        value = state.builder.sext(value, kind) if signed else state.builder.zext(value, kind)
    state.write(instruction, 0, value)


def _load_address(state: State, instruction: capstone.CsInsn) -> None:
    found = state.address(instruction, instruction.operands[1])
    size = instruction.operands[0].size
    state.write(instruction, 0, found if size == 8 else state.builder.trunc(found, ir.IntType(8 * size)))


def _move_if(state: State, instruction: capstone.CsInsn) -> None:
    chosen = condition(state, instruction.mnemonic[4:])
    state.write(instruction, 0, state.builder.select(chosen, state.read(instruction, 1), state.read(instruction, 0)))


def _exchange(state: State, instruction: capstone.CsInsn) -> None:
    if any(operand.type != x86.X86_OP_REG for operand in instruction.operands):
        raise CannotLift("exchanges memory atomically")
    first, second = state.read(instruction, 0), state.read(instruction, 1)
    state.write(instruction, 0, second)
    state.write(instruction, 1, first)


def _push(state: State, instruction: capstone.CsInsn) -> None:
    value = state.read(instruction, 0)
    state.push(value if value.type.width == 64 else state.builder.sext(value, I64))


def _pop(state: State, instruction: capstone.CsInsn) -> None:
    state.write(instruction, 0, state.pop())


def _leave(state: State, instruction: capstone.CsInsn) -> None:
    state.put(register_of("sp"), state.get(register_of("bp")))
    state.put(register_of("bp"), state.pop())


def _sign_of(low: str, high: str, size: int) -> Operation:
    """`cqo` and its like: the sign of one register fills another."""

    def operation(state: State, instruction: capstone.CsInsn) -> None:
        number, other = (getattr(x86, f"X86_REG_{name}") for name in (low, high))
        value = state.read_register(number)
        state.write_register(other, state.builder.ashr(value, value.type(8 * size - 1)))

    return operation


def _widen(narrow: str, wide: str) -> Operation:
    """`cdqe` and its like."""

    def operation(state: State, instruction: capstone.CsInsn) -> None:
        value = state.read_register(getattr(x86, f"X86_REG_{narrow}"))
        state.write_register(getattr(x86, f"X86_REG_{wide}"), state.builder.sext(value, ir.IntType(2 * value.type.width)))

    return operation


# Arithmetic


def _same_width(state: State, instruction: capstone.CsInsn) -> tuple[ir.Value, ir.Value]:
    first, second = state.read(instruction, 0), state.read(instruction, 1)
    if second.type.width < first.type.width:  # an immediate operand
        second = state.builder.sext(second, first.type)
    return first, second


def _check_lock(instruction: capstone.CsInsn) -> None:
    if x86.X86_PREFIX_LOCK in instruction.prefix:
        raise CannotLift("changes memory atomically")


def _put_subtraction_flags(state: State, first: ir.Value, second: ir.Value, result: ir.Value) -> None:
    builder = state.builder
    changed = builder.and_(builder.xor(first, second), builder.xor(first, result))
    state.put_flag("of", builder.icmp_signed("<", changed, changed.type(0)))
    state.put_result_flags(result)


def _add(state: State, instruction: capstone.CsInsn, with_carry: bool = False) -> None:
    _check_lock(instruction)
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


def _subtract(state: State, instruction: capstone.CsInsn, with_carry: bool = False, stores: bool = True) -> None:
    _check_lock(instruction)
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


def _step(state: State, instruction: capstone.CsInsn, by: int) -> None:
    _check_lock(instruction)
    first = state.read(instruction, 0)
    result = state.builder.add(first, first.type(by))
    extreme = (1 << first.type.width - 1) - (by > 0)  # what steps over the sign
    state.put_flag("of", state.builder.icmp_unsigned("==", first, first.type(extreme)))
    state.put_result_flags(result)
    state.write(instruction, 0, result)


def _negate(state: State, instruction: capstone.CsInsn) -> None:
    first = state.read(instruction, 0)
    result = state.builder.neg(first)
    state.put_flag("cf", state.builder.icmp_unsigned("!=", first, first.type(0)))
    _put_subtraction_flags(state, first.type(0), first, result)
    state.write(instruction, 0, result)


def _complement(state: State, instruction: capstone.CsInsn) -> None:
    state.write(instruction, 0, state.builder.not_(state.read(instruction, 0)))


def _logic(combine: str, stores: bool = True) -> Operation:
    def operation(state: State, instruction: capstone.CsInsn) -> None:
        _check_lock(instruction)
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


def _shift(combine: str) -> Operation:
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


def _rotate(to_left: bool) -> Operation:
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


def _shift_pair(to_left: bool) -> Operation:
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


_AX = {1: x86.X86_REG_AL, 2: x86.X86_REG_AX, 4: x86.X86_REG_EAX, 8: x86.X86_REG_RAX}
_DX = {2: x86.X86_REG_DX, 4: x86.X86_REG_EDX, 8: x86.X86_REG_RDX}


def _multiply(signed: bool) -> Operation:
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


def _divide(signed: bool) -> Operation:
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


# Bits


def _bit(change: str) -> Operation:
    """`bt` and its like. A bit number in a register reaches beyond an operand in memory."""

    def operation(state: State, instruction: capstone.CsInsn) -> None:
        _check_lock(instruction)
        builder, first, second = state.builder, instruction.operands[0], state.read(instruction, 1)
        is_string = first.type == x86.X86_OP_MEM and instruction.operands[1].type == x86.X86_OP_REG
        if is_string:
            if change:
                raise CannotLift("changes a bit of memory")
            number = builder.sext(second, I64) if second.type.width < 64 else second
            byte = builder.add(state.address(instruction, first), builder.ashr(number, I64(3)))
            value = state.memory.load(builder, byte, 1)
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


def _scan(from_top: bool, counts: bool) -> Operation:
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


def _count_ones(state: State, instruction: capstone.CsInsn) -> None:
    builder, value = state.builder, state.read(instruction, 1)
    found = builder.call(builder.module.declare_intrinsic("llvm.ctpop", [value.type]), [value])
    for name in ("cf", "sf", "of", "pf"):
        state.put_flag(name, I1(0))
    state.put_flag("zf", builder.icmp_unsigned("==", value, value.type(0)))
    state.write(instruction, 0, found)


def _swap_bytes(state: State, instruction: capstone.CsInsn) -> None:
    value = state.read(instruction, 0)
    state.write(instruction, 0, state.builder.call(state.builder.module.declare_intrinsic("llvm.bswap", [value.type]), [value]))


# Flags and strings


def _push_flags(state: State, instruction: capstone.CsInsn) -> None:
    state.push(I64(_INTERRUPTS_ON))


def _pop_flags(state: State, instruction: capstone.CsInsn) -> None:
    state.pop()


def _store_string(size: int) -> Operation:
    """`rep stosq` and its like. The direction is always upward, as the ABI says."""

    def operation(state: State, instruction: capstone.CsInsn) -> None:
        def body() -> None:
            destination = state.get(register_of("di"))
            value = state.get(register_of("ax"))
            state.memory.store(state.builder, destination, value if size == 8 else state.builder.trunc(value, ir.IntType(8 * size)))
            state.put(register_of("di"), state.builder.add(destination, I64(size)))

        _repeat(state, instruction, body)

    return operation


def _move_string(size: int) -> Operation:
    """`rep movsq` and its like."""

    def operation(state: State, instruction: capstone.CsInsn) -> None:
        if any(operand.type != x86.X86_OP_MEM for operand in instruction.operands):
            raise CannotLift(f"has the instruction {instruction.mnemonic} of SSE")

        def body() -> None:
            source, destination = state.get(register_of("si")), state.get(register_of("di"))
            state.memory.store(state.builder, destination, state.memory.load(state.builder, source, size))
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


OPERATIONS: Mapping[str, Operation] = {
    "mov": _move, "movabs": _move, "lea": _load_address, "xchg": _exchange, "push": _push, "pop": _pop, "leave": _leave,
    "movzx": lambda state, one: _extend(state, one, signed=False),
    "movsx": lambda state, one: _extend(state, one, signed=True),
    "movsxd": lambda state, one: _extend(state, one, signed=True),
    "cbw": _widen("AL", "AX"), "cwde": _widen("AX", "EAX"), "cdqe": _widen("EAX", "RAX"),
    "cwd": _sign_of("AX", "DX", 2), "cdq": _sign_of("EAX", "EDX", 4), "cqo": _sign_of("RAX", "RDX", 8),
    "add": _add, "adc": lambda state, one: _add(state, one, with_carry=True),
    "sub": _subtract, "sbb": lambda state, one: _subtract(state, one, with_carry=True),
    "cmp": lambda state, one: _subtract(state, one, stores=False),
    "inc": lambda state, one: _step(state, one, 1), "dec": lambda state, one: _step(state, one, -1),
    "neg": _negate, "not": _complement,
    "and": _logic("and_"), "or": _logic("or_"), "xor": _logic("xor"), "test": _logic("and_", stores=False),
    "shl": _shift("shl"), "sal": _shift("shl"), "shr": _shift("lshr"), "sar": _shift("ashr"),
    "rol": _rotate(True), "ror": _rotate(False), "shld": _shift_pair(True), "shrd": _shift_pair(False),
    "mul": _multiply(False), "imul": _multiply(True), "div": _divide(False), "idiv": _divide(True),
    "bt": _bit(""), "bts": _bit("set"), "btr": _bit("clear"), "btc": _bit("turn"),
    "bsf": _scan(False, False), "bsr": _scan(True, False), "tzcnt": _scan(False, True), "lzcnt": _scan(True, True),
    "popcnt": _count_ones, "bswap": _swap_bytes, "pushfq": _push_flags, "popfq": _pop_flags,
    **{f"{rep}stos{letter}": _store_string(size) for rep in ("", "rep ") for letter, size in zip("bwdq", (1, 2, 4, 8), strict=True)},
    **{f"{rep}movs{letter}": _move_string(size) for rep in ("", "rep ") for letter, size in zip("bwdq", (1, 2, 4, 8), strict=True)},
}  # fmt: skip
