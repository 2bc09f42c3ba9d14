# SPDX-License-Identifier: GPL-2.0-only
"""The guest kernel's tasks, as the host sees them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emu.cpu.cpu import Cpu
    from emu.kernel.kernel import Kernel

__all__ = ["Tasks"]

_MOST = 1 << 16  # a list longer than this is broken


class Tasks:
    """Reads task_struct through the image's layout table. A task is its address."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def current(self, cpu: Cpu) -> int:
        """The task that a CPU runs."""
        return self._kernel.member(self._kernel.hot_areas[cpu.index], "pcpu_hot.current_task")

    def pid(self, task: int) -> int:
        return self._kernel.member(task, "task_struct.pid")

    def comm(self, task: int) -> str:
        """The task's name."""
        image = self._kernel.image
        start = self._kernel.physical(task + image.offset("task_struct.comm"))
        raw = bytes(self._kernel.board.ram[start : start + image.size("task_struct.comm")])
        return raw.split(b"\0")[0].decode(errors="replace")

    def __iter__(self) -> Iterator[int]:
        """Every task: those on the list from init_task on, and each CPU's idle task."""
        kernel = self._kernel
        link = kernel.image.offset("task_struct.tasks")
        first = kernel.image.symbol("init_task")
        seen = {first}
        yield first
        task = kernel.read_word(first + link) - link
        while task != first and len(seen) < _MOST:
            seen.add(task)
            yield task
            task = kernel.read_word(task + link) - link
        idle = kernel.image.symbol("idle_tasks")
        for index in kernel.hot_areas:
            task = kernel.read_word(idle + 8 * index)
            if task and task not in seen:
                yield task
