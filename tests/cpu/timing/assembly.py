# SPDX-License-Identifier: GPL-2.0-only
"""x86-64 code for tests of timing models."""

from __future__ import annotations

import functools

import keystone

from emu.cpu.arch.x86_64.operations import Operations
from emu.cpu.arch.x86_64.zen3 import ZEN3
from emu.cpu.timing.core import Core
from emu.cpu.timing.instructions import Instruction

__all__ = ["assemble", "described"]

_ASSEMBLER = keystone.Ks(keystone.KS_ARCH_X86, keystone.KS_MODE_64)


@functools.cache
def assemble(text: str, address: int = 0x1000) -> bytes:
    """The code of instructions separated by semicolons."""
    code, _ = _ASSEMBLER.asm(text, address, as_bytes=True)
    return bytes(code)


def described(text: str, core: Core = ZEN3, address: int = 0x1000) -> list[Instruction]:
    """Instructions in the scheduler's representation."""
    return list(Operations(core).of(assemble(text, address), address))
