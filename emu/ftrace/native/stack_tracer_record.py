# SPDX-License-Identifier: GPL-2.0-only
"""The record of the stack tracer, shared by native code and Python."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.native.records import Record, Values, inline, u64

__all__ = ["DEEPEST", "StackTracer"]

DEEPEST = 499  # maximum of stored calls, as in Linux


class StackTracer(Record):
    """The deepest stack seen so far."""

    check: Callable[[Cpu, StackTracer], None]  # called at sites with STACK_CHECKED
    max_size: u64  # bytes of the deepest stack
    count: u64  # number of calls on it
    calls: Values[u64] = inline(2 * DEEPEST)  # of each: its address, and the end of its function's part of the stack
    top: u64  # the start of that stack, above all of them
