# SPDX-License-Identifier: GPL-2.0-only
"""Emulates device accesses of x86-64 instructions: moves of all kinds, including string moves.

A string instruction with a `rep` prefix moves one element at a time, as when it faults repeatedly.
"""

from __future__ import annotations

import functools
from contextlib import suppress
from typing import NamedTuple

import capstone
from capstone import x86

from emu.cpu.arch.x86_64 import ARCH as CPU
from emu.cpu.cpu import Cpu
from emu.kernel.arch import Access
from emu.kernel.memory import GuestMemory

__all__ = ["access"]

_LONGEST = 15  # bytes of an instruction
_WORD = (1 << 64) - 1
_BACKWARDS = 0x400  # RFLAGS.DF
_MOVES = frozenset({x86.X86_INS_MOV, x86.X86_INS_MOVABS, x86.X86_INS_MOVNTI, x86.X86_INS_MOVZX})
_SIGNED = frozenset({x86.X86_INS_MOVSX, x86.X86_INS_MOVSXD})
_STORES = frozenset({x86.X86_INS_STOSB, x86.X86_INS_STOSW, x86.X86_INS_STOSD, x86.X86_INS_STOSQ})
_LOADS = frozenset({x86.X86_INS_LODSB, x86.X86_INS_LODSW, x86.X86_INS_LODSD, x86.X86_INS_LODSQ})
_COPIES = frozenset({x86.X86_INS_MOVSB, x86.X86_INS_MOVSW, x86.X86_INS_MOVSD, x86.X86_INS_MOVSQ})
_REPEATED = (0xF2, 0xF3)
_ADDRESS_SIZE = 0x67  # prefix for 32-bit addresses


class _Part(NamedTuple):
    """A general register or part of one."""

    member: str  # of struct pt_regs
    size: int  # bytes
    shift: int  # bits above the register's lowest


def _parts() -> dict[str, _Part]:
    """The registers and their parts, by name."""
    parts = {}
    for letter in "abcd":
        parts[f"{letter}h"] = _Part(f"{letter}x", 1, 8)
    for member in ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp"):
        low = member.replace("x", "l") if member.endswith("x") else f"{member}l"
        for name, size in ((f"r{member}", 8), (f"e{member}", 4), (member, 2), (low, 1)):
            parts[name] = _Part(member, size, 0)
    for number in range(8, 16):
        for suffix, size in (("", 8), ("d", 4), ("w", 2), ("b", 1)):
            parts[f"r{number}{suffix}"] = _Part(f"r{number}", size, 0)
    return parts


_PARTS = _parts()
_ACCUMULATOR = {size: _Part("ax", size, 0) for size in (1, 2, 4, 8)}


class _Move(NamedTuple):
    """An instruction that moves a number between memory and a register, or an immediate to memory."""

    length: int  # of the instruction, in bytes
    width: int  # bytes accessed
    written: bool
    register: _Part | None
    immediate: int
    signed: bool  # whether a narrower loaded number is sign-extended
    base: _Part | None  # address = base + scaled * scale + offset
    scaled: _Part | None
    scale: int
    offset: int  # for %rip-relative operands, it includes the instruction's length


class _String(NamedTuple):
    """stos, lods or movs."""

    length: int
    width: int
    source: bool  # whether it reads at %rsi
    destination: bool  # whether it writes at %rdi
    repeated: bool


@functools.cache
def _decoder() -> capstone.Cs:
    decoder = capstone.Cs(*CPU.capstone_mode)
    decoder.detail = True
    return decoder


@functools.lru_cache(maxsize=1024)
def _decode(code: bytes) -> _Move | _String | None:
    """Decodes the instruction at the start of `code`; None if its kind is unknown."""
    decoded = next(_decoder().disasm(code, 0, 1), None)
    if decoded is None or decoded.prefix[3] == _ADDRESS_SIZE:
        return None
    places = [operand for operand in decoded.operands if operand.type == x86.X86_OP_MEM]
    if any(place.mem.segment for place in places if decoded.id not in _STORES | _LOADS | _COPIES):
        return None
    if decoded.id in _STORES | _LOADS | _COPIES and all(
        operand.type == x86.X86_OP_MEM or decoded.id not in _COPIES for operand in decoded.operands
    ):
        source, destination = decoded.id not in _STORES, decoded.id not in _LOADS
        return _String(decoded.size, places[0].size, source, destination, decoded.prefix[0] in _REPEATED)
    if decoded.id not in _MOVES | _SIGNED or len(places) != 1 or len(decoded.operands) != 2:
        return None
    written = decoded.operands[0].type == x86.X86_OP_MEM
    other = decoded.operands[1 if written else 0]
    register = _PARTS.get(decoded.reg_name(other.reg)) if other.type == x86.X86_OP_REG else None
    if other.type == x86.X86_OP_REG and register is None:
        return None  # with a segment, say
    (place,) = places
    by_ip = place.mem.base == x86.X86_REG_RIP
    return _Move(
        decoded.size,
        place.size,
        written,
        register,
        other.imm if register is None else 0,
        decoded.id in _SIGNED,
        _Part("ip", 8, 0) if by_ip else _named(decoded, place.mem.base),
        _named(decoded, place.mem.index),
        place.mem.scale,
        place.mem.disp + (decoded.size if by_ip else 0),
    )


