# SPDX-License-Identifier: GPL-2.0-only
"""Where every system call of an x86-64 Linux comes by.

Before the kernel calls a system call's function, it compares the number with the highest one. It does so with interrupts on,
after it has looked whether the call is traced inside: there, Linux's own events happen. Compilers may make that comparison
twice, one for calls that are looked at; each call comes to one of them. No symbol tells the place, so it is looked for in the
code.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import capstone
import numpy as np
from capstone import x86

from emu.linux.image import Kernel
from emu.linux.symbols import Symbols

__all__ = ["LEAVES", "EnterPlace", "enter_places"]

LEAVES = "syscall_exit_to_user_mode"  # the function to which every system call comes when it has been obeyed
_ENTERS = "do_syscall_64"
_OTHERS = ("do_int80_syscall_32", "do_int80_emulation", "__do_fast_syscall_32")  # those of 32-bit programs, if any
_FEWEST, _MOST = 256, 4096  # system calls that a kernel may have
_REGISTERS = (
    "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d",
)  # fmt: skip


class EnterPlace(NamedTuple):
    """Attributes:
    address: of the instruction.
    register: the number, in instructions, of the register that has the call's number.
    """

    address: int
    register: int


def enter_places(kernel: Kernel, symbols: Symbols) -> list[EnterPlace]:
    """The places; none if the code of 64-bit programs' calls is not as expected."""
    found = list(_in_function(kernel, symbols, _ENTERS))
    if found:
        for name in _OTHERS:
            found += _in_function(kernel, symbols, name)
    return found


def _in_function(kernel: Kernel, symbols: Symbols, name: str) -> Iterator[EnterPlace]:
    start = symbols.address(name)
    if start is None:
        return
    end = int(symbols.addresses[np.searchsorted(symbols.addresses, np.uint64(start), "right")])
    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    decoder.detail = True
    code = list(decoder.disasm(bytes(kernel.contents(start, end)), start))
    for compared, branch in itertools.pairwise(code):
        if compared.mnemonic == "cmp" and branch.mnemonic in ("ja", "jbe"):
            left, right = compared.operands
            register = compared.reg_name(left.reg) if left.type == x86.X86_OP_REG else ""
            if register in _REGISTERS and right.type == x86.X86_OP_IMM and _FEWEST <= right.imm < _MOST:
                yield EnterPlace(compared.address, _REGISTERS.index(register))
