# SPDX-License-Identifier: GPL-2.0-only
"""The state of a SPARC V9 CPU in Unicorn, as far as native code accesses it."""

from __future__ import annotations

from emu.cpu.arch.sparc64 import state
from emu.cpu.internals import CpuStructures
from emu.cpu.native.cpu_records import shapes
from emu.native.records import GuestRecord, Layouts, Shape, Values, inline, u32, u64

__all__ = ["Env", "layouts"]


class Env(GuestRecord):
    """CPUSPARCState: some members of `state.Env`, at the same offsets."""

    gregs: Values[u64] = inline(8)  # the globals
    regwptr: Values[u64]  # the current window: outs, locals and ins
    pc: u64
    npc: u64
    cond: u64  # of the conditional branch whose delay slot is executed
    psrpil: u32
    pstate: u32
    tl: u32
    maxtl: u32
    tick_cmpr: u64


def layouts(at: CpuStructures) -> Layouts:
    """The layouts of this and of Unicorn's other structures."""
    offsets = {name: getattr(state.Env, name).offset for name in Env.__annotations__}
    return Layouts(shapes(at) | {Env: Shape(offsets)})
