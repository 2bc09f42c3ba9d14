# SPDX-License-Identifier: GPL-2.0-only
"""Kprobes on RISC-V (The RISC-V Instruction Set Manual, volume I, 2.2.0): `c.ebreak`, and a copy of the instruction elsewhere:

    any instruction     the instruction; c.ebreak; at KPROBE_COPY_BEHIND (asm/kprobes.h) the address after the original

The second trap makes the CPU continue there, because a jump reaches 1 MiB, which is not enough for modules. Its address is odd
if the copy is for probes of the guest itself, which reports the second trap to them.

Instructions that use the program counter have no copy. They are emulated (`emu.ftrace.native.arch.riscv64_emulate`):

    auipc, jal, jalr, beq, bne, blt, bge, bltu, bgeu
    c.j, c.jr, c.jalr, c.beqz, c.bnez

A trap ends a reservation, so a probe from `lr` to its `sc` would make the loop around them endless.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Sequence
from typing import ClassVar

from emu.ftrace.arch.probing import ProbeRegisters, Probing
from emu.ftrace.errors import TraceError
from emu.ftrace.native.arch.riscv64_emulate import is_emulated
from emu.ftrace.native.arch.riscv64_probe import PROBE_REGISTERS
from emu.kernel.image import Image

__all__ = ["PROBING"]

_WORDS = {name: word for word, name in enumerate(PROBE_REGISTERS)}
_BEHIND = 8  # KPROBE_COPY_BEHIND of asm/kprobes.h
_REPORTS = 1  # a bit of that address

_C_EBREAK, _SYSTEM, _AMO = 0x9002, 0x73, 0x2F
_LOAD_RESERVED, _STORE_CONDITIONAL = 2, 3  # the uppermost five bits of an _AMO


class _Ebreak(Probing):
    """`c.ebreak`."""

    breakpoint: ClassVar[bytes] = _C_EBREAK.to_bytes(2, "little")
    registers: ClassVar[ProbeRegisters] = ProbeRegisters(
        names=_WORDS | {"pc": _WORDS["epc"], "fp": _WORDS["s0"]},
        arguments=[_WORDS[f"a{n}"] for n in range(8)],
        stack_arguments=0,
        return_value=_WORDS["a0"],
        pc=_WORDS["epc"],
        stack_pointer=_WORDS["sp"],
    )

    def instruction(self, code: bytes, start: int, address: int) -> bytes:
        at, reserved = 0, False
        while at < len(code):
            instruction = code[at : at + (2 if code[at] & 3 != 3 else 4)]
            word = int.from_bytes(instruction, "little")
            atomic = word >> 27 if word & 0x7F == _AMO else None
            reserved = reserved or atomic == _LOAD_RESERVED
            if start + at == address:
                if why := _why_not(word, reserved):
                    raise TraceError(errno.EINVAL, f"the instruction at {address:#x} cannot be probed: {why}")
                return instruction
            if start + at > address:
                break
            reserved = reserved and atomic != _STORE_CONDITIONAL
            at += len(instruction)
        raise TraceError(errno.EILSEQ, f"no instruction begins at {address:#x}")

    def copy(self, instruction: bytes, address: int, place: int | None) -> bytes:
        if is_emulated(int.from_bytes(instruction, "little")):
            return b""
        return self._leaves(instruction + self.breakpoint, address + len(instruction))

    def stepping_copy(self, instruction: bytes, address: int, place: int | None) -> bytes:
        if is_emulated(int.from_bytes(instruction, "little")):
            return b""
        return self._leaves(instruction + self.breakpoint, address + len(instruction) | _REPORTS)

    def detour(self, behind: int, place: int | None) -> bytes:
        return self._leaves(self.breakpoint, behind | _REPORTS)

    def saved_offsets(self, image: Image) -> Sequence[int]:
        return [image.offset("pt_regs.epc") + 8 * word for word in range(len(PROBE_REGISTERS))]

    @staticmethod
    def _leaves(code: bytes, behind: int) -> bytes:
        return code.ljust(_BEHIND, b"\0") + struct.pack("<Q", behind)


def _why_not(word: int, reserved: bool) -> str | None:
    """Why an instruction cannot be probed; None if it can. `reserved`: whether it is in a sequence from `lr` to `sc`."""
    if reserved:
        return "a trap between lr and sc ends the reservation"
    if word == 0 or word & 0x1F == 0x1F:
        return "it is no instruction"
    if word == _C_EBREAK or (word & 0x7F == _SYSTEM and word >> 12 & 7 == 0 and word >> 25 != 9):
        return "it traps, waits or returns from a trap"
    if word & 0x7F == _SYSTEM and word >> 20 >= 0xC00 and word >> 12 & 3 == 1:
        return "it traps"
    return None


PROBING = _Ebreak()
