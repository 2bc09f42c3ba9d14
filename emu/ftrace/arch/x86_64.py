# SPDX-License-Identifier: GPL-2.0-only
"""x86-64 call sites: five bytes at a function's first instruction.

    nop     0f 1f 44 00 00     nopl 0(%rax,%rax)
    call    e8 rel32           call ftrace_caller
    int3    cc .. .. .. ..     while the rest changes
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, ClassVar

from emu.cpu.arch.x86_64 import state
from emu.ftrace.arch import FtraceArch, OutOfReach

if TYPE_CHECKING:
    from emu.kernel.kernel import Kernel

__all__ = ["ARCH"]


class X86_64(FtraceArch):  # noqa: N801  # the architecture's own spelling
    """x86-64 (Intel SDM)."""

    cycle_clock: ClassVar[str] = "x86-tsc"
    site_size: ClassVar[int] = 5
    nop: ClassVar[bytes] = bytes.fromhex("0f1f440000")
    breakpoint: ClassVar[bytes] = b"\xcc"
    protocols: ClassVar[Sequence[str]] = ("breakpoint", "stop_machine")

    def call(self, address: int, target: int) -> bytes:
        distance = target - (address + self.site_size)
        if not -(1 << 31) <= distance < 1 << 31:
            raise OutOfReach(f"{target:#x} is more than 2 GiB from {address:#x}")
        return b"\xe8" + struct.pack("<i", distance)

    def emulate(self, kernel: Kernel, registers: int, site: int, code: bytes) -> None:
        after = site + self.site_size
        if code[0] == 0xE8:
            sp = kernel.member(registers, "pt_regs.sp") - 8
            kernel.write_word(sp, after)
            kernel.set_member(registers, "pt_regs.sp", sp)
            after += struct.unpack("<i", code[1:])[0]
        kernel.set_member(registers, "pt_regs.ip", after)

    @functools.cached_property
    def _native(self) -> SimpleNamespace:
        from emu.ftrace.native.arch import x86_64  # compiles on import

        return x86_64.build(state.layout())

    def native(self) -> SimpleNamespace:
        return self._native


ARCH = X86_64()
