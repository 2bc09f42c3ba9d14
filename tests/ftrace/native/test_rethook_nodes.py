# SPDX-License-Identifier: GPL-2.0-only
"""The nodes of return probes, compared with lists in Python; also with arbitrary values stored by a guest in its tasks."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.ftrace.native.guest_numbers import GuestNumbers
from emu.ftrace.native.guest_records import Guest, Task
from emu.ftrace.native.rethook_nodes import build, following, take
from emu.ftrace.native.trace_records import Rethook, RethookNode, RethookPool
from emu.ftrace.native.trace_values import RETHOOK_NODES
from emu.native.functions import Native, shared
from emu.native.records import Layouts, Shape, u64

TASKS, FRAMES = range(3), range(4)
HEAD = 16  # bytes, in each task
ENOUGH = 1 << 20

tasks, frames = st.sampled_from(TASKS), st.sampled_from(FRAMES)
pushes = st.tuples(st.just("push"), tasks, frames)
drops = st.tuples(st.just("drop"), tasks, st.integers(0, 5))
flushes = st.tuples(st.just("drop"), tasks, st.none())
damages = st.tuples(st.just("damage"), tasks, st.one_of(st.integers(0, 20), st.integers(0, (1 << 64) - 1)))


@shared
def taken(pool: RethookPool) -> u64:
    return take(pool)


class Compiled(NamedTuple):
    """The functions for the nodes of tasks, callable from Python."""

    push: Callable[[RethookPool, Task, int], None]
    drop: Callable[[RethookPool, Task, int], None]
    replaced: Callable[[RethookPool, Task, int], int]
    after: Callable[[RethookPool, Task, int], int]  # the latest node's number after 0, and then that of the previous one


@functools.cache
def compiled() -> Compiled:
    numbers = GuestNumbers(*[u64(0) for _ in GuestNumbers._fields])._replace(depth=u64(1))
    guest = Guest(Layouts({Task: Shape({"rethooks": HEAD})}), numbers)
    shared = Native(guest.layouts).shared
    latest, push_node, drop_nodes, _, find_replaced = build(guest)

    @shared
    def push(pool: RethookPool, task: Task, number: u64) -> None:
        push_node(pool, task, number)

    @shared
    def drop(pool: RethookPool, task: Task, last: u64) -> None:
        drop_nodes(pool, task, last)

    @shared
    def replaced(pool: RethookPool, task: Task, frame: u64) -> u64:
        return find_replaced(pool, task, frame)

    @shared
    def after(pool: RethookPool, task: Task, number: u64) -> u64:
        return latest(pool, task) if number == 0 else following(pool, task, number)

    return Compiled(push, drop, replaced, after)


class Nodes:
    """A pool, three tasks, and one probe."""

    def __init__(self) -> None:
        self.pool = RethookPool.allocate()
        self.memory = np.zeros((len(TASKS), 8), np.uint64)
        self.rethook = Rethook.allocate()
        self.rethook.left = ENOUGH

    def task(self, n: int) -> Task:
        return Task(self.memory.ctypes.data + n * self.memory.strides[0])

    def node(self, number: int) -> RethookNode:
        return self.pool.nodes[number - 1]

    def push(self, task: int, frame: int, returns_to: int) -> int:
        number = taken(self.pool)
        self.rethook.left -= 1
        node = self.node(number)
        node.rethook, node.frame, node.returns_to = self.rethook, frame, returns_to
        compiled().push(self.pool, self.task(task), number)
        return number

    def drop(self, task: int, last: int) -> None:
        compiled().drop(self.pool, self.task(task), last)

    def replaced(self, task: int, frame: int) -> int:
        return compiled().replaced(self.pool, self.task(task), frame)

    def of_task(self, task: int) -> list[int]:
        found, number = [], compiled().after(self.pool, self.task(task), 0)
        while number and len(found) <= self.used:
            found.append(number)
            number = compiled().after(self.pool, self.task(task), number)
        return found

    @property
    def used(self) -> int:
        return self.pool.used

    def free(self) -> list[int]:
        found, number = [], self.pool.free
        while number:
            assert len(found) < self.used
            found.append(number)
            number = self.node(number).next
        return found


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(pushes, pushes, drops, flushes), max_size=40))
def test_nodes_are_lists_of_tasks(steps: list[tuple[str, int, int | None]]) -> None:
    nodes, expected = Nodes(), {task: [] for task in TASKS}  # the latest first
    for n, (what, task, argument) in enumerate(steps, 1):
        model = expected[task]
        if what == "push":
            model.insert(0, (nodes.push(task, argument, n), argument, n))
        else:
            count = len(model) if argument is None else min(argument + 1, len(model))
            nodes.drop(task, 0 if argument is None or not model else model[count - 1][0])
            del model[:count]
        for other, those in expected.items():
            assert nodes.of_task(other) == [number for number, _, _ in those]
            for frame in FRAMES:
                oldest = [returns_to for _, of_frame, returns_to in those if of_frame == frame][-1:]
                assert nodes.replaced(other, frame) == (oldest[0] if oldest else 0)
        under_way = sorted(number for those in expected.values() for number, _, _ in those)
        assert sorted(nodes.free() + under_way) == list(range(1, nodes.used + 1))
        assert nodes.rethook.left == ENOUGH - len(under_way)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(pushes, drops, flushes, damages), max_size=40))
def test_a_guest_cannot_make_nodes_of_one_task_those_of_another(steps: list[tuple[str, int, int | None]]) -> None:
    """Nor can it send native code into an endless loop; lost nodes are not free."""
    nodes = Nodes()
    for n, (what, task, argument) in enumerate(steps, 1):
        if what == "push":
            nodes.push(task, argument, n)
        elif what == "damage":
            nodes.memory[task, HEAD // 8] = argument
        else:
            listed = nodes.of_task(task)
            nodes.drop(task, listed[min(argument, len(listed) - 1)] if argument is not None and listed else 0)
        free = nodes.free()
        assert len(set(free)) == len(free)
        for other in TASKS:
            owners = [nodes.node(number).task for number in nodes.of_task(other)]
            assert all(owner is not None and owner.address == nodes.task(other).address for owner in owners)
            assert not set(free) & set(nodes.of_task(other))
            for frame in FRAMES:
                nodes.replaced(other, frame)


def test_there_are_no_more_nodes_than_there_is_room_for() -> None:
    pool = RethookPool.allocate()
    pool.used = RETHOOK_NODES - 1
    assert taken(pool) == RETHOOK_NODES
    assert taken(pool) == 0
