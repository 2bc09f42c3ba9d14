# SPDX-License-Identifier: GPL-2.0-only
"""Registers by capstone's names: their numbers for the scheduler, and their sizes."""

from __future__ import annotations

from typing import Final

from emu.cpu.timing.instructions import Registers

__all__ = ["FLAGS", "NUMBERS", "REGISTERS", "SIZES", "STACK_POINTER", "VECTORS", "X87"]

STACK_POINTER, FLAGS, VECTORS = 4, 16, 17  # 0 to 15 are general registers; vector registers start at VECTORS
REGISTERS: Final = Registers(STACK_POINTER, FLAGS)
X87 = VECTORS + 15  # the top of the x87 stack, which shares the number of a register that code with x87 does not use

_GENERAL = ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", *(f"r{n}" for n in range(8, 16))]
_PARTS = {
    "rax": "eax ax al ah", "rcx": "ecx cx cl ch", "rdx": "edx dx dl dh", "rbx": "ebx bx bl bh",
    "rsp": "esp sp spl", "rbp": "ebp bp bpl", "rsi": "esi si sil", "rdi": "edi di dil",
    **{f"r{n}": f"r{n}d r{n}w r{n}b" for n in range(8, 16)},
}  # fmt: skip


def _named() -> tuple[dict[str, int], dict[str, int]]:
    numbers, sizes = {"rflags": FLAGS, "eflags": FLAGS}, {"rflags": 8, "eflags": 8}
    for number, name in enumerate(_GENERAL):
        for part, size in zip((name, *_PARTS[name].split()), (8, 4, 2, 1, 1), strict=False):
            numbers[part], sizes[part] = number, size
    for n in range(16):
        for kind, size in (("x", 16), ("y", 32), ("z", 64)):
            numbers[f"{kind}mm{n}"], sizes[f"{kind}mm{n}"] = VECTORS + n, size
    return numbers, sizes


_numbers_and_sizes = _named()
NUMBERS: Final = _numbers_and_sizes[0]
SIZES: Final = _numbers_and_sizes[1]
