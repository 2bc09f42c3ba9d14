# SPDX-License-Identifier: GPL-2.0-only
"""Native code's record of an instruction that is replaced by a breakpoint."""

from __future__ import annotations

from emu.ftrace.native.trace_records import Consumer
from emu.native.records import Record, u64

__all__ = ["Kprobe"]


class Kprobe(Record):
    """An instruction that is replaced by a breakpoint: the consumers, and how the CPU continues."""

    consumers: Consumer | None  # the first; None: nothing happens
    copy: u64  # address of the instruction's copy; 0: native code emulates the instruction
    instruction: u64  # its bytes, at most eight, as a number in the guest's byte order
