# SPDX-License-Identifier: GPL-2.0-only
"""The table of command names behind `saved_cmdlines`: a ring of (pid, name), newest names in place."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from emu.ftrace.native import trace_record as trace
from emu.native import njit
from emu.native.pointers import load_u32, load_u64, store_u32, store_u64

# Byte offsets of the table's 64-bit words.
ENTRIES = np.uint64(0)  # address of the entries: {u64 pid, char name[16]}
CAPACITY = np.uint64(8)
NEXT = np.uint64(16)  # entries ever begun
INDEX = np.uint64(24)  # address of u32[PIDS]: where a pid is, plus one
WORDS = 4

ENTRY_SIZE = np.uint64(24)
NAME, NAME_REST = np.uint64(8), np.uint64(16)
PIDS = 32_768  # Linux's PID_MAX_DEFAULT: pids share a place modulo this
PID_MASK = np.uint64(PIDS - 1)
ONE, FOUR, EIGHT, ZERO = np.uint64(1), np.uint64(4), np.uint64(8), np.uint64(0)


def build(guest: SimpleNamespace) -> SimpleNamespace:
    """remember(), for a guest of one byte order (`pointers.in_byte_order`)."""
    guest_u32 = guest.load_u32

    @njit
    def remember(shared, task):
        """Keeps a task's name (host address). Idle tasks are always called <idle>."""
        pid = np.uint64(guest_u32(task + load_u64(shared + trace.TASK_PID)))
        if pid == ZERO:
            return
        table = load_u64(shared + trace.COMMS)
        place = load_u64(table + INDEX) + (pid & PID_MASK) * FOUR
        known = np.uint64(load_u32(place))
        if known == ZERO:
            count = load_u64(table + NEXT)
            store_u64(table + NEXT, count + ONE)
            known = count % load_u64(table + CAPACITY) + ONE
            entry = load_u64(table + ENTRIES) + (known - ONE) * ENTRY_SIZE
            if count >= load_u64(table + CAPACITY):
                store_u32(load_u64(table + INDEX) + (load_u64(entry) & PID_MASK) * FOUR, np.uint32(0))
            store_u32(place, np.uint32(known))
        entry = load_u64(table + ENTRIES) + (known - ONE) * ENTRY_SIZE
        name = task + load_u64(shared + trace.TASK_COMM)
        store_u64(entry, pid)
        store_u64(entry + NAME, load_u64(name))
        store_u64(entry + NAME_REST, load_u64(name + EIGHT))

    return SimpleNamespace(remember=remember)
