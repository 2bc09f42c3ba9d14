# SPDX-License-Identifier: GPL-2.0-only
"""x86-64 CPUs: long mode with paging, traps by QEMU's own entry through the guest's IDT and TSS."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

import capstone
import unicorn

from emu.cpu.arch import RESET_PAGE, CpuArch
from emu.cpu.arch.x86_64 import mmu, repairs, state, strings, time
from emu.cpu.timing import PIPELINE, BlockSummary

if TYPE_CHECKING:
    from emu.cpu.timing.core import Core

__all__ = ["ARCH", "X86_64"]


class X86_64(CpuArch):  # noqa: N801  # the architecture's own spelling
    """x86-64 (Intel SDM)."""

    name: ClassVar[str] = "x86_64"
    byte_order: ClassVar[Literal["little", "big"]] = "little"
    page_size: ClassVar[int] = 4096
    direct_map: ClassVar[int] = 0xFFFF_8880_0000_0000
    kernel_map: ClassVar[int] = 0xFFFF_FFFF_8000_0000
    max_cpus: ClassVar[int] = 8
    vectors: ClassVar[range] = range(32, 256)
    io_window: ClassVar[range] = range(0xF0_0000_0000, 0xF0_0100_0000)  # below 1 TiB: Unicorn's CPU has 40 address bits
    most_memory: ClassVar[int | None] = io_window.start
    unicorn_mode: ClassVar[tuple[int, int]] = (unicorn.UC_ARCH_X86, unicorn.UC_MODE_64)
    capstone_mode: ClassVar[tuple[int, int]] = (capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    cycles: ClassVar[Mapping[str, int]] = time.CYCLES
    syntax: ClassVar[int] = capstone.CS_OPT_SYNTAX_ATT
    instruction_alignment: ClassVar[int] = 1
    default_timing: str = PIPELINE

    def repair(self) -> None:
        repairs.apply()

    def layout(self) -> state.Layout:
        return state.layout()

    def state_size(self) -> int:
        return state.layout().env_size

    def program_counters(self) -> tuple[int, int]:
        return state.layout().env_eip, state.layout().env_eip

    def reset(self, uc: unicorn.Uc, *, entry: int, page_table: int, arguments: tuple[int, int]) -> None:
        gdt = self.kernel_map + RESET_PAGE
        state.reset(uc, state.layout(), entry=entry, page_table=page_table, gdt=gdt, arguments=arguments)

    @property
    def cpu_models(self) -> Sequence[str]:
        return ("zen3", "zen4")

    def summarise(self, core: Core) -> Callable[[bytes, int], BlockSummary]:
        from emu.cpu.arch.x86_64.operations import Operations  # loaded when they are needed
        from emu.cpu.timing.summarise import Summariser

        return Summariser(core, Operations(core), self.timing()).summarise

    def repeated(self, instruction: bytes) -> int:
        return strings.describe(instruction)

    def registers(self, env: int) -> Mapping[str, int]:
        at = state.layout()
        general = (ctypes.c_uint64 * 16).from_address(env)
        names = (name if name.startswith("r") else f"r{name}" for name in state.GENERAL_REGISTERS)
        values = dict(zip(names, general, strict=True))
        values["rip"] = ctypes.c_uint64.from_address(env + at.env_eip).value
        values["rflags"] = ctypes.c_uint64.from_address(env + at.env_eflags).value
        segments = (state.SegmentCache * len(state.SEGMENT_REGISTERS)).from_address(env + at.env_segments)
        for name, segment in zip(state.SEGMENT_REGISTERS, segments, strict=True):
            values[name] = segment.selector
        values["fs_base"], values["gs_base"] = segments[state.FS].base, segments[state.GS].base
        control = (ctypes.c_uint64 * 5).from_address(env + at.env_cr3 - 3 * 8)
        values.update((f"cr{n}", control[n]) for n in (0, 2, 3, 4))
        return values

    def in_user_mode(self, env: int) -> bool:
        return ctypes.c_uint32.from_address(env + state.layout().env_hflags).value & state.PRIVILEGE_LEVEL == state.USER

    def set_result(self, env: int, value: int) -> None:
        ctypes.c_uint64.from_address(env).value = value & 0xFFFF_FFFF_FFFF_FFFF

    def translate(self, env: int, ram: memoryview, address: int) -> int | None:
        return mmu.walk(ram, ctypes.c_uint64.from_address(env + state.layout().env_cr3).value, address)

    @property
    def reset_page(self) -> bytes:
        return state.RESET_GDT


ARCH = X86_64()
