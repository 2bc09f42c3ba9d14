# SPDX-License-Identifier: GPL-2.0-only
"""What native code and Python share of the stack tracer."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.native.records import Record, Values, inline, u64

__all__ = ["DEEPEST", "StackTracer"]

DEEPEST = 499  # calls that are kept of a stack, as in Linux


class StackTracer(Record):
    """The deepest stack that was seen."""

    check: Callable[[Cpu, StackTracer], None]  # called at the sites with STACK_CHECKED
    max_size: u64  # bytes, of the deepest stack that was seen
    count: u64  # calls under way then
    calls: Values[u64] = inline(2 * DEEPEST)  # of each its address, and where its function's part of the stack ends
    top: u64  # where that stack begins, above all of them
