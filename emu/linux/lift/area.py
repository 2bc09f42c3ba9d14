# SPDX-License-Identifier: GPL-2.0-only
"""The host's memory for lifted code: all that it may write to."""

from __future__ import annotations

from emu.ftrace.native.trace_values import LARGEST_ENTRY, STAGE_SIZE
from emu.native.records import HOST, Record, Values, inline, u8, u64

__all__ = ["ABOVE", "ENTRY_ROOM", "MOST_STACK_WORDS", "STACK", "Area", "offset_of"]

STACK = 16 << 10  # bytes, as of the kernel's own
ABOVE = 1024  # bytes of the guest's stack above the pointer that lifted code may write to
_REGISTERS = 6  # arguments in registers
MOST_STACK_WORDS = 26  # arguments on the stack; tracepoints with more than twelve arguments are rare
_FILE = 1024  # bytes: more than struct trace_event_file has


class Area(Record):
    """Nothing interrupts lifted code, so one area is enough for all CPUs."""

    stack: Values[u8] = inline(STACK)  # grows down
    returns_to: u64  # the return address of the outermost lifted function
    outgoing: Values[u64] = inline(MOST_STACK_WORDS)  # a tracepoint's arguments on the stack
    registers: Values[u64] = inline(_REGISTERS)  # ... and in registers
    function: Values[u64] = inline(3)  # a struct tracepoint_func: the function, its data
    file: Values[u8] = inline(_FILE)  # the data, a struct trace_event_file, which enables the event
    entry: Values[u8] = inline(STAGE_SIZE)
    stack_start: u64  # the guest's address for which `stack` is, while the lifted code is on the guest's stack
    above: Values[u8] = inline(ABOVE)  # what it has stored above that
    stored: Values[u8] = inline(ABOVE)  # 255 for each byte that it has stored
    failed: u64  # not 0: the code would have read memory that is not there, or have written to the guest's


ENTRY_ROOM = LARGEST_ENTRY


def offset_of(name: str) -> int:
    """The offset of a member."""
    return HOST.fields(Area)[name].offset
