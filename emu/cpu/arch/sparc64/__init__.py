# SPDX-License-Identifier: GPL-2.0-only
"""SPARC V9 CPUs (UltraSPARC): traps by QEMU's own entry through the guest's trap table, TLB misses by the guest."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import ClassVar, Literal

import capstone
import unicorn

from emu.cpu.arch import CpuArch
from emu.cpu.arch.sparc64 import mmu, repairs, state, time
from emu.cpu.internals import CpuStructures, handle_of

__all__ = ["ARCH"]


class Sparc64(CpuArch):
    """SPARC V9 (The SPARC Architecture Manual, version 9), with UltraSPARC's MMU."""

    name: ClassVar[str] = "sparc64"
    byte_order: ClassVar[Literal["little", "big"]] = "big"
    page_size: ClassVar[int] = 8192
    direct_map: ClassVar[int] = 0xFFFF_F800_0000_0000
    kernel_map: ClassVar[int] = 0xFFFF_F800_0000_0000
    max_cpus: ClassVar[int] = 128
    vectors: ClassVar[range] = range(1, 16)
    unicorn_mode: ClassVar[tuple[int, int]] = (unicorn.UC_ARCH_SPARC, unicorn.UC_MODE_SPARC64 | unicorn.UC_MODE_BIG_ENDIAN)
    capstone_mode: ClassVar[tuple[int, int]] = (capstone.CS_ARCH_SPARC, capstone.CS_MODE_BIG_ENDIAN | capstone.CS_MODE_V9)
    cycles: ClassVar[Mapping[str, int]] = time.CYCLES
    syntax: ClassVar[int] = capstone.CS_OPT_SYNTAX_DEFAULT
    instruction_alignment: ClassVar[int] = 4

    def repair(self) -> None:
        repairs.apply()

    def layout(self) -> CpuStructures:
        return state.layout()

    def state_size(self) -> int:
        return ctypes.sizeof(state.Env)

    def program_counters(self) -> tuple[int, int]:
        return state.Env.pc.offset, state.Env.npc.offset

    def reset(self, uc: unicorn.Uc, *, entry: int, page_table: int, arguments: tuple[int, int]) -> None:
        at = state.layout()
        env = ctypes.c_uint64.from_address(handle_of(uc) + at.uc_cpu).value + at.cpu_env
        state.reset(state.Env.from_address(env), entry=entry, kernel=self.kernel_map, arguments=arguments)

    def disassembler(self) -> capstone.Cs:
        disassembler = super().disassembler()
        disassembler.skipdata = True  # it does not know rdpr, wrpr, done, retry, saved and restored
        return disassembler

    def registers(self, env: int) -> Mapping[str, int]:
        at = state.Env.from_address(env)
        window = (ctypes.c_uint64 * len(state.WINDOW_REGISTERS)).from_address(at.regwptr)
        values = {f"g{n}": at.gregs[n] for n in range(8)}
        values.update(zip(state.WINDOW_REGISTERS, window, strict=True))
        values["sp"], values["fp"] = values["o6"], values["i6"]
        for name in ("pc", "npc", "y", "asi", "pstate", "tl", "fprs"):
            values[name] = getattr(at, name)
        values["ccr"], values["pil"], values["tba"], values["asr23"] = state.condition_codes(env), at.psrpil, at.tbr, at.tick_cmpr
        for name in ("cwp", "cansave", "canrestore", "otherwin", "cleanwin", "wstate"):
            values[name] = getattr(at, name)
        if 0 < at.tl < len(at.ts):  # Unicorn's `done` and `retry` decrement 0 to -1, where V9 has a trap
            trap = at.ts[at.tl]
            values.update((name, getattr(trap, name)) for name in ("tpc", "tnpc", "tstate", "tt"))
        return values

    def in_user_mode(self, env: int) -> bool:
        return not state.Env.from_address(env).pstate & state.PSTATE_PRIV

    def set_result(self, env: int, value: int) -> None:
        window = ctypes.c_uint64.from_address(env + state.Env.regwptr.offset).value
        ctypes.c_uint64.from_address(window).value = value & 0xFFFF_FFFF_FFFF_FFFF

    def translate(self, env: int, ram: memoryview, address: int) -> int | None:
        if address >= self.kernel_map:
            return address - self.kernel_map
        return mmu.walk(state.Env.from_address(env), address)

    @property
    def reset_page(self) -> bytes:
        return b""


ARCH = Sparc64()
