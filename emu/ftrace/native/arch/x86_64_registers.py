# SPDX-License-Identifier: GPL-2.0-only
"""What probes see and change of the state of an x86-64 CPU, where Unicorn has it."""

from __future__ import annotations

from emu.cpu.arch.x86_64.state import GENERAL_REGISTERS, SEGMENT_REGISTERS, layout
from emu.native.records import GuestRecord, Record, Records, Shape, Values, inline, u32, u64

__all__ = ["Env", "Registers", "Segment", "shapes"]


class Registers(Record):
    """The general registers, with which Unicorn's state of a CPU begins (`GENERAL_REGISTERS`)."""

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


class Segment(Record):
    """SegmentCache"""

    selector: u32
    base: u64
    limit: u32
    flags: u32


class Env(GuestRecord):
    """CPUX86State"""

    general: Values[u64] = inline(len(GENERAL_REGISTERS))
    segments: Records[Segment] = inline(len(SEGMENT_REGISTERS))


def shapes() -> dict[type[Record], Shape]:
    """For the layout of Unicorn."""
    return {Env: Shape({"general": 0, "segments": layout().env_segments})}
