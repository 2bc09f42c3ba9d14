# SPDX-License-Identifier: GPL-2.0-only
"""x86-64 kernels: page tables of their own from the first instruction, frame pointers on every stack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import ClassVar

import capstone
import numpy as np
from numpy.typing import NDArray

from emu.cpu.arch.x86_64 import ARCH as CPU
from emu.cpu.cpu import Cpu
from emu.kernel.arch import KernelArch, SavedRegisters
from emu.kernel.image import Image
from emu.kernel.memory import GuestMemory

__all__ = ["ARCH"]

_SHOWN = ("ip", "sp", "flags", "ax", "bx", "cx", "dx", "si", "di", "bp", *(f"r{n}" for n in range(8, 16)))
_TRAMPOLINE = "return_to_handler"  # the function that returned to it has taken its address off the stack
_MAKES_FRAME = ("mov", "rbp, rsp")
_PATCHED = 5  # bytes of a call site and of a static key's branch
_LONGEST = 15  # bytes of an instruction
_DEEPEST = 250
_DISASSEMBLER = capstone.Cs(*CPU.capstone_mode)
_RET = 0xC3
_INTERRUPTED = 1  # a bit of a frame pointer: the rest is the address of a struct pt_regs


class X86_64(KernelArch):  # noqa: N801  # the architecture's own spelling
    """x86-64 (System V ABI, AMD64 supplement)."""

    elf_machine: ClassVar[str] = "EM_X86_64"
    page_table: ClassVar[str | None] = "early_top_pgt"
    boot_params: ClassVar[int] = 0x1000
    trap_entry: ClassVar[str | None] = None

    def registers(self, memory: GuestMemory, cpu: Cpu, saved: int) -> Mapping[str, int]:
        if saved == 0:
            values = cpu.registers()
            return {name: values[name if name in values else f"r{name}"] for name in _SHOWN}
        return {name: memory.member(saved, f"pt_regs.{name}") for name in _SHOWN}

    def callers(self, memory: GuestMemory, cpu: Cpu, registers: Mapping[str, int]) -> Iterator[tuple[int, int]]:
        frame, last = registers["bp"], 0
        function = memory.image.function_at(registers["ip"])
        if function is not None and function.address == registers["ip"]:
            if function.name == _TRAMPOLINE:
                yield registers["sp"] - 8, function.address
            else:  # the function has no frame yet
                with suppress(LookupError):
                    yield registers["sp"], memory.read_word(registers["sp"])
        regs = memory.image.offset("pt_regs.ip"), memory.image.offset("pt_regs.bp")
        while frame > last and frame & 7 in (0, _INTERRUPTED):
            # An interrupt's frame pointer leads to what it interrupted (entry.S).
            slot, before = (frame - _INTERRUPTED + at for at in regs) if frame & _INTERRUPTED else (frame + 8, frame)
            try:
                following, caller = memory.read_word(before), memory.read_word(slot)
            except LookupError:
                return
            yield slot, caller
            frame, last = following, frame

    def saved_registers(self, image: Image) -> SavedRegisters:
        return SavedRegisters(*(image.offset(f"pt_regs.{name}") for name in ("ip", "sp", "bp")))

    def without_frame(self, code: bytes, branches: Mapping[int, int]) -> NDArray[np.uint8]:
        place = np.zeros(len(code), np.uint8)
        place[np.frombuffer(code, np.uint8) == _RET] = 1
        paths = [(0, 1)]  # that lead from the beginning to where the frame is made: where they go on, and the place there
        while paths:
            at, words = paths.pop()
            while at < len(code) and 0 < words < _DEEPEST and (at == 0 or place[at] == 0 or code[at] == _RET):
                instruction = next(_DISASSEMBLER.disasm_lite(code[at : at + _LONGEST], at, 1), None)
                if instruction is None or instruction[2:] == _MAKES_FRAME:
                    break
                _, size, name, operands = instruction
                place[at] = words
                if at in branches:
                    paths.append((branches[at], words))
                    at += _PATCHED
                    continue
                at += _PATCHED if name == "int3" else size
                if name.startswith("j") and operands.startswith("0x"):
                    paths.append((int(operands, 16), words))
                if name in ("jmp", "ret"):
                    break
                words += _pushed(name, operands)
        return place


def _pushed(name: str, operands: str) -> int:
    """How many words an instruction puts on the stack."""
    if name in ("push", "pop"):
        return 1 if name == "push" else -1
    if name in ("sub", "add") and operands.startswith("rsp, "):
        words = int(operands.removeprefix("rsp, "), 0) // 8
        return words if name == "sub" else -words
    return 0


ARCH = X86_64()
