# SPDX-License-Identifier: GPL-2.0-only
"""Where every system call of an x86-64 Linux comes by.

With interrupts on, the kernel looks at bits of the task that say whether more has to be done than to obey the call; if so, it
does that, and Linux's own events happen there. Then it compares the number with the highest one, and calls the system call's
function. The first place is the one that is the nearest to Linux's own events. Only at the second one is it known whether seccomp
or a tracer of programs has denied the call. Compilers may make a comparison twice, for two paths; each call comes to one of them.
No symbol tells these places, so they are looked for in the code.
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
_OUTLINED = ("syscall_enter_from_user_mode", "syscall_enter_from_user_mode_work")  # parts of these functions
_WORK = 0x3F  # SYSCALL_WORK_ENTER of include/linux/entry-common.h
_FEWEST, _MOST = 256, 4096  # system calls that a kernel may have
_REGISTERS = (
    "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d",
)  # fmt: skip


class EnterPlace(NamedTuple):
    """Attributes:
    address: of the instruction.
    is_first: whether it is one of the first places.
    register: at a second one, the number, in instructions, of the register that has the call's number.
    """

    address: int
    is_first: bool
    register: int


def enter_places(kernel: Kernel, symbols: Symbols) -> list[EnterPlace]:
    """The places. Without any first one, all calls must be told at the second ones; none if these are not there, either."""
    functions = [name for name in (_ENTERS, *_OTHERS) if symbols.address(name) is not None]
    second = {name: list(_second(kernel, symbols, name)) for name in functions}
    if not second.get(_ENTERS):
        return []
    inside = {name: list(_first(kernel, symbols, name)) for name in functions}
    outlined = [place for name in _OUTLINED for place in _first(kernel, symbols, name)]
    all_have_one = all(inside[name] or outlined for name in functions)
    first = [*itertools.chain(*inside.values()), *outlined] if all_have_one else []
    return [*first, *itertools.chain(*second.values())]


def _first(kernel: Kernel, symbols: Symbols, name: str) -> Iterator[EnterPlace]:
    for tested, branch in itertools.pairwise(_code(kernel, symbols, name)):
        tests_bits = tested.mnemonic == "test" and branch.mnemonic in ("je", "jne") and tested.operands[1].type == x86.X86_OP_IMM
        if tests_bits and tested.operands[1].imm == _WORK:
            yield EnterPlace(tested.address, True, 0)


def _second(kernel: Kernel, symbols: Symbols, name: str) -> Iterator[EnterPlace]:
    """Kernels with system calls of the x32 ABI compare greater numbers with another highest one, later."""
    highest: int | None = None
    for compared, branch in itertools.pairwise(_code(kernel, symbols, name)):
        if compared.mnemonic == "cmp" and branch.mnemonic in ("ja", "jbe"):
            left, right = compared.operands
            register = compared.reg_name(left.reg) if left.type == x86.X86_OP_REG else ""
            is_number = right.type == x86.X86_OP_IMM and _FEWEST <= right.imm < _MOST
            if register in _REGISTERS and is_number and highest in (None, right.imm):
                highest = right.imm
                yield EnterPlace(compared.address, False, _REGISTERS.index(register))


def _code(kernel: Kernel, symbols: Symbols, name: str) -> list[capstone.CsInsn]:
    """The instructions of a function; none if there is no such function."""
    start = symbols.address(name)
    if start is None:
        return []
    end = int(symbols.addresses[np.searchsorted(symbols.addresses, np.uint64(start), "right")])
    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    decoder.detail = True
    return list(decoder.disasm(bytes(kernel.contents(start, end)), start))
