# SPDX-License-Identifier: GPL-2.0-only
"""RISC-V kernels: sv39 from the first instruction, frame pointers on every stack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from emu.cpu.arch.riscv64.state import REGISTERS
from emu.cpu.cpu import Cpu
from emu.kernel.arch import KernelArch, RealAddress, SavedRegisters
from emu.kernel.image import Image
from emu.kernel.memory import GuestMemory

__all__ = ["ARCH"]

_GENERAL = REGISTERS[1:]  # in their order in struct pt_regs, from ra on
_INTERRUPTED = 1  # a bit of a frame pointer: the rest is the address of a struct pt_regs


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
        """To do: a function without a frame, at whose beginning the caller is in ra."""
        saved, frame, last = self.saved_registers(memory.image), registers["s0"], 0
        with suppress(LookupError):
            while True:
                if frame & 7 == _INTERRUPTED:
                    regs, last = frame - _INTERRUPTED, 0
                    address, frame = real(0, memory.read_word(regs + saved.pc)), memory.read_word(regs + saved.link)
                elif frame & 7 == 0 and frame > last:
                    address, last = real(frame, memory.read_word(frame - 8)), frame
                    frame = memory.read_word(frame - 16)
                else:
                    return
                yield address

    def saved_registers(self, image: Image) -> SavedRegisters:
        return SavedRegisters(*(image.offset(f"pt_regs.{name}") for name in ("epc", "sp", "s0")))

    def without_frame(self, code: bytes, branches: Mapping[int, int]) -> NDArray[np.uint8]:
        return np.zeros(len(code), np.uint8)


ARCH = Riscv64()
