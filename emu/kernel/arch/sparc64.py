# SPDX-License-Identifier: GPL-2.0-only
"""SPARC V9 kernels: callers are in register windows, some of which are in the CPU and the others on the stack."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import ClassVar

import capstone
import numpy as np
from numpy.typing import NDArray

from emu.cpu.arch.sparc64 import ARCH as CPU
from emu.cpu.arch.sparc64.state import Env, windows
from emu.cpu.cpu import Cpu
from emu.kernel.arch import KernelArch, RealAddress, SavedRegisters
from emu.kernel.image import Image
from emu.kernel.memory import GuestMemory

__all__ = ["ARCH", "SAVED_CALL", "SAVED_FP", "SAVED_WINDOW", "TRAP_REGISTERS"]

_GLOBALS, _OUTS = tuple(f"g{n}" for n in range(1, 8)), tuple(f"o{n}" for n in range(8))
_WINDOW = tuple(f"{kind}{n}" for kind in "li" for n in range(8))
_SHOWN = ("ip", "npc", "sp", "pstate", "pil", "tl", "y", *_GLOBALS, *_OUTS, *_WINDOW)

# Where a window is saved on its stack (SPARC Compliance Definition 2.4, 3P: the stack pointer is biased).
_DISASSEMBLER = capstone.Cs(*CPU.capstone_mode)
_BIAS = 2047
SAVED_WINDOW, SAVED_FP, SAVED_CALL = _BIAS, _BIAS + 8 * 14, _BIAS + 8 * 15
TRAP_REGISTERS = _BIAS + 192  # offset in trap_entry's frame of its struct pt_regs

_TRAMPOLINE = "return_to_handler"
_CALL = 1  # the first two bits of a call
_SAVE, _SAVE_MASK = 0x9DE3_8000, 0xFFFF_C000  # save %sp, ..., %sp
_RETURN, _RETURN_MASK = 0x81C8_0000, 0xC1F8_0000  # return ...: a restore and a jump in one instruction


@functools.lru_cache
def _stored(code: bytes) -> Mapping[str, int]:
    """Where __switch_to_asm stores registers in the task that it leaves, by their names in its window."""
    stored = {}
    for _, _, name, operands in _DISASSEMBLER.disasm_lite(code, 0):
        if name == "stx" and (found := re.fullmatch(r"%(fp|i7), \[%i0 ?\+ ?(0x\w+|\d+)\]", operands)):
            stored[found[1]] = int(found[2], 0)
    if stored.keys() != {"fp", "i7"}:
        raise LookupError("__switch_to_asm stores no stack pointer")
    return stored


class Sparc64(KernelArch):
    """SPARC V9."""

    elf_machine: ClassVar[str] = "EM_SPARCV9"
    page_table: ClassVar[str | None] = None
    boot_params: ClassVar[int] = 0x2000
    trap_entry: ClassVar[str | None] = "etrap"

    def registers(self, memory: GuestMemory, cpu: Cpu, saved: int) -> Mapping[str, int]:
        if saved == 0:
            values = cpu.registers()
            return {name: values["pc" if name == "ip" else name] for name in _SHOWN}
        return self._saved(memory, saved)

    def _saved(self, memory: GuestMemory, saved: int) -> Mapping[str, int]:
        """What a struct pt_regs at an address has."""
        general = saved + memory.image.offset("pt_regs.u_regs")
        out = {
            "ip": memory.member(saved, "pt_regs.tpc"),
            "npc": memory.member(saved, "pt_regs.tnpc"),
            "sp": memory.read_word(general + 8 * 14),
            "tstate": memory.member(saved, "pt_regs.tstate"),
            "y": memory.member(saved, "pt_regs.y"),
        }
        for n, name in enumerate((*_GLOBALS, *_OUTS), 1):
            out[name] = memory.read_word(general + 8 * n)
        return out

    def callers(self, memory: GuestMemory, cpu: Cpu, registers: Mapping[str, int], real: RealAddress) -> Iterator[int]:
        in_cpu = {sp: (fp, call) for sp, fp, call in windows(Env.from_address(cpu.env))}
        saved = self.saved_registers(memory.image)
        address, sp, called_from, last = registers["ip"], registers["sp"], registers["o7"], 0
        interrupted, innermost = True, True
        with suppress(LookupError):
            while sp > last:
                function = memory.image.function_at(address)
                if interrupted and self.without_frame_at(memory, address):
                    interrupted, address = False, real(sp, called_from)
                # The innermost call may also be trap_entry, which may not have saved the registers yet.
                elif not innermost and function is not None and function.name == self.trap_entry:
                    regs = sp + TRAP_REGISTERS
                    interrupted, address = True, real(0, memory.read_word(regs + saved.pc))
                    sp, called_from = memory.read_word(regs + saved.sp), memory.read_word(regs + saved.link)
                else:
                    interrupted = False
                    fp, address = in_cpu.get(sp) or (memory.read_word(sp + SAVED_FP), memory.read_word(sp + SAVED_CALL))
                    if fp <= sp:
                        return
                    sp, last = fp, sp
                    address = real(sp, address)
                innermost = False
                yield address

    def caller(self, memory: GuestMemory, registers: Mapping[str, int]) -> Mapping[str, int] | None:
        function = memory.image.function_at(address := registers["ip"])
        if function is not None and function.name == self.trap_entry and memory.read_word(address - 8, 4) >> 30 == _CALL:
            return self._interrupted(memory, registers["sp"] + TRAP_REGISTERS)
        if function is None or self.is_entry_code(memory.image, address):
            return None
        if address > function.address and memory.read_word(address - 4, 4) & _RETURN_MASK == _RETURN:
            return {"ip": registers["npc"], "npc": registers["npc"] + 4}
        begins = memory.read_word(function.address, 4)
        if begins & _SAVE_MASK == _SAVE and function.address != memory.image.symbol(_TRAMPOLINE):
            return None
        if self.without_frame_at(memory, address):
            return {"ip": registers["o7"] + 8, "npc": registers["o7"] + 12}
        outs = {f"o{n}": registers[f"i{n}"] for n in range(8) if n != 6}
        window = {f"*{name}": registers["i6"] + SAVED_WINDOW + 8 * n for n, name in enumerate(_WINDOW)}
        return {"ip": registers["i7"] + 8, "npc": registers["i7"] + 12, "sp": registers["i6"], **outs, **window}

    def _interrupted(self, memory: GuestMemory, regs: int) -> Mapping[str, int]:
        """The registers of code that a trap has interrupted, whose struct pt_regs is at an address, in the form of `caller`."""
        shown = self._saved(memory, regs)
        out = {name: shown[name] for name in ("ip", "npc", "sp", *_GLOBALS, *_OUTS) if name != "o6"}
        return out | {f"*{name}": out["sp"] + SAVED_WINDOW + 8 * n for n, name in enumerate(_WINDOW)}

    def switched_out(self, memory: GuestMemory, task: int) -> Mapping[str, int]:
        stored = _stored(self.function(memory, "__switch_to_asm"))
        sp, call = (memory.read_word(task + stored[name]) for name in ("fp", "i7"))
        window = {name: memory.read_word(sp + SAVED_WINDOW + 8 * n) for n, name in enumerate(_WINDOW)}
        return {"ip": call + 8, "npc": call + 12, "sp": sp, "o7": call, **window}

    def saved_registers(self, image: Image) -> SavedRegisters:
        general = image.offset("pt_regs.u_regs")
        return SavedRegisters(image.offset("pt_regs.tpc"), general + 8 * 14, general + 8 * 15)

    def without_frame(self, code: bytes, branches: Mapping[int, int]) -> NDArray[np.uint8]:
        size = len(code)
        words = np.frombuffer(code, ">u4", size // 4)
        (saves,) = np.nonzero(words & _SAVE_MASK == _SAVE)
        places = (np.arange(size) < (4 * (int(saves[0]) + 1) if len(saves) else size)).astype(np.uint8)
        for returned in np.flatnonzero(words & _RETURN_MASK == _RETURN).tolist():
            places[4 * (returned + 1) : 4 * (returned + 2)] = 1  # its delay slot runs in the caller's window
        return places


ARCH = Sparc64()
