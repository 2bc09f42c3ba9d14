# SPDX-License-Identifier: GPL-2.0-only
"""The values that instructions write to general registers, if they can be calculated in a few steps."""

from __future__ import annotations

import capstone
from capstone import x86

from emu.cpu.arch.x86_64.register_names import FLAGS, NUMBERS, VECTORS
from emu.cpu.timing.instructions import Results
from emu.cpu.timing.steps import Step, Steps

__all__ = ["results_of"]

_TWO = {
    "add": Step.ADD, "sub": Step.SUBTRACT, "and": Step.AND, "or": Step.OR, "xor": Step.XOR, "imul": Step.MULTIPLY,
}  # fmt: skip
_SHIFTS = {"shl": Step.SHIFT_LEFT, "sal": Step.SHIFT_LEFT, "shr": Step.SHIFT_RIGHT, "sar": Step.SHIFT_SIGNED}
_EXTENDS = frozenset(("movzx", "movsx", "movsxd"))
_ACCUMULATOR, _DATA = 0, 2  # dividend and remainder
_HIGH = frozenset(("ah", "bh", "ch", "dh"))


def results_of(mnemonic: str, insn: capstone.CsInsn) -> Results:
    """The known results of an instruction; partial registers are never known."""
    if mnemonic == "cdqe":
        return ((_ACCUMULATOR, ((Step.REGISTER, _ACCUMULATOR), (Step.SIGN_EXTEND, 4))),)
    operands = [_operand(insn, operand) for operand in insn.operands]
    if not operands or None in operands:
        return ()
    known: list[Steps] = [steps for steps in operands if steps is not None]
    size = insn.operands[0].size
    if mnemonic == "div" and size >= 4:
        divided, divisor = _divided(size), _cut(known[0], size)
        return tuple(
            (register, _cut((*divided, *divisor, (step, 0)), size))
            for register, step in ((_ACCUMULATOR, Step.DIVIDE), (_DATA, Step.REMAINDER))
        )
    written = _register(insn, insn.operands[0])
    if written is None or size < 4:
        return ()
    steps = _steps(mnemonic, known, insn)
    return () if steps is None else ((written, _cut(steps, size)),)


def _steps(mnemonic: str, operands: list[Steps], insn: capstone.CsInsn) -> Steps | None:
    """The value written to the first operand; bytes beyond the operand's size may be wrong."""
    size, last = insn.operands[0].size, operands[-1]
    if mnemonic in ("mov", "movabs") and len(operands) == 2:
        return last
    if mnemonic in _EXTENDS:
        size = insn.operands[1].size
        return _cut(last, size) if mnemonic == "movzx" else (*last, (Step.SIGN_EXTEND, size))
    if mnemonic in _TWO and len(operands) >= 2:
        return *operands[-2], *last, (_TWO[mnemonic], 0)
    if mnemonic in _SHIFTS and len(operands) == 2 and insn.operands[1].type == x86.X86_OP_IMM:
        whole = (Step.SIGN_EXTEND if mnemonic == "sar" else Step.ZERO_EXTEND, size)
        extended: Steps = operands[0] if size == 8 else (*operands[0], whole)
        return *extended, (_SHIFTS[mnemonic], insn.operands[1].imm & (size * 8 - 1))
    if mnemonic == "pop":
        return ((Step.OPERAND, size),)
    if mnemonic == "neg":
        return (Step.CONSTANT, 0), *operands[0], (Step.SUBTRACT, 0)
    if mnemonic == "not":
        return *operands[0], (Step.CONSTANT, -1), (Step.XOR, 0)
    if mnemonic in ("inc", "dec"):
        return *operands[0], (Step.CONSTANT, 1), (Step.ADD if mnemonic == "inc" else Step.SUBTRACT, 0)
    return None


def _divided(size: int) -> Steps:
    """The dividend of a division. The upper half of 128 bits is assumed to be 0."""
    low = _cut(((Step.REGISTER, _ACCUMULATOR),), size)
    return low if size == 8 else ((Step.REGISTER, _DATA), (Step.SHIFT_LEFT, 32), *low, (Step.OR, 0))


def _cut(steps: Steps, size: int) -> Steps:
    """The low bytes of a value."""
    return steps if size == 8 or steps[-1] == (Step.OPERAND, size) else (*steps, (Step.ZERO_EXTEND, size))


def _register(insn: capstone.CsInsn, operand: x86.X86Op) -> int | None:
    """The number of a general register, if the operand is one and not the second byte of one."""
    if operand.type != x86.X86_OP_REG:
        return None
    name = insn.reg_name(operand.reg)
    number = VECTORS if name in _HIGH else NUMBERS.get(name, VECTORS)
    return number if number < FLAGS else None


def _operand(insn: capstone.CsInsn, operand: x86.X86Op) -> Steps | None:
    """The value of an operand, which may have more bytes than the operand."""
    if operand.type == x86.X86_OP_IMM:
        return ((Step.CONSTANT, operand.imm),)
    if operand.type == x86.X86_OP_REG:
        number = _register(insn, operand)
        return None if number is None else ((Step.REGISTER, number),)
    memory = operand.mem
    if insn.mnemonic != "lea":
        return ((Step.OPERAND, operand.size),)
    base, index = (NUMBERS.get(insn.reg_name(register) or "", VECTORS) for register in (memory.base, memory.index))
    if (memory.base and base >= FLAGS) or (memory.index and index >= FLAGS):
        return None
    steps: Steps = ((Step.CONSTANT, memory.disp),)
    if memory.base:
        steps += (Step.REGISTER, base), (Step.ADD, 0)
    if memory.index:
        steps += (Step.REGISTER, index), (Step.SHIFT_LEFT, memory.scale.bit_length() - 1), (Step.ADD, 0)
    return steps
