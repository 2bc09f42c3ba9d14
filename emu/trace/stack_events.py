# SPDX-License-Identifier: GPL-2.0-only
"""The stacks that were recorded beside events: by the option stacktrace, or by a trigger."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from emu.trace.event_table import EventTable

if TYPE_CHECKING:
    from emu.trace.trace import Trace

__all__ = ["KERNEL_STACK", "distinct_stacks", "has_stacks", "stacks_after"]

KERNEL_STACK = "ftrace:kernel_stack"
_CALLER = "caller"
_END = ~np.uint64(0)


def has_stacks(trace: Trace) -> bool:
    """Whether any were recorded."""
    return KERNEL_STACK in trace.formats and trace[KERNEL_STACK].count > 0 and _CALLER in trace[KERNEL_STACK]


def distinct_stacks(trace: Trace, table: EventTable) -> tuple[NDArray[np.int32], list[list[int]]]:
    """Which stack each row of a table of KERNEL_STACK has, and the distinct stacks: addresses, the innermost first."""
    [field] = [field for field in table.call.fields if field.name == _CALLER]
    which, contents = table.tails(field).distinct()
    order, size = trace.recording.byte_order, trace.recording.long_size
    found = []
    for data in contents:
        addresses = np.frombuffer(data, f"{order}u{size}", len(data) // size)
        found.append(addresses[: int(np.argmax(np.append(addresses, _END) == _END))].tolist())
    return which, found


def stacks_after(trace: Trace, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each row of `trace.first` the row of the stack that was recorded with it, right after it; -1: none was."""
    columns, pid = trace.first.columns, trace.first.pid
    by_cpu = np.argsort(columns.cpu, kind="stable")
    follower = np.full(len(columns), -1, np.int64)
    same_cpu = columns.cpu[by_cpu[1:]] == columns.cpu[by_cpu[:-1]]
    follower[by_cpu[:-1][same_cpu]] = by_cpu[1:][same_cpu]
    found = follower[rows]
    is_its = (found >= 0) & (columns.kind[found] == trace.formats[KERNEL_STACK].number) & (pid[found] == pid[rows])
    return np.where(is_its, found, -1)
