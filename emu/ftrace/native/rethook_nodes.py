# SPDX-License-Identifier: GPL-2.0-only
"""The nodes of return probes: free, or on the list of a task, which starts at `task_struct.rethooks`.

Data kept by the guest is not trusted: a number that is not a node of the task ends the list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.context import array_of, host_address
from emu.ftrace.native.guest_records import Guest, Task
from emu.ftrace.native.trace_records import RethookNode, RethookPool
from emu.ftrace.native.trace_values import RETHOOK_NODES
from emu.native.functions import Native, njit
from emu.native.records import u64

__all__ = ["TaskNodes", "build", "following", "node_at", "take"]


@njit
def node_at(pool: RethookPool, number: u64) -> RethookNode:
    return pool.nodes[number - 1]


@njit
def take(pool: RethookPool) -> u64:
    """Takes a free node. Returns its number, or 0 if there is none."""
    number = pool.free
    if number != 0:
        pool.free = node_at(pool, number).next
        return number
    number = pool.used + 1
    if number > RETHOOK_NODES:
        return 0
    pool.used = number
    return number


@njit
def give_back(pool: RethookPool, number: u64) -> None:
    node = node_at(pool, number)
    rethook = node.rethook
    if rethook is not None:
        rethook.left += 1
    node.task = None
    node.next = pool.free
    pool.free = number


@njit
def of_task(pool: RethookPool, task: Task, number: u64) -> u64:
    """The number, if it is a node of the task, otherwise 0."""
    if number - 1 < pool.used and node_at(pool, number).task is task:
        return number
    return 0


@njit
def following(pool: RethookPool, task: Task, number: u64) -> u64:
    """The number of the task's next older node; 0 if there is none."""
    return of_task(pool, task, node_at(pool, number).next)


class TaskNodes(NamedTuple):
    """Compiled functions."""

    latest: Callable[[RethookPool, Task], u64]
    """latest(pool, task) -> the number of the task's latest node; 0 if there is none."""

    push: Callable[[RethookPool, Task, u64], None]
    """push(pool, task, number): makes a node from `take` the task's latest."""

    drop: Callable[[RethookPool, Task, u64], None]
    """drop(pool, task, last): removes nodes from the list, from the latest one to `last`, and frees them; 0: all of them."""

    flush_task: Callable[[Cpu, u64], None]
    """flush_task(cpu, task): the kernel frees a task, given by its guest address."""

    replaced: Callable[[RethookPool, Task, u64], u64]
    """replaced(pool, task, frame) -> the address replaced by the oldest node of a call; 0 if the call has no node."""


def build(guest: Guest) -> TaskNodes:
    """Compiles for a guest."""
    njit = Native(guest.layouts).njit

    @njit
    def latest(pool: RethookPool, task: Task) -> u64:
        return of_task(pool, task, task.rethooks)

    @njit
    def push(pool: RethookPool, task: Task, number: u64) -> None:
        node = node_at(pool, number)
        node.next = latest(pool, task)
        node.task = task
        task.rethooks = number

    @njit
    def drop(pool: RethookPool, task: Task, last: u64) -> None:
        number = latest(pool, task)
        while number != 0:
            dropped, number = number, following(pool, task, number)
            give_back(pool, dropped)
            if dropped == last:
                break
        task.rethooks = number

    @njit
    def replaced(pool: RethookPool, task: Task, frame: u64) -> u64:
        found, number = u64(0), latest(pool, task)
        for _ in range(pool.used):  # bounded, however the guest has linked the lists
            if number == 0:
                break
            node = node_at(pool, number)
            if node.frame == frame:
                found = node.returns_to
            number = following(pool, task, number)
        return found

    @njit
    def flush_task(cpu: Cpu, task: u64) -> None:
        array = array_of(cpu)
        pool = array.rethooks
        if pool is not None:
            drop(pool, Task(host_address(array, task)), 0)

    return TaskNodes(latest, push, drop, flush_task, replaced)
