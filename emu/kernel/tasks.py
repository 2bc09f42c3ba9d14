# SPDX-License-Identifier: GPL-2.0-only
"""The guest kernel's tasks, as the host sees them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from emu.cpu.cpu import Cpu
from emu.kernel.memory import GuestMemory

__all__ = ["Tasks"]

_MOST = 1 << 16  # a longer list is broken


class Tasks:
    """Reads task_struct through the image's layout table. A task is identified by its address.

    Args:
        memory: the kernel's memory.
        hot_areas: the address of each CPU's struct pcpu_hot, by CPU index, as far as the kernel has reported it.
    """

    def __init__(self, memory: GuestMemory, hot_areas: Mapping[int, int]) -> None:
        self._memory = memory
        self._hot_areas = hot_areas

    def find_current(self, cpu: Cpu) -> int | None:
        """The task on a CPU; None before the kernel has reported the CPU's struct pcpu_hot."""
        return self.current(cpu) if cpu.index in self._hot_areas else None

    def current(self, cpu: Cpu) -> int:
        """The task on a CPU.

        Raises:
            LookupError: the kernel has not yet reported the CPU's struct pcpu_hot.
        """
        return self._memory.member(self._hot_areas[cpu.index], "pcpu_hot.current_task")

    def running(self) -> Mapping[int, int]:
        """The tasks on the CPUs whose struct pcpu_hot is known, by CPU index."""
        return {index: self._memory.member(area, "pcpu_hot.current_task") for index, area in self._hot_areas.items()}

    def pid(self, task: int) -> int:
        return self._memory.member(task, "task_struct.pid")

    def tgid(self, task: int) -> int:
        """The pid of the thread group's leader."""
        return self._memory.member(task, "task_struct.tgid")

    def comm(self, task: int) -> str:
        """The task's name."""
        return self._memory.text(task, "task_struct.comm")

    def __iter__(self) -> Iterator[int]:
        """Every task: those on the list from init_task on, and each CPU's idle task. None before a CPU runs one."""
        if not self._hot_areas:
            return
        memory, image = self._memory, self._memory.image
        link = image.offset("task_struct.tasks")
        first = image.symbol("init_task")
        seen = {first}
        yield first
        task = memory.read_word(first + link) - link
        while task != first and len(seen) < _MOST:
            seen.add(task)
            yield task
            task = memory.read_word(task + link) - link
        idle = image.symbol("idle_tasks")
        for index in self._hot_areas:
            task = memory.read_word(idle + 8 * index)
            if task and task not in seen:
                yield task
