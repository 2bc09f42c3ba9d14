# SPDX-License-Identifier: GPL-2.0-only
"""Which tasks are traced: the flags of each pid, which follow tasks as they fork and end."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from emu.cpu.native import cpu_record as cpu
from emu.ftrace.native import trace_record as trace
from emu.ftrace.native.context import host_address
from emu.native import njit
from emu.native.pointers import load_u8, load_u64, store_u8, store_u64

ZERO, ONE = np.uint64(0), np.uint64(1)


def build(guest: SimpleNamespace) -> SimpleNamespace:
    """choose(), process_fork() and process_free(), for a guest of one byte order (`pointers.in_byte_order`)."""
    guest_u32 = guest.load_u32

    @njit
    def choose(mine, shared, pid):
        """Whether the task that runs from now on is traced."""
        store_u64(mine + trace.PID, pid)
        flags = trace.NO_PID_FLAGS
        if pid < trace.PID_END:
            flags = load_u8(load_u64(shared + trace.PID_FLAGS) + pid)
        left_out = load_u64(shared + trace.ONLY_CHOSEN) != ZERO and flags & trace.PID_CHOSEN == 0
        store_u64(mine + trace.IGNORED, ONE if left_out or flags & trace.PID_EXCLUDED != 0 else ZERO)

    @njit
    def flags_of(shared, task):
        """The address of a task's flags; 0 if there is no place for them. `task` is the guest's address."""
        pid = np.uint64(guest_u32(host_address(shared, task) + load_u64(shared + trace.TASK_PID)))
        return load_u64(shared + trace.PID_FLAGS) + pid if pid < trace.PID_END else ZERO

    @njit
    def process_fork(s, parent, child):
        """A task has a child, which does not run yet (guest addresses)."""
        mine = load_u64(s + cpu.CALLOUT)
        while mine != ZERO:
            shared = load_u64(mine + trace.SHARED)
            if load_u64(shared + trace.FOLLOW_FORK) != ZERO:
                own, new = flags_of(shared, parent), flags_of(shared, child)
                if own != ZERO and new != ZERO:
                    store_u8(new, load_u8(new) | load_u8(own))
            mine = load_u64(mine + trace.NEXT)

    @njit
    def process_free(s, task):
        """Nothing is left of a task (guest address): its number can be another's soon."""
        mine = load_u64(s + cpu.CALLOUT)
        while mine != ZERO:
            shared = load_u64(mine + trace.SHARED)
            if load_u64(shared + trace.FOLLOW_FORK) != ZERO:
                place = flags_of(shared, task)
                if place != ZERO:
                    store_u8(place, trace.NO_PID_FLAGS)
            mine = load_u64(mine + trace.NEXT)

    return SimpleNamespace(choose=choose, process_fork=process_fork, process_free=process_free)
