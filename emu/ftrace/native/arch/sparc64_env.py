# SPDX-License-Identifier: GPL-2.0-only
"""What tracing sees and changes of the state of a SPARC V9 CPU, where Unicorn has it."""

from __future__ import annotations

from emu.cpu.arch.sparc64 import state
from emu.native.records import GuestRecord, Record, Shape, Values, inline, u32, u64

__all__ = ["SHAPES", "Env", "Window"]


class Window(Record):
    """A register window."""

    o0: u64
    o1: u64
    o2: u64
    o3: u64
    o4: u64
    o5: u64
    o6: u64
    o7: u64
    locals: Values[u64] = inline(8)
    i0: u64
    i1: u64
    i2: u64
    i3: u64
    i4: u64
    i5: u64
    i6: u64
    i7: u64


class Env(GuestRecord):
    """CPUSPARCState"""

    gregs: Values[u64] = inline(8)
    regwptr: Window  # the current one
    y: u64
    fsr: u64
    cwp: u32
    asi: u32
    pstate: u32


SHAPES: dict[type[Record], Shape] = {Env: Shape({name: getattr(state.Env, name).offset for name in Env.__annotations__})}