def _named(decoded: capstone.CsInsn, register: int) -> _Part | None:
    return _PARTS[decoded.reg_name(register)] if register and register != x86.X86_REG_RIZ else None


class _Registers:
    """Access to a struct pt_regs."""

    def __init__(self, memory: GuestMemory, saved: int) -> None:
        self._memory = memory
        self._saved = saved

    def get(self, part: _Part) -> int:
        return self._memory.member(self._saved, f"pt_regs.{part.member}") >> part.shift & (1 << 8 * part.size) - 1

    def set(self, part: _Part, value: int) -> None:
        """Writes a register as an instruction does: 32-bit writes clear the upper half, narrower ones keep the rest."""
        mask = _WORD if part.size >= 4 else (1 << 8 * part.size) - 1 << part.shift
        before = self.member(part.member)
        self.set_member(part.member, before & ~mask | value << part.shift & mask)

    def member(self, name: str) -> int:
        return self._memory.member(self._saved, f"pt_regs.{name}")

    def set_member(self, name: str, value: int) -> None:
        self._memory.set_member(self._saved, f"pt_regs.{name}", value)


def access(memory: GuestMemory, cpu: Cpu, saved: int, address: int, physical: int, room: int) -> Access | None:
    """See KernelArch.access."""
    registers = _Registers(memory, saved)
    try:
        code = cpu.read(registers.member("ip"), _LONGEST)
    except LookupError:
        return None
    decoded = _decode(code)
    if decoded is None or decoded.width > min(room, 8):
        return None
    if isinstance(decoded, _Move):
        return _move(decoded, registers, cpu, address, physical)
    with suppress(LookupError):  # a copy's other operand may be outside the kernel's memory
        return _string(decoded, registers, memory, cpu, address, physical)
    return None


def _move(move: _Move, registers: _Registers, cpu: Cpu, address: int, physical: int) -> Access | None:
    place = move.offset + sum(
        registers.get(part) * scale for part, scale in ((move.base, 1), (move.scaled, move.scale)) if part is not None
    )
    if place & _WORD != address:
        return None
    io = cpu.board.io
    assert io is not None
    if move.written:
        value = (move.immediate if move.register is None else registers.get(move.register)) & (1 << 8 * move.width) - 1
        io.write(physical, move.width, value)
    else:
        value = io.read(physical, move.width)
        assert move.register is not None
        registers.set(move.register, _extended(value, move.width, move.register.size) if move.signed else value)
    registers.set_member("ip", registers.member("ip") + move.length)
    return Access(move.written, move.width, value)


def _extended(value: int, width: int, size: int) -> int:
    """A sign-extended number."""
    sign = 1 << 8 * width - 1
    return (value ^ sign) - sign & (1 << 8 * size) - 1


def _string(
    string: _String, registers: _Registers, memory: GuestMemory, cpu: Cpu, address: int, physical: int
) -> Access | None:
    """Raises LookupError: nothing has happened."""
    io, width = cpu.board.io, string.width
    assert io is not None
    source, destination = registers.member("si"), registers.member("di")
    written = string.destination and destination == address
    if written:
        value = memory.read_word(source, width) if string.source else registers.get(_ACCUMULATOR[width])
        io.write(physical, width, value)
    elif string.source and source == address:
        if string.destination:
            memory.read_word(destination, width)  # checks that it is mapped
        value = io.read(physical, width)
        if string.destination:
            memory.write_word(destination, value, width)
        else:
            registers.set(_ACCUMULATOR[width], value)
    else:
        return None
    step = -width if registers.member("flags") & _BACKWARDS else width
    if string.source:
        registers.set_member("si", source + step)
    if string.destination:
        registers.set_member("di", destination + step)
    left = 0
    if string.repeated:
        left = registers.member("cx") - 1 & _WORD
        registers.set_member("cx", left)
    if not left:
        registers.set_member("ip", registers.member("ip") + string.length)
    return Access(written, width, value)
