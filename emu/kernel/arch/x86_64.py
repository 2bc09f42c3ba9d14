# SPDX-License-Identifier: GPL-2.0-only
"""x86-64 kernels: they use their own page tables from the first instruction, and frame pointers on every stack."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import ClassVar

import capstone
import numpy as np
from numpy.typing import NDArray

from emu.cpu.arch.x86_64 import ARCH as CPU
from emu.cpu.cpu import Cpu
from emu.kernel.arch import Access, KernelArch, RealAddress, SavedRegisters
from emu.kernel.image import Image
from emu.kernel.memory import GuestMemory

__all__ = ["ARCH"]

_SHOWN = ("ip", "sp", "flags", "ax", "bx", "cx", "dx", "si", "di", "bp", *(f"r{n}" for n in range(8, 16)))
_TRAMPOLINES = ("return_to_handler", "arch_rethook_trampoline")  # a return to one of these has popped its address
_MAKES_FRAME, _PUSHES_FRAME, _TAKES_BACK = ("mov", "rbp, rsp"), ("push", "rbp"), ("pop", "rbp")
_PATCHED = 5  # bytes of a call site and of a static key's branch
_LONGEST = 15  # bytes of an instruction
_DEEPEST = 250
_MOST_FUNCTIONS = 8192  # number of cached answers: two kernels with their modules
_DISASSEMBLER = capstone.Cs(*CPU.capstone_mode)
_RET = 0xC3
_SWITCHED = "r15", "r14", "r13", "r12", "bx", "bp", "ip"  # what __switch_to_asm and its call leave on the stack
_INTERRUPTED = 1  # tag bit of a frame pointer: the rest is the address of a struct pt_regs


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

    def callers(self, memory: GuestMemory, cpu: Cpu, registers: Mapping[str, int], real: RealAddress) -> Iterator[int]:
        saved, trampolines = self.saved_registers(memory.image), [memory.image.symbol(name) for name in _TRAMPOLINES]
        address, sp, frame = (registers[name] for name in ("ip", "sp", "bp"))
        last, interrupted = 0, True
        words = self.without_frame_at(memory, address)
        with suppress(LookupError):
            while True:
                # `begun`: whether the function may have no frame at the address.
                if interrupted and address in trampolines:
                    address, begun, interrupted = real(sp - 8, address), False, False
                elif words:
                    sp += 8 * words
                    address, begun, interrupted = real(sp - 8, memory.read_word(sp - 8)), True, False
                elif frame & 7 == _INTERRUPTED:
                    # An interrupt's frame pointer leads to the interrupted code (entry.S), perhaps on another stack.
                    regs, last, interrupted, begun = frame - _INTERRUPTED, 0, True, True
                    address = real(0, memory.read_word(regs + saved.pc))
                    sp, frame = memory.read_word(regs + saved.sp), memory.read_word(regs + saved.link)
                elif frame & 7 == 0 and frame > last:
                    address, interrupted, sp = real(frame + 8, memory.read_word(frame + 8)), False, frame + 16
                    begun = self._is_behind_site(memory, address)
                    last = frame
                    frame = memory.read_word(frame)
                else:
                    return
                yield address
                words = self.without_frame_at(memory, address) if begun else 0

    def caller(self, memory: GuestMemory, registers: Mapping[str, int]) -> Mapping[str, int] | None:
        address, sp, frame = (registers[name] for name in ("ip", "sp", "bp"))
        function = memory.image.function_at(address)
        if function is None:
            return None
        words = self.without_frame_at(memory, address)
        if not words and not self.is_entry_code(memory.image, address):
            words = _at_edges(memory.read(function.address, function.size)).get(address - function.address, 0)
        if words:
            return {"ip": memory.read_word(sp + 8 * words - 8), "sp": sp + 8 * words}
        if frame & 7 == _INTERRUPTED:
            saved, regs = self.saved_registers(memory.image), frame - _INTERRUPTED
            return {name: memory.read_word(regs + place) for name, place in zip(("ip", "sp", "bp"), saved, strict=True)}
        if frame & 7 or frame < sp:
            return None
        return {"ip": memory.read_word(frame + 8), "sp": frame + 16, "bp": memory.read_word(frame)}

    def switched_out(self, memory: GuestMemory, task: int) -> Mapping[str, int]:
        sp = memory.read_word(task + _saved_stack_pointer(self.function(memory, "__switch_to_asm")))
        values = {name: memory.read_word(sp + 8 * n) for n, name in enumerate(_SWITCHED)}
        return values | {"sp": sp + 8 * len(_SWITCHED)}

    def _is_behind_site(self, memory: GuestMemory, address: int) -> bool:
        """Whether an address is the return address of a direct call, where its function has no frame yet."""
        function = memory.image.function_at(address)
        return function is not None and address == function.address + _PATCHED

    def access(self, memory: GuestMemory, cpu: Cpu, saved: int, address: int, physical: int, room: int) -> Access | None:
        from emu.kernel.arch import x86_64_access  # imported when needed

        return x86_64_access.access(memory, cpu, saved, address, physical, room)

    def saved_registers(self, image: Image) -> SavedRegisters:
        return SavedRegisters(*(image.offset(f"pt_regs.{name}") for name in ("ip", "sp", "bp")))

    def without_frame(self, code: bytes, branches: Mapping[int, int]) -> NDArray[np.uint8]:
        return _without_frame(code, tuple(branches.items()))


@functools.lru_cache(maxsize=_MOST_FUNCTIONS)
def _at_edges(code: bytes) -> Mapping[int, int]:
    """Where else in a function the frame pointer is the caller's: words on the stack up to the return address, by offsets.

    These are the instruction that sets it up, and those behind the one that takes it back, up to the jump that leaves.
    """
    found: dict[int, int] = {}
    words, pushed, at = 0, 0, 0
    while at < len(code):
        instruction = next(_DISASSEMBLER.disasm_lite(code[at : at + _LONGEST], at, 1), None)
        if instruction is None:
            break
        _, size, name, operands = instruction
        if words or (pushed and (name, operands) == _MAKES_FRAME):
            found[at] = words or 1 + pushed
        pushed = 1 if (name, operands) == _PUSHES_FRAME else 0
        words = 1 if name == "leave" or (name, operands) == _TAKES_BACK else 0 if name == "ret" or name[0] == "j" else words
        at += size
    return found


@functools.lru_cache(maxsize=_MOST_FUNCTIONS)  # all machines with one image ask the same
def _without_frame(code: bytes, branches: tuple[tuple[int, int], ...]) -> NDArray[np.uint8]:
    targets = dict(branches)
    place = np.zeros(len(code), np.uint8)
    place[np.frombuffer(code, np.uint8) == _RET] = 1
    paths = [(0, 1)]  # (where it continues, words pushed) for paths from the start to where the frame is set up
    while paths:
        at, words = paths.pop()
        while at < len(code) and 0 < words < _DEEPEST and (at == 0 or place[at] == 0 or code[at] == _RET):
            instruction = next(_DISASSEMBLER.disasm_lite(code[at : at + _LONGEST], at, 1), None)
            if instruction is None or instruction[2:] == _MAKES_FRAME:
                break
            _, size, name, operands = instruction
            place[at] = words
            if at in targets:
                paths.append((targets[at], words))
                at += _PATCHED
                continue
            at += _PATCHED if name == "int3" else size
            if name.startswith("j") and operands.startswith("0x"):
                paths.append((int(operands, 16), words))
            if name in ("jmp", "ret"):
                break
            words += _pushed(name, operands)
    place.flags.writeable = False
    return place


@functools.lru_cache
def _saved_stack_pointer(code: bytes) -> int:
    """Where __switch_to_asm stores the stack pointer in the task that it leaves."""
    for _, _, name, operands in _DISASSEMBLER.disasm_lite(code, 0):
        if name == "mov" and (found := re.fullmatch(r"qword ptr \[rdi \+ (0x\w+|\d+)\], rsp", operands)):
            return int(found[1], 0)
    raise LookupError("__switch_to_asm stores no stack pointer")


def _pushed(name: str, operands: str) -> int:
    """The number of words that an instruction pushes."""
    if name in ("push", "pop"):
        return 1 if name == "push" else -1
    if name in ("sub", "add") and operands.startswith("rsp, "):
        words = int(operands.removeprefix("rsp, "), 0) // 8
        return words if name == "sub" else -words
    return 0


ARCH = X86_64()
