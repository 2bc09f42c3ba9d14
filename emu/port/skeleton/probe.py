# SPDX-License-Identifier: GPL-2.0-only
"""Finds in a Uc where the state of a CPU has its general registers and its program counter, without knowing the state."""

from __future__ import annotations

import importlib
import struct

import unicorn

from emu.cpu.internals import UnknownUnicorn, handle_of, peek, probing_memory
from emu.port.skeleton.machine import Machine

__all__ = ["general_and_pc"]

_STATE = 0x10000  # bytes: larger than any CPUState
_PC = 0x0000_1234_5678_9ABC


def general_and_pc(machine: Machine) -> tuple[int | None, int | None]:
    """The offsets of the first general register and of the program counter; None: not found."""
    module = importlib.import_module(f"unicorn.{machine.registers[0]}")
    first, pc = (getattr(module, name) for name in machine.registers[1:])
    mode = [sum(getattr(unicorn, name.strip().removeprefix("unicorn.")) for name in text.split("|")) for text in machine.unicorn]
    uc = unicorn.Uc(*mode)
    magic = [0x5EED_0000_0000_0000 + 0x0101_0101_0101 * (n + 1) for n in range(7)]
    for n, value in enumerate(magic):
        uc.reg_write(first + n, value)
    uc.reg_write(pc, _PC)
    try:
        return _search(handle_of(uc), struct.pack("<7Q", *magic))
    except UnknownUnicorn:
        return None, None


def _search(handle: int, registers: bytes) -> tuple[int | None, int | None]:
    """A CPUState holds a pointer to its architectural state, which lies in it before the registers or at them."""
    with probing_memory() as memory:
        head = peek(memory, handle, 0x1000)
        for (pointer,) in struct.iter_unpack("<Q", head[: len(head) // 8 * 8]):
            if pointer < 0x10000 or pointer >> 47:
                continue
            block = peek(memory, pointer, _STATE)
            at = block.find(registers)
            if at < 0 or struct.pack("<Q", handle) not in block[:at]:
                continue
            words = struct.unpack(f"<{at // 8}Q", block[: at // 8 * 8])
            inside = [word - pointer for word in words if 0 < word - pointer <= at]
            if not inside:
                continue
            env = max(inside)
            pc = block.find(struct.pack("<Q", _PC), env)
            return at - env, pc - env if pc >= 0 else None
    return None, None
