# SPDX-License-Identifier: GPL-2.0-only
"""Stack traces recorded with events: by the option stacktrace, or by a trigger."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from emu.trace.event_table import CALLER, KERNEL_STACK

if TYPE_CHECKING:
    from emu.trace.trace import Trace

__all__ = ["has_stacks", "stacks_after"]


def has_stacks(trace: Trace) -> bool:
    """Whether there are any."""
    return KERNEL_STACK in trace.formats and trace[KERNEL_STACK].count > 0 and CALLER in trace[KERNEL_STACK]


def stacks_after(trace: Trace, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each row of `trace.first`, the row of the stack trace recorded right after it; -1 if there is none."""
    columns, pid = trace.first.columns, trace.first.pid
    by_cpu = np.argsort(columns.cpu, kind="stable")
    follower = np.full(len(columns), -1, np.int64)
    same_cpu = columns.cpu[by_cpu[1:]] == columns.cpu[by_cpu[:-1]]
    follower[by_cpu[:-1][same_cpu]] = by_cpu[1:][same_cpu]
    found = follower[rows]
    is_its = (found >= 0) & (columns.kind[found] == trace.formats[KERNEL_STACK].number) & (pid[found] == pid[rows])
    return np.where(is_its, found, -1)
