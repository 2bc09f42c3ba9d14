# SPDX-License-Identifier: GPL-2.0-only
"""RISC-V call sites: one word at a function's beginning, which gcc leaves free (-fpatchable-function-entry).

    as compiled     01 00 01 00     c.nop; c.nop
    nop             13 00 00 00     addi zero, zero, 0
    call            jalr t0, offset(gp)

In the kernel gp always points to .ftrace.text, so an offset of 12 bits reaches its labels from everywhere: 2 KiB of them, which
the linker checks. A call of any distance would take two words (auipc, jalr), between which a task may have been preempted. The
branch of a static key:

    jump            jal zero, target
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import ClassVar

from emu.cpu.arch import CpuArch
from emu.cpu.arch.riscv64 import ARCH as CPU
from emu.ftrace.arch import Breakpoint, FtraceArch, GraphPath, OutOfReach

__all__ = ["ARCH"]

_JALR_T0_GP = 0x67 | 5 << 7 | 3 << 15
_JAL = 0x6F
_AUIPC_T1, _JALR_ZERO_T1 = 0x17 | 6 << 7, 0x67 | 6 << 15
_REACH = 2048  # bytes behind gp, which is at the beginning of a page
_NEAR = 1 << 31  # bytes from the image to any code


class Riscv64(FtraceArch):
    """RV64GC."""

    cpu: ClassVar[CpuArch] = CPU
    cycle_clock: ClassVar[str] = "riscv-time"
    profiler: ClassVar[str] = "_mcount"
    nop: ClassVar[bytes] = bytes.fromhex("13000000")
    key_nop: ClassVar[bytes] = nop
    graph_path: ClassVar[GraphPath] = GraphPath(
        before_entry=[("ftrace_graph_caller", 0, 2)],
        after_entry=[],
        before_return=[("return_to_handler", 0, 4), ("ftrace_return_to_handler", 0, 2)],
        after_return=[("return_to_handler", 4, 6)],
    )
    return_offset: ClassVar[int] = 0
    protocols: ClassVar[Sequence[str]] = ("flush", "stop_machine")
    breakpoint: ClassVar[Breakpoint | None] = None
    direct_calls: ClassVar[bool] = False
    targets_by_name: ClassVar[bool] = False
    taken_over: ClassVar[bytes] = b""

    def compiled(self, address: int, profiler: int) -> bytes:
        return bytes.fromhex("01000100")

    def call(self, address: int, target: int) -> bytes:
        if target & 4095 >= _REACH:
            raise OutOfReach(f"{target:#x} is more than 2 KiB behind gp")
        if not -_NEAR <= target - address < _NEAR:
            raise OutOfReach(f"{target:#x} is not behind gp, which is in the kernel's image: less than 2 GiB from {address:#x}")
        return struct.pack("<I", _JALR_T0_GP | (target & 4095) << 20)

    def jump(self, address: int, target: int) -> bytes:
        distance = target - address
        if not -(1 << 20) <= distance < 1 << 20:
            raise OutOfReach(f"{target:#x} is more than 1 MiB from {address:#x}")
        low, middle, bit, high = distance >> 1 & 0x3FF, distance >> 11 & 1, distance >> 20 & 1, distance >> 12 & 0xFF
        return struct.pack("<I", _JAL | high << 12 | middle << 20 | low << 21 | bit << 31)

    def keystone_mode(self) -> tuple[int, int]:
        raise ValueError("there is no assembler for riscv64: keystone has none. Name a function instead (`to`)")

    def detour(self, address: int, target: int) -> bytes:
        low = (target - address & 0xFFF ^ 0x800) - 0x800
        high = target - address - low
        if not -(1 << 31) <= high < 1 << 31:
            raise OutOfReach(f"{target:#x} is more than 2 GiB from {address:#x}")
        return struct.pack("<II", _AUIPC_T1 | high & 0xFFFF_F000, _JALR_ZERO_T1 | (low & 0xFFF) << 20)

    def hinders_replacing(self, code: bytes, site: int) -> str | None:
        return "its call site is not its first instruction" if site else None

    def keeps_arguments(self, code: bytes, site: int) -> bool:
        return site == 0


ARCH = Riscv64()
