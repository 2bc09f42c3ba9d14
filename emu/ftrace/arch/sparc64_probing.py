# SPDX-License-Identifier: GPL-2.0-only
"""Kprobes on SPARC V9 (The SPARC Architecture Manual, version 9, appendices A and E): `ta 0x70`, and a copy of the instruction
elsewhere. The CPU executes the copy with an unchanged next program counter, and so continues where it would have, even if
the instruction is in a delay slot.

Instructions that use the program counter have no copy. They are emulated (`emu.ftrace.native.arch.sparc64_emulate`):

    call    01 disp30                           jmpl    10 rd 111000 rs1 i ..., if rd is not %g0
    Bicc    00 a cond 010 disp22                FBfcc   00 a cond 110 disp22
    BPcc    00 a cond 001 cc p disp19           FBPfcc  00 a cond 101 cc p disp19
    BPr     00 a 0 rcond 011 d16 p rs1 d16      rd %pc  10 rd 101000 00101 0 ...
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import ClassVar

from emu.cpu.arch.sparc64.state import WINDOW_REGISTERS
from emu.ftrace.arch.probing import ProbeRegisters, Probing
from emu.ftrace.errors import TraceError
from emu.ftrace.native.arch.sparc64_emulate import BPR, JMPL
from emu.kernel.image import Image

__all__ = ["PROBING"]

_SIZE = 4  # bytes of an instruction

# Bits 31 and 30
_BRANCH_OR_SETHI, _CALL, _ARITHMETIC = 0, 1, 2
# Bits 24 to 22 of the first
_ILLTRAP, _BPCC, _BICC, _FBPFCC, _FBFCC, _CBFCC = 0, 1, 2, 5, 6, 7
_BRANCHES = frozenset({_BPCC, _BICC, BPR, _FBPFCC, _FBFCC})
# Bits 24 to 19 of the last
_RD, _TCC, _DONE_RETRY = 0x28, 0x3A, 0x3E
_PC = 5  # rs1 of rd

# The globals, the window, and the other members of struct pt_regs.
_WORDS = (*(f"g{n}" for n in range(8)), *WINDOW_REGISTERS, "tstate", "tpc", "tnpc", "y")
_REGISTERS = {name: word for word, name in enumerate(_WORDS)}
_REGISTERS |= {"sp": _REGISTERS["o6"], "fp": _REGISTERS["i6"], "pc": _REGISTERS["tpc"]}


class _SoftwareTrap(Probing):
    """`ta 0x70`: trap 0x170."""

    breakpoint: ClassVar[bytes] = bytes.fromhex("91d02070")
    registers: ClassVar[ProbeRegisters] = ProbeRegisters(
        names=_REGISTERS,
        arguments=[_REGISTERS[f"o{n}"] for n in range(6)],
        stack_arguments=22,  # after the room for the window and for six arguments (SPARC Compliance Definition 2.4, 3)
        return_value=_REGISTERS["o0"],
        pc=_REGISTERS["tpc"],
        stack_pointer=_REGISTERS["sp"],
        stack_bias=2047,
    )

    def instruction(self, code: bytes, start: int, address: int) -> bytes:
        at = address - start
        if at % _SIZE:
            raise TraceError(errno.EILSEQ, f"no instruction begins at {address:#x}")
        instruction = code[at : at + _SIZE]
        if why := _why_not(int.from_bytes(instruction, "big")):
            raise TraceError(errno.EINVAL, f"the instruction at {address:#x} cannot be probed: {why}")
        return instruction

    def copy(self, instruction: bytes, address: int, place: int | None) -> bytes:
        return b"" if _uses_program_counter(int.from_bytes(instruction, "big")) else instruction

    def stepping_copy(self, instruction: bytes, address: int, place: int | None) -> bytes:
        copy = self.copy(instruction, address, place)
        return copy and copy + self.breakpoint

    def detour(self, behind: int, place: int | None) -> bytes:
        return b""  # the site comes after the function has its window

    def saved_offsets(self, image: Image) -> Sequence[int]:
        general = image.offset("pt_regs.u_regs")
        return [general + 8 * n for n in range(16)]


def _fields(word: int) -> tuple[int, int, int]:
    """Bits 31 and 30, bits 24 to 22, bits 24 to 19."""
    return word >> 30, word >> 22 & 7, word >> 19 & 0x3F


def _why_not(word: int) -> str | None:
    """Why an instruction cannot be probed; None if it can."""
    kind, branch, operation = _fields(word)
    if kind == _BRANCH_OR_SETHI:
        if branch in (_ILLTRAP, _CBFCC):
            return "it is no instruction"
        if (branch == BPR and (word >> 25 & 3 == 0 or word >> 28 & 1)) or (branch == _BPCC and word >> 20 & 1):
            return "its condition is reserved"
    if kind == _ARITHMETIC and operation in (_TCC, _DONE_RETRY):
        return "it traps or returns from a trap"
    return None


def _uses_program_counter(word: int) -> bool:
    kind, branch, operation = _fields(word)
    if kind == _ARITHMETIC:
        return (operation == JMPL and word >> 25 & 0x1F != 0) or (operation == _RD and word >> 14 & 0x1F == _PC)
    return kind == _CALL or (kind == _BRANCH_OR_SETHI and branch in _BRANCHES)


PROBING = _SoftwareTrap()
