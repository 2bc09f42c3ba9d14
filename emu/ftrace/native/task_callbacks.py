# SPDX-License-Identifier: GPL-2.0-only
"""What the guest tells of its tasks: calls of empty functions, with tasks as arguments."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from numba import types

from emu.native import cfunc

_HANDLER = types.void(types.uint64, types.uint64)


def build(record: SimpleNamespace, first_argument: Any, second_argument: Any) -> Mapping[str, int]:
    """The compiled callbacks' addresses, by label.

    `record`: of tracers.build(). The others are native functions of a CPU's record: what the guest has called with.
    """
    process_switch, process_fork, process_free = record.process_switch, record.process_fork, record.process_free

    @cfunc(_HANDLER)
    def sched_switch(s, address):
        """ftrace_sched_switch(prev, next)."""
        process_switch(s, first_argument(s), second_argument(s))

    @cfunc(_HANDLER)
    def sched_process_fork(s, address):
        """ftrace_sched_process_fork(parent, child)."""
        process_fork(s, first_argument(s), second_argument(s))

    @cfunc(_HANDLER)
    def sched_process_free(s, address):
        """ftrace_sched_process_free(task)."""
        process_free(s, first_argument(s))

    return {
        "ftrace_sched_switch": sched_switch.address,
        "ftrace_sched_process_fork": sched_process_fork.address,
        "ftrace_sched_process_free": sched_process_free.address,
    }
