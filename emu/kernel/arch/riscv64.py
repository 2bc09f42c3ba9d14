# SPDX-License-Identifier: GPL-2.0-only
"""RISC-V kernels: sv39 from the first instruction, frame pointers on every stack."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import ClassVar

import capstone
import numpy as np
from numpy.typing import NDArray

from emu.cpu.arch.riscv64 import ARCH as CPU
from emu.cpu.arch.riscv64.state import REGISTERS
from emu.cpu.cpu import Cpu
from emu.kernel.arch import KernelArch, RealAddress, SavedRegisters
from emu.kernel.arch.riscv64_frames import FRAME, IN_RA, IN_T0, LEAF, ON_STACK, places
from emu.kernel.image import Image
from emu.kernel.memory import GuestMemory

__all__ = ["ARCH"]

_DISASSEMBLER = capstone.Cs(*CPU.capstone_mode)
_GENERAL = REGISTERS[1:]  # in their order in struct pt_regs, from ra on
_SWITCHED = "ra", "sp", *(f"s{n}" for n in range(12))  # struct thread_struct
_INTERRUPTED = 1  # a bit of a frame pointer: the rest is the address of a struct pt_regs


@functools.lru_cache
def _saved(code: bytes) -> int:
    """Where __switch_to_asm stores the registers of the task that it leaves: what it adds to the task's address."""
    upper = 0
    for _, _, name, operands in _DISASSEMBLER.disasm_lite(code, 0):
        words = operands.split(", ")
        if words[0] == "t2" and name in ("lui", "c.lui"):
            upper = int(words[1], 0) << 12
        elif words[0] == "t2" and name in ("addi", "addiw", "li", "c.li", "c.addi", "c.addiw"):
            return upper + int(words[-1], 0)
    raise LookupError("__switch_to_asm stores no registers")


class Riscv64(KernelArch):
    """RV64GC."""

    elf_machine: ClassVar[str] = "EM_RISCV"
    page_table: ClassVar[str | None] = "early_pg_dir"
    boot_params: ClassVar[int] = 0x1000
    trap_entry: ClassVar[str | None] = None

    def registers(self, memory: GuestMemory, cpu: Cpu, saved: int) -> Mapping[str, int]:
        if saved == 0:
            values = dict(cpu.registers())
            return {"ip": values.pop("pc"), "sp": values.pop("sp"), **values}
        values = {name: memory.read_word(saved + memory.image.offset("pt_regs.ra") + 8 * n) for n, name in enumerate(_GENERAL)}
        out = {"ip": memory.member(saved, "pt_regs.epc"), "sp": values.pop("sp"), **values}
        out |= {name: memory.member(saved, f"pt_regs.{name}") for name in ("status", "badaddr", "cause")}
        return out

    def callers(self, memory: GuestMemory, cpu: Cpu, registers: Mapping[str, int], real: RealAddress) -> Iterator[int]:
        saved = self.saved_registers(memory.image)
        address, sp, frame, ra, t0 = (registers[name] for name in ("ip", "sp", "s0", "ra", "t0"))
        last, place = 0, self.without_frame_at(memory, address)
        with suppress(LookupError):
            while True:
                # `begun`: whether the function may have no frame at the address.
                begun = False
                if place == IN_T0:
                    address, begun = t0, True
                elif place == LEAF:
                    frame = memory.read_word(frame - 8)
                    address = real(frame, ra)
                elif place != FRAME:
                    address = real(frame, ra if place == IN_RA else memory.read_word(sp + 8 * (place - ON_STACK)))
                elif frame & 7 == _INTERRUPTED:
                    regs, last, begun = frame - _INTERRUPTED, 0, True
                    address = real(0, memory.read_word(regs + saved.pc))
                    sp, frame = memory.read_word(regs + saved.sp), memory.read_word(regs + saved.link)
                    ra, t0 = (memory.member(regs, f"pt_regs.{name}") for name in ("ra", "t0"))
                elif frame & 7 == 0 and frame > last:
                    last, address, frame = frame, memory.read_word(frame - 8), memory.read_word(frame - 16)
                    address = real(frame, address)
                else:
                    return
                yield address
                place = self.without_frame_at(memory, address) if begun else FRAME

    def caller(self, memory: GuestMemory, registers: Mapping[str, int]) -> Mapping[str, int] | None:
        address, sp, frame, ra, t0 = (registers[name] for name in ("ip", "sp", "s0", "ra", "t0"))
        if memory.image.function_at(address) is None:
            return None
        place = self.without_frame_at(memory, address)
        if place == IN_T0:
            return {"ip": t0}
        if place == LEAF:
            return {"ip": ra, "sp": frame, "s0": memory.read_word(frame - 8)}
        if place == IN_RA:
            return {"ip": ra}
        if place != FRAME:
            return {"ip": memory.read_word(sp + 8 * (place - ON_STACK))}
        if frame & 7 == _INTERRUPTED:
            regs = frame - _INTERRUPTED
            found = {name: memory.member(regs, f"pt_regs.{name}") for name in ("sp", "s0", "ra", "t0")}
            return {"ip": memory.member(regs, "pt_regs.epc"), **found}
        if frame & 7 or frame < sp:
            return None
        return {"ip": memory.read_word(frame - 8), "sp": frame, "s0": memory.read_word(frame - 16)}

    def switched_out(self, memory: GuestMemory, task: int) -> Mapping[str, int]:
        at = task + _saved(self.function(memory, "__switch_to_asm"))
        values = {name: memory.read_word(at + 8 * n) for n, name in enumerate(_SWITCHED)}
        return values | {"ip": values["ra"]}

    def saved_registers(self, image: Image) -> SavedRegisters:
        return SavedRegisters(*(image.offset(f"pt_regs.{name}") for name in ("epc", "sp", "s0")))

    def without_frame(self, code: bytes, branches: Mapping[int, int]) -> NDArray[np.uint8]:
        return places(code, tuple(branches.items()))


ARCH = Riscv64()
