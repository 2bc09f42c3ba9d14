# SPDX-License-Identifier: GPL-2.0-only
"""The ring of saved command names: the oldest is replaced, and pids that share a slot do not share a name."""

from __future__ import annotations

from typing import Any

import pytest

from emu.ftrace.buffers.saved_cmdlines import SavedCmdlines
from emu.ftrace.native.saved_cmdlines_record import PIDS


class Names:
    """A minimal implementation of tasks and records: a task is its pid."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}

    def pid(self, task: int) -> int:
        return task

    def comm(self, task: int) -> str:
        return self.names[task]

    arrays = ()


class Saved:
    """A table, and its inputs."""

    def __init__(self) -> None:
        self._names: Any = Names()
        self.table = SavedCmdlines(self._names, self._names)

    def remember(self, pid: int, name: str) -> None:
        self._names.names[pid] = name
        self.table.remember_task(pid)


@pytest.fixture
def saved() -> Saved:
    return Saved()


def test_the_oldest_name_gives_way(saved: Saved) -> None:
    size = saved.table.size
    for pid in range(1, size + 1):
        saved.remember(pid, f"task{pid}")
    saved.remember(1, "longer than fifteen")  # has its slot already
    saved.remember(size + 1, "another")
    assert [saved.table.comm_of(pid) for pid in (1, 2, size + 1)] == [None, "task2", "another"]
    assert next(iter(saved.table)) == (size + 1, "another")
    saved.remember(2, "longer than fifteen")
    assert saved.table.comm_of(2) == "longer than fif"
    saved.remember(2, "sh")
    assert saved.table.comm_of(2) == "sh"


def test_pids_that_share_a_place(saved: Saved) -> None:
    saved.remember(5, "a")
    saved.remember(5 + PIDS, "b")
    assert (saved.table.comm_of(5), saved.table.comm_of(5 + PIDS)) == (None, "b")
    assert list(saved.table) == [(5 + PIDS, "b")]


def test_idle_tasks_are_not_remembered(saved: Saved) -> None:
    saved.remember(0, "swapper/0")
    assert (saved.table.comm_of(0), list(saved.table)) == (None, [])


def test_another_size_forgets_all(saved: Saved) -> None:
    saved.remember(5, "a")
    saved.table.set_size(8)
    assert (saved.table.comm_of(5), list(saved.table)) == (None, [])
