# SPDX-License-Identifier: GPL-2.0-only
"""The state of an x86-64 CPU in Unicorn, as far as native code accesses it."""

from __future__ import annotations

from emu.cpu.arch.x86_64.state import GENERAL_REGISTERS, Layout
from emu.cpu.native.cpu_records import shapes
from emu.native.records import Layouts, Record, Records, Shape, i32, inline, u8, u16, u32, u64

__all__ = ["Env", "Registers", "Segment", "layouts"]


class Registers(Record):
    """The general registers, at the start of the state."""

    ax: u64
    cx: u64
    dx: u64
    bx: u64
    sp: u64
    bp: u64
    si: u64
    di: u64
    r8: u64
    r9: u64
    r10: u64
    r11: u64
    r12: u64
    r13: u64
    r14: u64
    r15: u64


assert tuple(Registers.__annotations__) == GENERAL_REGISTERS


class Segment(Record):
    """SegmentCache"""

    selector: u32
    base: u64
    limit: u32
    flags: u32


class Env(Registers):
    """CPUX86State"""

    eip: u64
    eflags: u32
    cc_op: u32  # the kind of the instruction that has set the arithmetic flags
    df: i32  # 1, or -1 if string instructions go backwards
    hflags: u32
    hflags2: u32
    segments: Records[Segment] = inline(6)  # one per entry of SEGMENT_REGISTERS
    cr3: u64
    cr4: u64
    star: u64
    lstar: u64
    fmask: u64
    fpus: u16  # the x87 status word
    x87_flags: u8  # x87 exceptions that are not in `fpus` yet
    sse_flags: u8  # SSE exceptions that are not in MXCSR yet
    mxcsr: u32


def layouts(at: Layout) -> Layouts:
    """The layouts of this and of Unicorn's other structures."""
    return Layouts(shapes(at) | {Env: Shape({name: getattr(at, f"env_{name}") for name in Env.__annotations__})})
