# SPDX-License-Identifier: GPL-2.0-only
"""The registers and flags of lifted x86-64 code, and the operands of its instructions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import capstone
import llvmlite.ir as ir
from capstone import x86

from emu.cpu.arch.x86_64.state import GENERAL_REGISTERS
from emu.linux.lift.memory import I1, I64, Memory
from emu.linux.lift.reasons import CannotLift
from emu.native.cache import Untyped

__all__ = ["FLAGS", "Operation", "Registers", "State", "check_lock", "register_of"]

FLAGS = ("cf", "zf", "sf", "of", "pf")
SP = GENERAL_REGISTERS.index("sp")
_LEGACY = ("ax", "cx", "dx", "bx", "sp", "bp", "si", "di")


def _names() -> Mapping[int, tuple[int, int, int]]:
    """Each register's number, its size in bytes, and its lowest bit, by capstone's number."""
    found: dict[str, tuple[int, int, int]] = {}
    for index, name in enumerate(_LEGACY):
        forms = {f"r{name}": (8, 0), f"e{name}": (4, 0), name: (2, 0)}
        forms |= {f"{name[0]}l": (1, 0), f"{name[0]}h": (1, 8)} if index < 4 else {f"{name}l": (1, 0)}
        found |= {form: (index, *rest) for form, rest in forms.items()}
    for index in range(8, 16):
        found |= {f"r{index}{suffix}": (index, size, 0) for suffix, size in (("", 8), ("d", 4), ("w", 2), ("b", 1))}
    return {getattr(x86, f"X86_REG_{name.upper()}"): place for name, place in found.items()}


_PLACES = _names()


def register_of(name: str) -> int:
    """The number of a 64-bit register without its letter r: "ax", "di", "r8"."""
    return GENERAL_REGISTERS.index(name)


@dataclass
class Registers:
    """The variables of one lifted function.

    Attributes:
        general: of each general register.
        flags: of each flag.
        preempt_count: the CPU's count as the code has changed it: the guest's own stays.
    """

    general: list[ir.Value]
    flags: Mapping[str, ir.Value]
    preempt_count: ir.Value


class State:
    """Emits accesses to registers, flags and operands at one place of the code.

    Args:
        builder: emits there.
        registers: the variables.
        memory: the guest's memory.
        gs_base: the address of the CPU's per-CPU area.
        preempt_count: the place of the count in that area.
        stack: of Memory.begin_stack.

    Attributes:
        stores: whether something is stored by an address.
    """

    def __init__(
        self,
        builder: ir.IRBuilder,
        registers: Registers,
        memory: Memory,
        gs_base: ir.Value,
        preempt_count: int,
        stack: ir.Value | None = None,
    ) -> None:
        self.builder, self.registers, self.memory = builder, registers, memory
        self._gs_base, self._preempt_count, self._stack = gs_base, preempt_count, stack
        self.stores = False

    # Registers

    def get(self, index: int) -> ir.Value:
        """A general register, 64 bits."""
        return self.builder.load(self.registers.general[index])

    def put(self, index: int, value: ir.Value) -> None:
        self.builder.store(value, self.registers.general[index])

    def read_register(self, number: int) -> ir.Value:
        """A register by capstone's number, of its own size."""
        index, size, low = self._place(number)
        value = self.get(index)
        if low:
            value = self.builder.lshr(value, I64(low))
        return value if size == 8 else self.builder.trunc(value, ir.IntType(8 * size))

    def write_register(self, number: int, value: ir.Value) -> None:
        """A value of 32 bits clears the upper half; a smaller one leaves the rest."""
        index, size, low = self._place(number)
        if size == 8:
            self.put(index, value)
        elif size == 4:
            self.put(index, self.builder.zext(value, I64))
        else:
            wide = self.builder.shl(self.builder.zext(value, I64), I64(low))
            kept = self.builder.and_(self.get(index), I64(~(((1 << 8 * size) - 1) << low)))
            self.put(index, self.builder.or_(kept, wide))

    @staticmethod
    def _place(number: int) -> tuple[int, int, int]:
        if number not in _PLACES:
            raise CannotLift("uses a register that is not a general one")
        return _PLACES[number]

    # Flags

    def flag(self, name: str) -> ir.Value:
        return self.builder.load(self.registers.flags[name])

    def put_flag(self, name: str, value: ir.Value) -> None:
        self.builder.store(value, self.registers.flags[name])

    def put_result_flags(self, result: ir.Value) -> None:
        """Those that follow from a result alone."""
        builder, zero = self.builder, result.type(0)
        self.put_flag("zf", builder.icmp_unsigned("==", result, zero))
        self.put_flag("sf", builder.icmp_signed("<", result, zero))
        low = builder.trunc(result, ir.IntType(8)) if result.type.width > 8 else result
        ones = builder.call(builder.module.declare_intrinsic("llvm.ctpop", [low.type]), [low])
        self.put_flag("pf", builder.not_(builder.trunc(ones, I1)))

    # Operands

    def read(self, instruction: capstone.CsInsn, n: int) -> ir.Value:
        """Operand `n`."""
        operand = instruction.operands[n]
        kind = ir.IntType(8 * operand.size)
        if operand.type == x86.X86_OP_REG:
            return self.read_register(operand.reg)
        if operand.type == x86.X86_OP_IMM:
            return kind(operand.imm & (1 << 8 * operand.size) - 1)
        return self._read_memory(instruction, operand)

    def write(self, instruction: capstone.CsInsn, n: int, value: ir.Value) -> None:
        operand = instruction.operands[n]
        if operand.type == x86.X86_OP_REG:
            self.write_register(operand.reg, value)
        else:
            self._write_memory(instruction, operand, value)

    def address(self, instruction: capstone.CsInsn, operand: Untyped) -> ir.Value:
        """The address of an operand in memory."""
        memory, builder = operand.mem, self.builder
        if instruction.addr_size != 8:
            raise CannotLift("has addresses of 32 bits")
        parts: list[ir.Value] = []
        offset = memory.disp
        if memory.base == x86.X86_REG_RIP:
            offset += instruction.address + instruction.size
        elif memory.base:
            parts.append(self.read_register(memory.base))
        if memory.index:
            parts.append(builder.mul(self.read_register(memory.index), I64(memory.scale)))
        if memory.segment in (x86.X86_REG_GS, x86.X86_REG_FS):
            parts.append(self._gs_base)
        if not parts:
            return I64(offset & (1 << 64) - 1)
        found = parts[0]
        for part in parts[1:]:
            found = builder.add(found, part)
        return builder.add(found, I64(offset)) if offset else found

    def _read_memory(self, instruction: capstone.CsInsn, operand: Untyped) -> ir.Value:
        found = self.load(self.address(instruction, operand), operand.size)
        if (is_count := self._is_preempt_count(instruction, operand)) is not None:
            return self.builder.select(is_count, self.builder.load(self.registers.preempt_count), found)
        return found

    def _write_memory(self, instruction: capstone.CsInsn, operand: Untyped, value: ir.Value) -> None:
        if (is_count := self._is_preempt_count(instruction, operand)) is not None:
            with self.builder.if_else(is_count) as (counts, other):
                with counts:
                    self.builder.store(value, self.registers.preempt_count)
                with other:
                    self.memory.fail(self.builder)
        elif (not operand.mem.base and not operand.mem.index) or operand.mem.base == x86.X86_REG_RIP or operand.mem.segment:
            raise CannotLift("writes to a variable of the kernel")
        else:
            self.store(self.address(instruction, operand), value)

    def _is_preempt_count(self, instruction: capstone.CsInsn, operand: Untyped) -> ir.Value | None:
        """Whether an operand is the CPU's preemption count; None if it cannot be. Its address may be in a register."""
        memory = operand.mem
        if memory.segment != x86.X86_REG_GS or memory.index or operand.size != 4:
            return None
        if memory.base in (0, x86.X86_REG_RIP):
            base = instruction.address + instruction.size if memory.base else 0
            return I1(1) if (base + memory.disp) & (1 << 64) - 1 == self._preempt_count else None
        place = self.builder.add(self.read_register(memory.base), I64(memory.disp))
        return self.builder.icmp_unsigned("==", place, I64(self._preempt_count))

    # Memory

    def load(self, address: ir.Value, size: int) -> ir.Value:
        """The number of `size` bytes at an address."""
        return self.memory.load(self.builder, address, size, self._stack)

    def store(self, address: ir.Value, value: ir.Value) -> None:
        """Stores a number."""
        self.stores = True
        self.memory.store(self.builder, address, value, self._stack)

    def push(self, value: ir.Value) -> None:
        """Pushes a word."""
        pointer = self.builder.sub(self.get(SP), I64(8))
        self.put(SP, pointer)
        self.store(pointer, value)

    def pop(self) -> ir.Value:
        """Pops a word."""
        pointer = self.get(SP)
        self.put(SP, self.builder.add(pointer, I64(8)))
        return self.load(pointer, 8)


Operation: TypeAlias = Callable[[State, capstone.CsInsn], None]
"""Emits what an instruction does. Raises CannotLift."""


def check_lock(instruction: capstone.CsInsn) -> None:
    """Raises CannotLift if an instruction changes memory atomically."""
    if x86.X86_PREFIX_LOCK in instruction.prefix:
        raise CannotLift("changes memory atomically")
