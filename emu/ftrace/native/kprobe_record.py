# SPDX-License-Identifier: GPL-2.0-only
"""What native code knows of an instruction that a breakpoint stands for."""

from __future__ import annotations

from emu.ftrace.native.trace_records import Consumer
from emu.native.records import Record, u64

__all__ = ["Kprobe"]


class Kprobe(Record):
    """An instruction that a breakpoint stands for: what happens there, and how the CPU goes on."""

    consumers: Consumer | None  # the first; None: nothing happens
    copy: u64  # address of the instruction's copy; 0: native code does what the instruction does
    instruction: u64  # its bytes, at most eight, as a number in the guest's byte order
