# SPDX-License-Identifier: GPL-2.0-only
"""SPARC V9 call sites: one word, after the instructions that set up the function's register window.

    nop     01 00 00 00     sethi 0, %g0
    call    40 disp30       call ftrace_caller

The instruction in the call's delay slot is unchanged and always executed. A word is written atomically, so no CPU sees half a
site: patching needs no breakpoint, only a write and a `flush`.

The branch of a static key has the same nop. Its jump annuls the delay slot:

    jump    30 68 disp19       ba,a,pt %xcc, target
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from emu.cpu.arch import CpuArch
from emu.cpu.arch.sparc64 import ARCH as CPU
from emu.ftrace.arch import Breakpoint, FtraceArch, GraphPath, OutOfReach
from emu.ftrace.native.arch.sparc64_unwind import RETURN_OFFSET

__all__ = ["ARCH"]

_CALL = 1 << 30
_DISPLACEMENT = (1 << 30) - 1
_JUMP = 0x30680000
_JUMP_DISPLACEMENT = (1 << 19) - 1

_MEMORY, _ARITHMETIC = 3, 2  # op (manual, appendix E)
_SAVE, _SAVE_MASK = 0x9DE0_0000, 0xFFF8_0000  # save ..., %sp
_RESTORE = bytes.fromhex("81e80000")
_ARGUMENTS = range(24, 30)  # %i0 to %i5
_OF_FRAMES = (14, 30)  # %sp, %fp


class Sparc64(FtraceArch):
    """SPARC V9 (The SPARC Architecture Manual, version 9)."""

    cpu: ClassVar[CpuArch] = CPU
    cycle_clock: ClassVar[str] = "sparc-tick"
    profiler: ClassVar[str] = "_mcount"
    nop: ClassVar[bytes] = bytes.fromhex("01000000")
    key_nop: ClassVar[bytes] = nop
    graph_path: ClassVar[GraphPath] = GraphPath(
        before_entry=[("ftrace_graph_caller", 0, 28), ("prepare_ftrace_return", 0, 8)],
        after_entry=[("ftrace_graph_caller", 28, 36)],
        before_return=[("return_to_handler", 0, 12), ("ftrace_return_to_handler", 0, 8)],
        after_return=[("return_to_handler", 12, 20)],
    )
    return_offset: ClassVar[int] = RETURN_OFFSET
    protocols: ClassVar[Sequence[str]] = ("flush", "stop_machine")
    breakpoint: ClassVar[Breakpoint | None] = None
    direct_calls: ClassVar[bool] = False
    targets_by_name: ClassVar[bool] = True
    taken_over: ClassVar[bytes] = _RESTORE

    def call(self, address: int, target: int) -> bytes:
        distance = target - address
        if not -(1 << 31) <= distance < 1 << 31:
            raise OutOfReach(f"{target:#x} is more than 2 GiB from {address:#x}")
        return struct.pack(">I", _CALL | distance >> 2 & _DISPLACEMENT)

    def jump(self, address: int, target: int) -> bytes:
        distance = target - address
        if not -(1 << 20) <= distance < 1 << 20:
            raise OutOfReach(f"{target:#x} is more than 1 MiB from {address:#x}")
        return struct.pack(">I", _JUMP | distance >> 2 & _JUMP_DISPLACEMENT)

    def keystone_mode(self) -> tuple[int, int]:
        import keystone  # imported when needed

        return keystone.KS_ARCH_SPARC, keystone.KS_MODE_SPARC64 | keystone.KS_MODE_BIG_ENDIAN

    def detour(self, address: int, target: int) -> bytes:
        """A call; the delay slot restores the caller's window, so the return address goes with the replaced function's window."""
        return self.call(address, target) + _RESTORE

    def hinders_replacing(self, code: bytes, site: int) -> str | None:
        """Checks the instructions before the site and in the delay slot: the arguments must be preserved by them.

        An argument that the function never reads may be overwritten.
        """
        words = _before_tracing(code, site)
        if words[0] & _SAVE_MASK != _SAVE:
            return "it has no register window of its own"
        read: set[int] = set()
        for word in words[1:]:
            if _is_store(word):
                if word >> 14 & 31 not in _OF_FRAMES:
                    return "it stores something before its call site returns"
                continue
            read |= _sources(word)
            if (changed := word >> 25 & 31) in _ARGUMENTS and changed in read:
                return f"it changes its argument {changed - _ARGUMENTS.start + 1} before its call site returns"
        return None

    def keeps_arguments(self, code: bytes, site: int) -> bool:
        first, *words = _before_tracing(code, site)
        return first & _SAVE_MASK == _SAVE and not any(word >> 25 & 31 in _ARGUMENTS for word in words if not _is_store(word))


def _before_tracing(code: bytes, site: int) -> list[int]:
    """The instructions executed before a function's call site calls; the last one is in the delay slot."""
    words = np.frombuffer(code[: site + 8], ">u4").tolist()
    return [*words[:-2], words[-1]]


def _is_store(word: int) -> bool:
    return word >> 30 == _MEMORY and bool(word >> 21 & 1)  # op3 of stores


def _sources(word: int) -> set[int]:
    """The registers that an instruction reads, unless it is a store."""
    if word >> 30 not in (_MEMORY, _ARITHMETIC):
        return set()
    return {word >> 14 & 31} | (set() if word >> 13 & 1 else {word & 31})


ARCH = Sparc64()
