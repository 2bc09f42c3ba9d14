# SPDX-License-Identifier: GPL-2.0-only
"""RISC-V CPUs (rv64gc): traps by QEMU's own entry to stvec. The board is in the place of machine mode."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import ClassVar, Literal

import capstone
import unicorn

from emu.cpu.arch import CpuArch
from emu.cpu.arch.riscv64 import mmu, repairs, state, time
from emu.cpu.internals import CpuStructures, handle_of

__all__ = ["ARCH"]


class Riscv64(CpuArch):
    """RV64GC with sv39 (The RISC-V Instruction Set Manual)."""

    name: ClassVar[str] = "riscv64"
    byte_order: ClassVar[Literal["little", "big"]] = "little"
    page_size: ClassVar[int] = 4096
    direct_map: ClassVar[int] = 0xFFFF_FFC0_0000_0000
    kernel_map: ClassVar[int] = 0xFFFF_FFC0_0000_0000
    max_cpus: ClassVar[int] = 128
    vectors: ClassVar[range] = range(16, 63)
    unicorn_mode: ClassVar[tuple[int, int]] = (unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV64)
    capstone_mode: ClassVar[tuple[int, int]] = (capstone.CS_ARCH_RISCV, capstone.CS_MODE_RISCV64 | capstone.CS_MODE_RISCVC)
    cycles: ClassVar[Mapping[str, int]] = time.CYCLES
    syntax: ClassVar[int] = capstone.CS_OPT_SYNTAX_DEFAULT
    instruction_alignment: ClassVar[int] = 2
    fenced_code: ClassVar[bool] = True  # `fence.i`

    def repair(self) -> None:
        repairs.apply()

    def layout(self) -> CpuStructures:
        return state.layout()

    def state_size(self) -> int:
        return ctypes.sizeof(state.Env)

    def program_counters(self) -> tuple[int, int]:
        return state.Env.pc.offset, state.Env.pc.offset

    def reset(self, uc: unicorn.Uc, *, entry: int, page_table: int, arguments: tuple[int, int]) -> None:
        at = state.layout()
        env = ctypes.c_uint64.from_address(handle_of(uc) + at.uc_cpu).value + at.cpu_env
        state.reset(state.Env.from_address(env), entry=entry, page_table=page_table, arguments=arguments)

    def disassembler(self) -> capstone.Cs:
        disassembler = super().disassembler()
        disassembler.skipdata = True
        return disassembler

    def registers(self, env: int) -> Mapping[str, int]:
        at = state.Env.from_address(env)
        values = dict(zip(state.REGISTERS, at.gpr, strict=True))
        for name in ("pc", "priv", "sepc", "scause", "sscratch", "stvec", "satp"):
            values[name] = getattr(at, name)
        values["sstatus"], values["stval"], values["sie"] = at.mstatus, at.sbadaddr, at.mie
        return values

    def in_user_mode(self, env: int) -> bool:
        return bool(state.Env.from_address(env).priv == state.USER)

    def set_result(self, env: int, value: int) -> None:
        state.Env.from_address(env).gpr[10] = value & 0xFFFF_FFFF_FFFF_FFFF

    def translate(self, env: int, ram: memoryview, address: int) -> int | None:
        return mmu.walk(ram, state.Env.from_address(env).satp, address)

    @property
    def reset_page(self) -> bytes:
        return b""


ARCH = Riscv64()
