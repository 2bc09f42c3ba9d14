# SPDX-License-Identifier: GPL-2.0-only
"""SPARC V9 call sites: one word, after the instructions that give the function its register window.

    nop     01 00 00 00     sethi 0, %g0
    call    40 disp30       call ftrace_caller

The instruction in the call's delay slot stays, and is always executed. A word is written at once, so no CPU sees half a
site: a change needs no breakpoint, but a write and a `flush`.

The branch of a static key has the same nop, and a second one in the delay slot of its jump:

    jump    10 68 disp19       ba,pt %xcc, target
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import ClassVar

from emu.cpu.arch import CpuArch
from emu.cpu.arch.sparc64 import ARCH as CPU
from emu.cpu.arch.sparc64.state import WINDOW_REGISTERS
from emu.ftrace.arch import Breakpoint, FtraceArch, OutOfReach, ProbeRegisters
from emu.ftrace.native.arch.sparc64 import RETURN_OFFSET

__all__ = ["ARCH"]

_CALL = 1 << 30
_DISPLACEMENT = (1 << 30) - 1
_JUMP = 0x10680000
_JUMP_DISPLACEMENT = (1 << 19) - 1

# The globals, the window, and what else struct pt_regs has.
_PROBE_WORDS = (*(f"g{n}" for n in range(8)), *WINDOW_REGISTERS, "tstate", "tpc", "tnpc", "y")
_PROBE_REGISTERS = {name: word for word, name in enumerate(_PROBE_WORDS)}
_PROBE_REGISTERS |= {"sp": _PROBE_REGISTERS["o6"], "fp": _PROBE_REGISTERS["i6"], "pc": _PROBE_REGISTERS["tpc"]}


class Sparc64(FtraceArch):
    """SPARC V9 (The SPARC Architecture Manual, version 9)."""

    cpu: ClassVar[CpuArch] = CPU
    cycle_clock: ClassVar[str] = "sparc-tick"
    profiler: ClassVar[str] = "_mcount"
    nop: ClassVar[bytes] = bytes.fromhex("01000000")
    key_nop: ClassVar[bytes] = nop
    return_offset: ClassVar[int] = RETURN_OFFSET
    protocols: ClassVar[Sequence[str]] = ("flush", "stop_machine")
    breakpoint: ClassVar[Breakpoint | None] = None
    probe_registers: ClassVar[ProbeRegisters] = ProbeRegisters(
        names=_PROBE_REGISTERS,
        arguments=[_PROBE_REGISTERS[f"o{n}"] for n in range(6)],
        stack_arguments=22,  # behind the room for the window and for six arguments (SPARC Compliance Definition 2.4, 3)
        return_value=_PROBE_REGISTERS["o0"],
        pc=_PROBE_REGISTERS["tpc"],
        stack_pointer=_PROBE_REGISTERS["sp"],
        stack_bias=2047,
    )

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


ARCH = Sparc64()
