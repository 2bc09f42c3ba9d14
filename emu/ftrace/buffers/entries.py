# SPDX-License-Identifier: GPL-2.0-only
"""The entries of the ring buffer: Linux's events of the system `ftrace`, their numbers and their fields."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = [
    "ARGUMENTS", "BLK", "BPRINT", "BPUTS", "BRANCH", "ENTRY", "FUNCGRAPH_ENTRY", "FUNCGRAPH_EXIT", "FUNCTION", "FUNC_REPEATS",
    "HWLAT", "KERNEL_STACK", "LAYOUTS", "MMIO_MAP", "MMIO_RW", "OSNOISE", "PRINT", "RAW_DATA", "TASK_SWITCH", "TIMERLAT",
    "USER_STACK", "USER_STACK_DEPTH", "VALUED_ENTRY", "VALUED_EXIT", "WITH_VALUES", "EventType", "Events", "Flag", "entries_at",
]  # fmt: skip


class EventType(enum.IntEnum):
    """`common_type`: the `ID:` line of events/ftrace/*/format."""

    FUNCTION = 1
    CONTEXT_SWITCH = 2
    WAKEUP = 3
    KERNEL_STACK = 4
    PRINT = 5
    BPRINT = 6
    MMIO_RW = 7
    MMIO_MAP = 8
    BRANCH = 9
    FUNCGRAPH_EXIT = 10
    FUNCGRAPH_ENTRY = 11
    USER_STACK = 12
    BLK = 13
    BPUTS = 14
    HWLAT = 15
    OSNOISE = 16
    TIMERLAT = 17
    RAW_DATA = 18
    FUNC_REPEATS = 19


class Flag(enum.IntFlag):
    """`common_flags`: the CPU's state when the event was recorded."""

    IRQS_OFF = 0x01
    IRQS_NOT_KNOWN = 0x02
    NEED_RESCHED = 0x04
    HARDIRQ = 0x08
    SOFTIRQ = 0x10
    PREEMPT_RESCHED = 0x20  # preempt_count itself says that rescheduling is due
    NMI = 0x40
    BH_OFF = 0x80


def _entry(*fields: tuple[str, str] | tuple[str, str, int]) -> np.dtype[np.void]:
    """The layout of an entry with these fields after the common ones, in the host's byte order, packed as in Linux."""
    common = [("type", "u2"), ("flags", "u1"), ("preempt_count", "u1"), ("pid", "i4")]
    return np.dtype([*common, *fields])


ENTRY = _entry()  # `preempt_count`: preemption depth in the low half, migrate_disable depth in the high half
FUNCTION = _entry(("ip", "u8"), ("parent_ip", "u8"))
FUNCGRAPH_ENTRY = _entry(("func", "u8"), ("depth", "i4"))
FUNCGRAPH_EXIT = _entry(("func", "u8"), ("depth", "i4"), ("overrun", "u4"), ("calltime", "u8"), ("rettime", "u8"))
# Those of kernels whose calls' arguments and return values can be recorded. The arguments, ARGUMENTS words, are behind an entry,
# as behind FUNCTION; and behind these in an entry of function_graph the return address.
ARGUMENTS = 6  # Linux: FTRACE_REGS_MAX_ARGS
VALUED_ENTRY = _entry(("func", "u8"), ("depth", "i4"), ("padding", "V4"))
VALUED_EXIT = _entry(
    ("func", "u8"), ("retval", "u8"), ("depth", "i4"), ("overrun", "u4"), ("calltime", "u8"), ("rettime", "u8")
)  # fmt: skip
TASK_SWITCH = _entry(  # both CONTEXT_SWITCH and WAKEUP
    ("prev_pid", "i4"), ("next_pid", "i4"), ("next_cpu", "u4"),
    ("prev_prio", "u1"), ("prev_state", "u1"), ("next_prio", "u1"), ("next_state", "u1"),
)  # fmt: skip
KERNEL_STACK = _entry(("size", "i4"), ("padding", "u4"))  # number of addresses; then the addresses, innermost call first
PRINT = _entry(("ip", "u8"))  # then the text, up to its NUL
BPRINT = _entry(("ip", "u8"), ("fmt", "u8"))  # the format's address; then the arguments as in the guest (see bprintf)
BPUTS = _entry(("ip", "u8"), ("str", "u8"))  # the text's address
MMIO_RW = _entry(
    ("phys", "u8"), ("value", "u8"), ("pc", "u8"), ("map_id", "i4"), ("opcode", "u1"), ("width", "u1"), ("padding", "u2")
)  # fmt: skip
MMIO_MAP = _entry(("phys", "u8"), ("virt", "u8"), ("len", "u8"), ("map_id", "i4"), ("opcode", "u1"), ("padding", "V3"))
BRANCH = _entry(("line", "u4"), ("func", "S31"), ("file", "S21"), ("correct", "u1"), ("constant", "u1"), ("padding", "u2"))
HWLAT = _entry(
    ("duration", "u8"), ("outer_duration", "u8"), ("nmi_total_ts", "u8"), ("tv_sec", "i8"), ("tv_nsec", "i8"),
    ("nmi_count", "u4"), ("seqnum", "u4"), ("count", "u4"),
)  # fmt: skip
OSNOISE = _entry(
    ("noise", "u8"), ("runtime", "u8"), ("max_sample", "u8"),
    ("hw_count", "u4"), ("nmi_count", "u4"), ("irq_count", "u4"), ("softirq_count", "u4"), ("thread_count", "u4"),
)  # fmt: skip
TIMERLAT = _entry(("seqnum", "u4"), ("context", "i4"), ("timer_latency", "u8"))
FUNC_REPEATS = _entry(  # `count` calls, the last of them this many nanoseconds before the entry
    ("ip", "u8"), ("parent_ip", "u8"), ("count", "u2"), ("top_delta_ts", "u2"), ("bottom_delta_ts", "u4")
)  # fmt: skip
RAW_DATA = _entry(("id", "u4"))  # then the bytes
BLK = _entry(  # then `pdu_len` bytes. Linux: struct blk_io_trace
    ("time", "u8"), ("sector", "u8"), ("bytes", "u4"), ("action", "u4"), ("task", "u4"), ("device", "u4"), ("cpu", "u4"),
    ("error", "u2"), ("pdu_len", "u2"),
)  # fmt: skip
USER_STACK_DEPTH = 8
USER_STACK = _entry(("tgid", "u4"), ("padding", "u4"), ("caller", "u8", USER_STACK_DEPTH))  # 0 after the last one


# The layout of each type's entry, without data of variable length at its end.
LAYOUTS: Mapping[EventType, np.dtype[np.void]] = {
    EventType.FUNCTION: FUNCTION, EventType.CONTEXT_SWITCH: TASK_SWITCH, EventType.WAKEUP: TASK_SWITCH,
    EventType.KERNEL_STACK: KERNEL_STACK, EventType.PRINT: PRINT, EventType.BPRINT: BPRINT, EventType.MMIO_RW: MMIO_RW,
    EventType.MMIO_MAP: MMIO_MAP, EventType.BRANCH: BRANCH, EventType.FUNCGRAPH_EXIT: FUNCGRAPH_EXIT,
    EventType.FUNCGRAPH_ENTRY: FUNCGRAPH_ENTRY, EventType.USER_STACK: USER_STACK, EventType.BLK: BLK, EventType.BPUTS: BPUTS,
    EventType.HWLAT: HWLAT, EventType.OSNOISE: OSNOISE, EventType.TIMERLAT: TIMERLAT, EventType.RAW_DATA: RAW_DATA,
    EventType.FUNC_REPEATS: FUNC_REPEATS,
}  # fmt: skip

WITH_VALUES: Mapping[EventType, np.dtype[np.void]] = {
    EventType.FUNCGRAPH_ENTRY: VALUED_ENTRY, EventType.FUNCGRAPH_EXIT: VALUED_EXIT,
}  # fmt: skip
"""The layouts that are others in kernels whose calls' values can be recorded."""


@dataclass(frozen=True, eq=False)
class Events:
    """Events of one CPU, in the order of recording, in columns: one array per property.

    `words` is the memory that holds them. An entry starts at byte `offset` and has `size` bytes, a multiple of four.
    """

    cpu: int
    words: NDArray[np.uint32]
    time: NDArray[np.uint64]
    offset: NDArray[np.int64]
    size: NDArray[np.int64]
    lost: int = field(default=0)  # events overwritten just before the first of these

    def __len__(self) -> int:
        return len(self.time)

    def since(self, time: int) -> Events:
        """The events recorded at a time or later."""
        first = int(np.searchsorted(self.time, np.uint64(time)))
        return Events(self.cpu, self.words, self.time[first:], self.offset[first:], self.size[first:]) if first else self

    def entries(self, layout: DTypeLike) -> NDArray[np.void]:
        """The entries, each read as `layout`: a structured array."""
        return entries_at(self.words, self.offset, layout)


def entries_at(words: NDArray[np.uint32], offset: NDArray[np.int64], layout: DTypeLike) -> NDArray[np.void]:
    """The structures `layout` at byte offsets, which are multiples of four."""
    dtype = np.dtype(layout)
    span = np.arange(dtype.itemsize // 4)
    gathered: NDArray[np.void] = np.ascontiguousarray(words[offset[:, np.newaxis] // 4 + span]).view(dtype)
    return gathered.reshape(len(offset))
