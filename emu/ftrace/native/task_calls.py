# SPDX-License-Identifier: GPL-2.0-only
"""Where a task's calls under way are: in its task_struct, if the guest's kernel has room for them there, as Linux does."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.ftrace.native.context import host_address
from emu.ftrace.native.guest_records import Calls, Guest
from emu.ftrace.native.trace_records import ArrayCpu, TraceArray
from emu.native.functions import Native
from emu.native.records import u64

__all__ = ["TaskCalls", "build"]


class TaskCalls(NamedTuple):
    """Compiled functions."""

    current: Callable[[ArrayCpu, TraceArray], Calls]
    """current(array_cpu, array) -> the calls of the task on this CPU."""

    of_task: Callable[[TraceArray, u64], Calls]
    """of_task(array, task) -> those of a task, by its guest address."""


def build(guest: Guest) -> TaskCalls:
    """Compiles for a guest that has them in task_struct."""
    njit = Native(guest.layouts).njit

    @njit
    def of_task(array: TraceArray, task: u64) -> Calls:
        return Calls(host_address(array, task))

    @njit
    def current(array_cpu: ArrayCpu, array: TraceArray) -> Calls:
        return of_task(array, array_cpu.hot.current_task)

    return TaskCalls(current, of_task)
