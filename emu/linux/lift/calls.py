# SPDX-License-Identifier: GPL-2.0-only
"""Functions of the kernel that lifted code does not execute: the host has its own for them.

What an event's function calls to get room for its entry, and to pass it on, is the host's. String functions are, too: the
kernel's are many, patched at boot, and slow to lift.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import llvmlite.ir as ir

from emu.linux.lift.area import ENTRY_ROOM
from emu.linux.lift.memory import I64, Memory

__all__ = ["COMMIT", "NO_RETURN", "REPLACED", "RESERVE", "WRITING", "Replacement", "reserve"]

Replacement: TypeAlias = Callable[[ir.IRBuilder, Memory, Sequence[ir.Value]], ir.Value]
"""replacement(builder, memory, arguments) -> the result. The arguments are 64 bits wide."""

RESERVE = "trace_event_buffer_reserve"
"""reserve(buffer, file, size) -> room for an entry."""

COMMIT = "trace_event_buffer_commit"
"""The entry is complete."""

NO_RETURN = frozenset((
    "__stack_chk_fail", "fortify_panic", "__fortify_panic", "__fortify_report", "__ubsan_handle_out_of_bounds", "panic",
    "BUG_func", "__warn_printk", "_printk", "__list_add_valid_or_report",
))  # fmt: skip
"""Functions that end the kernel, or say that something is wrong with it: where one is called, lifted code fails."""

WRITING = frozenset((
    "cgroup_path", "cgroup_path_ns_locked", "kernfs_path_from_node", "get_mm_memcg_path", "get_mem_cgroup_from_mm",
))  # fmt: skip
"""Functions that always write to memory of the kernel: a text where their caller says, or a reference count."""

_NOTHING = [
    "__rcu_read_lock", "__rcu_read_unlock", "__srcu_read_lock", "__srcu_read_unlock", "migrate_disable", "migrate_enable",
    "ct_irq_enter_irqson", "ct_irq_exit_irqson", "rcu_irq_enter_irqson", "rcu_irq_exit_irqson",
    *(f"_raw_spin_{do}{how}" for do in ("lock", "unlock") for how in ("", "_irq", "_bh", "_irqsave", "_irqrestore")),
    *(f"{table}{name}{thunk}" for table in ("", "__SCT__") for thunk in ("", "_thunk")
      for name in ("preempt_schedule", "preempt_schedule_notrace", "cond_resched")),
]  # fmt: skip
_NOWHERE = 1 << 48  # longer than any string


def _nothing(builder: ir.IRBuilder, memory: Memory, arguments: Sequence[ir.Value]) -> ir.Value:
    """Nothing can happen while lifted code runs, so it takes no locks, and leaves the CPU to nobody."""
    return I64(0)


def _copy(builder: ir.IRBuilder, memory: Memory, arguments: Sequence[ir.Value]) -> ir.Value:
    """memcpy(to, from, size), memmove."""
    memory.helper(builder, "copy", *arguments[:3])
    return arguments[0]


def _fill(builder: ir.IRBuilder, memory: Memory, arguments: Sequence[ir.Value]) -> ir.Value:
    """memset(to, byte, size)."""
    memory.helper(builder, "fill", *arguments[:3])
    return arguments[0]


def _length(builder: ir.IRBuilder, memory: Memory, arguments: Sequence[ir.Value]) -> ir.Value:
    """strlen(text)."""
    return memory.helper(builder, "length", arguments[0], I64(_NOWHERE))


def _limited_length(builder: ir.IRBuilder, memory: Memory, arguments: Sequence[ir.Value]) -> ir.Value:
    """strnlen(text, limit)."""
    return memory.helper(builder, "length", arguments[0], arguments[1])


def _copy_string(builder: ir.IRBuilder, memory: Memory, arguments: Sequence[ir.Value]) -> ir.Value:
    """strcpy(to, text)."""
    to, text, *_ = arguments
    length = memory.helper(builder, "length", text, I64(_NOWHERE))
    memory.helper(builder, "copy", to, text, builder.add(length, I64(1)))
    return to


def _copy_padded(builder: ir.IRBuilder, memory: Memory, arguments: Sequence[ir.Value]) -> ir.Value:
    """strncpy(to, text, size): what is left is filled with zeros."""
    to, text, size, *_ = arguments
    length = memory.helper(builder, "length", text, size)
    memory.helper(builder, "copy", to, text, length)
    memory.helper(builder, "fill", builder.add(to, length), I64(0), builder.sub(size, length))
    return to


def _copy_limited(pads: bool) -> Replacement:
    """strscpy(to, text, size) -> the length, or -E2BIG if the text was cut off."""

    def replacement(builder: ir.IRBuilder, memory: Memory, arguments: Sequence[ir.Value]) -> ir.Value:
        to, text, size, *_ = arguments
        length = memory.helper(builder, "length", text, size)
        is_cut = builder.icmp_unsigned("==", length, size)
        kept = builder.select(is_cut, builder.sub(size, I64(1)), length)
        is_empty = builder.icmp_unsigned("==", size, I64(0))
        kept = builder.select(is_empty, I64(0), kept)
        memory.helper(builder, "copy", to, text, kept)
        rest = builder.sub(size, kept) if pads else builder.select(is_empty, I64(0), I64(1))
        memory.helper(builder, "fill", builder.add(to, kept), I64(0), rest)
        return builder.select(is_cut, I64(-7), length)

    return replacement


REPLACED: Mapping[str, Replacement] = {
    **dict.fromkeys(("memcpy", "__memcpy", "memmove", "__memmove"), _copy),
    **dict.fromkeys(("memset", "__memset"), _fill),
    "strlen": _length, "strnlen": _limited_length, "strcpy": _copy_string, "strncpy": _copy_padded,
    "strscpy": _copy_limited(False), "sized_strscpy": _copy_limited(False), "strscpy_pad": _copy_limited(True),
    **dict.fromkeys(_NOTHING, _nothing),
    **dict.fromkeys(("__trace_trigger_soft_disabled", "trace_event_ignore_this_pid"), _nothing),  # of the host's file
}  # fmt: skip


def reserve(builder: ir.IRBuilder, memory: Memory, size: ir.Value, keep: ir.Value) -> ir.Value:
    """Clears room for an entry of `size` bytes, and stores the size in `keep`. The room's address; 0: it is too large."""
    builder.store(size, keep)
    fits = builder.icmp_unsigned("<=", size, I64(ENTRY_ROOM))
    entry = memory.place(builder, "entry")
    memory.helper(builder, "fill", entry, I64(0), builder.select(fits, size, I64(0)))
    return builder.select(fits, entry, I64(0))
