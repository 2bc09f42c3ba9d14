# SPDX-License-Identifier: GPL-2.0-only
"""A CPU as a failed rung shows it: its registers, and the instructions around the program counter."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from emu.cpu.cpu import Cpu
from emu.cpu.disassembly import disassemble

__all__ = ["around"]

_BEFORE, _AFTER = 16, 24  # bytes


def around(cpu: Cpu) -> tuple[Mapping[str, int], list[str]]:
    """Registers, and lines of disassembly. What the port cannot tell yet is left out, and a line says so."""
    return _or_nothing(cpu.registers) or {}, _code(cpu)


def _or_nothing(read: Callable[[], Mapping[str, int]]) -> Mapping[str, int] | None:
    try:
        return read()
    except Exception:  # a stub
        return None


def _read(cpu: Cpu, start: int, size: int) -> bytes:
    """The memory at a virtual address; in the kernel's mapping, also if the port does not translate addresses yet."""
    place = start - cpu.board.arch.kernel_map
    return bytes(cpu.board.ram[place : place + size]) if 0 <= place < cpu.board.memory - size else cpu.read(start, size)


def _code(cpu: Cpu) -> list[str]:
    arch = cpu.board.arch
    try:
        pc = cpu.pc
        unit = arch.instruction_alignment
        start = pc - _BEFORE if unit > 1 else pc
        lines = []
        for instruction in disassemble(arch, _read(cpu, start, _AFTER + pc - start), start):
            mark = "=>" if instruction.address == pc else "  "
            lines.append(f"{mark} {instruction.address:#x}: {instruction.code.hex(' '):<24} {instruction.text}")
        return lines
    except Exception as error:  # a stub, or an address that is not mapped
        return [f"the code cannot be shown: {error}"]
