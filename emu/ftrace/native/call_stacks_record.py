# SPDX-License-Identifier: GPL-2.0-only
"""The records of the tasks' calls under way, where the host keeps them, shared by native code and Python."""

from __future__ import annotations

from emu.native.records import Record, Records, u64

__all__ = ["CallStacks", "TaskSlot"]


class TaskSlot(Record):
    """A slot of the hash table."""

    task: u64  # the guest address of its task_struct; 0: the slot is free
    calls: u64  # address of its `Calls`


class CallStacks(Record):
    """The calls of all tasks that have run."""

    last: u64  # index of the last slot: a power of two minus one
    slots: Records[TaskSlot]
    memory: u64  # address of room for the `Calls`
    size: u64  # bytes of one
    used: u64  # how many are in use
    most: u64  # how many there is room for; the last one serves all tasks for which there is none
    left: u64  # how many calls were left without a return: by the end of their task, or by a jump out of them
