# SPDX-License-Identifier: GPL-2.0-only
"""The nodes of return probes, beside lists in Python; and whatever a guest stores in its tasks."""

from __future__ import annotations

import functools
import sys

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.ftrace.native import rethook_node, rethook_pool, rethook_record
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.rethook_nodes import TaskNodes, build, following, node_at, take
from emu.native.pointers import in_byte_order
from emu.native.record import Record

TASKS, FRAMES = range(3), range(4)
HEAD = 16  # bytes, in each task
ENOUGH = 1 << 20

tasks, frames = st.sampled_from(TASKS), st.sampled_from(FRAMES)
pushes = st.tuples(st.just("push"), tasks, frames)
drops = st.tuples(st.just("drop"), tasks, st.integers(0, 5))
flushes = st.tuples(st.just("drop"), tasks, st.none())
damages = st.tuples(st.just("damage"), tasks, st.one_of(st.integers(0, 20), st.integers(0, (1 << 64) - 1)))


@functools.cache
def compiled() -> TaskNodes:
    guest = GuestLayout(*[np.uint64(0) for _ in GuestLayout._fields])._replace(rethooks=np.uint64(HEAD))
    return build(in_byte_order(sys.byteorder), guest)


class Nodes:
    """A pool, three tasks, and one probe."""

    def __init__(self) -> None:
        self.pool = Record(rethook_pool.WORDS)
        self.memory = np.zeros((len(TASKS), 8), np.uint64)
        self.rethook = Record(rethook_record.WORDS)
        self.rethook.set(rethook_record.LEFT, ENOUGH)
        self._address = np.uint64(self.pool.address)

    def task(self, n: int) -> np.uint64:
        return np.uint64(self.memory.ctypes.data + n * self.memory.strides[0])

    def field(self, number: int, field: np.uint64) -> int:
        return self.pool.get(rethook_pool.NODES, (number - 1) * rethook_node.WORDS + int(field) // 8)

    def push(self, task: int, frame: int, returns_to: int) -> int:
        number = take(self._address)
        at = np.uint64(node_at(self._address, number)) - self._address
        self.rethook.set(rethook_record.LEFT, self.rethook.get(rethook_record.LEFT) - 1)
        for field, value in (
            (rethook_node.RETHOOK, self.rethook.address),
            (rethook_node.FRAME, frame),
            (rethook_node.RETURN, returns_to),
        ):
            self.pool.set(at + field, value)
        compiled().push(self._address, self.task(task), number)
        return int(number)

    def drop(self, task: int, last: int) -> None:
        compiled().drop(self._address, self.task(task), np.uint64(last))

    def replaced(self, task: int, frame: int) -> int:
        return int(compiled().replaced(self._address, self.task(task), np.uint64(frame)))

    def of_task(self, task: int) -> list[int]:
        found, number = [], int(compiled().latest(self._address, self.task(task)))
        while number and len(found) <= self.used:
            found.append(number)
            number = int(following(self._address, self.task(task), np.uint64(number)))
        return found

    @property
    def used(self) -> int:
        return self.pool.get(rethook_pool.USED)

    def free(self) -> list[int]:
        found, number = [], self.pool.get(rethook_pool.FREE)
        while number:
            assert len(found) < self.used
            found.append(number)
            number = self.field(number, rethook_node.NEXT)
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
        assert nodes.rethook.get(rethook_record.LEFT) == ENOUGH - len(under_way)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(pushes, drops, flushes, damages), max_size=40))
def test_a_guest_cannot_make_nodes_of_one_task_those_of_another(steps: list[tuple[str, int, int | None]]) -> None:
    """Nor have native code go round for ever; what it has lost is not free."""
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
            owner = int(nodes.task(other))
            assert all(nodes.field(number, rethook_node.TASK) == owner for number in nodes.of_task(other))
            assert not set(free) & set(nodes.of_task(other))
            for frame in FRAMES:
                nodes.replaced(other, frame)


def test_there_are_no_more_nodes_than_there_is_room_for() -> None:
    pool = Record(rethook_pool.WORDS)
    pool.set(rethook_pool.USED, rethook_pool.MOST - 1)
    assert int(take(np.uint64(pool.address))) == rethook_pool.MOST
    assert int(take(np.uint64(pool.address))) == 0
