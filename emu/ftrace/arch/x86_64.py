# SPDX-License-Identifier: GPL-2.0-only
"""x86-64 call sites: five bytes at a function's first instruction.

    nop     0f 1f 44 00 00     nopl 0(%rax,%rax)
    call    e8 rel32           call ftrace_caller
    int3    cc .. .. .. ..     while the rest is changed

The branch of a static key, anywhere in a function, has the same nop:

    jump    e9 rel32           jmp target
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import ClassVar

from emu.cpu.arch import CpuArch
from emu.cpu.arch.x86_64 import ARCH as CPU
from emu.ftrace.arch import Breakpoint, FtraceArch, GraphPath, OutOfReach
from emu.ftrace.native.arch.x86_64 import SITE_SIZE
from emu.kernel.memory import GuestMemory

__all__ = ["ARCH"]

_CALL, _JUMP = 0xE8, 0xE9


class _Int3(Breakpoint):
    """`int3` (Intel SDM, volume 3, 6.4.4): the saved instruction pointer is one past it."""

    code: ClassVar[bytes] = b"\xcc"

    def site(self, memory: GuestMemory, registers: int) -> int:
        return memory.member(registers, "pt_regs.ip") - len(self.code)

    def emulate(self, memory: GuestMemory, registers: int, site: int, code: bytes) -> None:
        after = site + SITE_SIZE
        if code[0] == _CALL:
            sp = memory.member(registers, "pt_regs.sp") - 8
            memory.write_word(sp, after)
            memory.set_member(registers, "pt_regs.sp", sp)
        if code[0] in (_CALL, _JUMP):
            after += struct.unpack("<i", code[1:])[0]
        self.go_on_at(memory, registers, after)

    def go_on_at(self, memory: GuestMemory, registers: int, address: int) -> None:
        memory.set_member(registers, "pt_regs.ip", address)


class X86_64(FtraceArch):  # noqa: N801  # the architecture's own spelling
    """x86-64 (Intel SDM)."""

    cpu: ClassVar[CpuArch] = CPU
    cycle_clock: ClassVar[str] = "x86-tsc"
    profiler: ClassVar[str] = "__fentry__"
    nop: ClassVar[bytes] = bytes.fromhex("0f1f440000")
    key_nop: ClassVar[bytes] = nop
    graph_path: ClassVar[GraphPath] = GraphPath(
        before_entry=[("ftrace_graph_caller", 0, 1)],
        after_entry=[],
        before_return=[("return_to_handler", 0, SITE_SIZE), ("ftrace_return_to_handler", 0, 1)],
        after_return=[],
    )
    return_offset: ClassVar[int] = 0
    protocols: ClassVar[Sequence[str]] = ("breakpoint", "stop_machine")
    breakpoint: ClassVar[Breakpoint | None] = _Int3()
    direct_calls: ClassVar[bool] = True
    targets_by_name: ClassVar[bool] = False
    taken_over: ClassVar[bytes] = b""

    def call(self, address: int, target: int) -> bytes:
        return _relative(_CALL, address, target)

    def jump(self, address: int, target: int) -> bytes:
        return _relative(_JUMP, address, target)

    def keystone_mode(self) -> tuple[int, int]:
        import keystone  # imported when needed

        return keystone.KS_ARCH_X86, keystone.KS_MODE_64

    def detour(self, address: int, target: int) -> bytes:
        return self.jump(address, target)

    def hinders_replacing(self, code: bytes, site: int) -> str | None:
        return "its call site is not its first instruction" if site else None

    def keeps_arguments(self, code: bytes, site: int) -> bool:
        return site == 0


def _relative(opcode: int, address: int, target: int) -> bytes:
    """An instruction with an opcode and a relative target."""
    distance = target - (address + SITE_SIZE)
    if not -(1 << 31) <= distance < 1 << 31:
        raise OutOfReach(f"{target:#x} is more than 2 GiB from {address:#x}")
    return struct.pack("<Bi", opcode, distance)


ARCH = X86_64()
