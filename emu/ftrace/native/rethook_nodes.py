# SPDX-License-Identifier: GPL-2.0-only
"""The nodes of return probes (native.rethook_node), free or on the list of a task, whose latest one `task_struct.rethooks` names.

What the guest keeps is never relied on: a number that is none of a node of the task ends the list.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emu.ftrace.native import array_record, rethook_node, rethook_pool, rethook_record
from emu.ftrace.native.context import array_of, host_address
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import njit
from emu.native.pointers import Accessors, load_u64, store_u64

__all__ = ["TaskNodes", "build", "following", "node_at", "take"]

ZERO, ONE = np.uint64(0), np.uint64(1)


@njit
def node_at(pool, number):
    """The address of a node."""
    return pool + rethook_pool.NODES + (number - ONE) * rethook_node.SIZE


@njit
def take(pool):
    """The number of a node that was free; 0: there is none."""
    number = load_u64(pool + rethook_pool.FREE)
    if number != ZERO:
        store_u64(pool + rethook_pool.FREE, load_u64(node_at(pool, number) + rethook_node.NEXT))
        return number
    number = load_u64(pool + rethook_pool.USED) + ONE
    if number > rethook_pool.LAST:
        return ZERO
    store_u64(pool + rethook_pool.USED, number)
    return number


@njit
def give_back(pool, number):
    node = node_at(pool, number)
    rethook = load_u64(node + rethook_node.RETHOOK)
    if rethook != ZERO:
        store_u64(rethook + rethook_record.LEFT, load_u64(rethook + rethook_record.LEFT) + ONE)
    store_u64(node + rethook_node.TASK, ZERO)
    store_u64(node + rethook_node.NEXT, load_u64(pool + rethook_pool.FREE))
    store_u64(pool + rethook_pool.FREE, number)


@njit
def of_task(pool, task, number):
    """The number, if it is that of a node of the task, else 0."""
    if number - ONE < load_u64(pool + rethook_pool.USED) and load_u64(node_at(pool, number) + rethook_node.TASK) == task:
        return number
    return ZERO


@njit
def following(pool, task, number):
    """The number of the task's node before a node; 0: there is none."""
    return of_task(pool, task, load_u64(node_at(pool, number) + rethook_node.NEXT))


class TaskNodes(NamedTuple):
    """Compiled functions. `task`: its host address."""

    latest: Any
    """latest(pool, task) -> the number of the task's latest node; 0: it has none."""

    push: Any
    """push(pool, task, number): makes a node that was taken the task's latest."""

    drop: Any
    """drop(pool, task, last): takes nodes off the list, from the latest one to `last`, and gives them back; 0: all of them."""

    flush_task: Any
    """flush_task(cpu, task): the kernel frees a task, a guest address."""

    replaced: Any
    """replaced(pool, task, frame) -> what the oldest node of a call has replaced; 0: none is of that call."""


def build(memory: Accessors, guest: GuestLayout) -> TaskNodes:
    """Compiles for a guest. `memory`: accesses in its byte order."""
    guest_u64, guest_store_u64 = memory.load_u64, memory.store_u64

    @njit
    def latest(pool, task):
        return of_task(pool, task, guest_u64(task + guest.rethooks))

    @njit
    def push(pool, task, number):
        node = node_at(pool, number)
        store_u64(node + rethook_node.NEXT, latest(pool, task))
        store_u64(node + rethook_node.TASK, task)
        guest_store_u64(task + guest.rethooks, number)

    @njit
    def drop(pool, task, last):
        number = latest(pool, task)
        while number != ZERO:
            dropped, number = number, following(pool, task, number)
            give_back(pool, dropped)
            if dropped == last:
                break
        guest_store_u64(task + guest.rethooks, number)

    @njit
    def replaced(pool, task, frame):
        found, number = ZERO, latest(pool, task)
        for _ in range(load_u64(pool + rethook_pool.USED)):  # however the guest has joined what is left of lists
            if number == ZERO:
                break
            node = node_at(pool, number)
            if load_u64(node + rethook_node.FRAME) == frame:
                found = load_u64(node + rethook_node.RETURN)
            number = following(pool, task, number)
        return found

    @njit
    def flush_task(cpu, task):
        array = array_of(cpu)
        pool = load_u64(array + array_record.RETHOOKS)
        if pool != ZERO:
            drop(pool, host_address(array, task), ZERO)

    return TaskNodes(latest, push, drop, flush_task, replaced)
