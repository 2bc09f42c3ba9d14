# SPDX-License-Identifier: GPL-2.0-only
"""What is kept of tasks that have recorded something, behind `saved_cmdlines` and `saved_tgids`.

The table of command names is a ring of (pid, name): a pid's new name replaces its old one. That of thread groups has a
place for every pid.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.ftrace.native import array_record
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import njit
from emu.native.pointers import Accessors, load_u32, load_u64, store_u32, store_u64
from emu.native.record import Fields, offset_of

_fields = Fields()
ENTRIES = _fields.word()  # address of the entries
CAPACITY = _fields.word()
BEGUN = _fields.word()  # entries ever begun
INDEX = _fields.word()  # address of u32[PIDS]: the entry of each pid, plus one; 0: none
WORDS = _fields.count

PIDS = 32_768  # Linux's PID_MAX_DEFAULT: pids share a place modulo this
ENTRY = np.dtype([("pid", "u8"), ("name", "S16")])

PID, NAME, ENTRY_SIZE = offset_of(ENTRY, "pid"), offset_of(ENTRY, "name"), np.uint64(ENTRY.itemsize)
NAME_WORDS = ENTRY["name"].itemsize // 8
PLACE_SIZE = np.uint64(4)  # of the index, and of the table of thread groups
PID_MASK = np.uint64(PIDS - 1)
ONE, WORD, ZERO = np.uint64(1), np.uint64(8), np.uint64(0)


@njit
def _place(table, pid):
    """The address of a pid's place in the index."""
    return load_u64(table + INDEX) + (pid & PID_MASK) * PLACE_SIZE


def build(memory: Accessors, guest: GuestLayout) -> Any:
    """remember(array, task): keeps what is wanted of a task (host address). `memory`: accesses in the guest's byte order."""
    guest_u32 = memory.load_u32

    @njit
    def remember_name(table, pid, task):
        known = np.uint64(load_u32(_place(table, pid)))
        if known == ZERO:
            begun, capacity = load_u64(table + BEGUN), load_u64(table + CAPACITY)
            store_u64(table + BEGUN, begun + ONE)
            known = begun % capacity + ONE
            if begun >= capacity:
                oldest = load_u64(table + ENTRIES) + (known - ONE) * ENTRY_SIZE
                store_u32(_place(table, load_u64(oldest + PID)), np.uint32(0))
            store_u32(_place(table, pid), np.uint32(known))
        entry = load_u64(table + ENTRIES) + (known - ONE) * ENTRY_SIZE
        store_u64(entry + PID, pid)
        for n in range(NAME_WORDS):
            offset = np.uint64(n) * WORD
            store_u64(entry + NAME + offset, load_u64(task + guest.task_comm + offset))

    @njit
    def remember(array, task):
        pid = np.uint64(guest_u32(task + guest.task_pid))
        if pid == ZERO:  # idle tasks are always called <idle>
            return
        table, groups = load_u64(array + array_record.SAVED_CMDLINES), load_u64(array + array_record.SAVED_TGIDS)
        if table != ZERO:
            remember_name(table, pid, task)
        if groups != ZERO and pid < array_record.PID_END:
            store_u32(groups + pid * PLACE_SIZE, guest_u32(task + guest.task_tgid))

    return remember
