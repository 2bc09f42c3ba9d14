# SPDX-License-Identifier: GPL-2.0-only
"""Disassembles machine code, with capstone."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

import capstone

from emu.cpu.arch import CpuArch

__all__ = ["Instruction", "disassemble"]


_NEGATIVE_ADDRESS = re.compile(r"-(0x[0-9a-f]{9,})")  # capstone's spelling of an address in the upper half


class Instruction(NamedTuple):
    """One instruction, or bytes that are not an instruction.

    Attributes:
        address: the instruction's address.
        code: its bytes in memory order.
        text: `vpaddd %ymm1, %ymm0, %ymm0`; for other bytes `.byte 0x06` or `.word 0x00000000`.
    """

    address: int
    code: bytes
    text: str


def disassemble(arch: CpuArch, code: bytes, address: int) -> list[Instruction]:
    """The instructions in `code`, which begins at `address`. Together their bytes are `code`.

    After an invalid instruction, or one cut off by the end of `code`, decoding continues after the shortest possible
    instruction length.
    """
    found: list[Instruction] = []
    start = 0
    while start < len(code):
        for at, size, mnemonic, operands in _decoder(arch).disasm_lite(code[start:], address + start):
            text = _NEGATIVE_ADDRESS.sub(_unsigned, f"{mnemonic} {operands}".rstrip())
            found.append(Instruction(at, code[start : start + size], text))
            start += size
        if data := code[start : start + arch.instruction_alignment]:
            found.append(Instruction(address + start, data, _directive(arch, data)))
            start += len(data)
    return found


def _unsigned(number: re.Match[str]) -> str:
    return f"{(1 << 64) - int(number[1], 16):#x}"


@functools.cache
def _decoder(arch: CpuArch) -> capstone.Cs:
    decoder = capstone.Cs(*arch.capstone_mode)
    decoder.syntax = arch.syntax
    return decoder


def _directive(arch: CpuArch, data: bytes) -> str:
    """The directive that an assembler turns into these bytes."""
    if len(data) == 4:
        return f".word 0x{int.from_bytes(data, arch.byte_order):08x}"
    return f".byte {', '.join(f'0x{byte:02x}' for byte in data)}"
