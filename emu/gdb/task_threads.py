# SPDX-License-Identifier: GPL-2.0-only
"""Tasks as threads, besides the CPUs: those that no CPU runs, but idle ones.

Their registers are what the kernel saved when they were switched out. A task that a CPU runs is the CPU's thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from emu.gdb.arch import GdbArch

__all__ = ["FIRST", "TaskThreads", "Waiting", "WaitingTask"]

FIRST = 0x1000  # the number of a task's thread is its pid and this; the numbers of CPUs are lower


class WaitingTask(NamedTuple):
    """A task that no CPU runs.

    Attributes:
        pid: its number.
        name: its name.
        address: of its task_struct.
    """

    pid: int
    name: str
    address: int


class Waiting(NamedTuple):
    """What is known of such tasks.

    Attributes:
        tasks: all of them.
        registers: the registers of one, by the kernel's names, as far as they were saved; LookupError: they cannot be read.
    """

    tasks: Callable[[], Iterator[WaitingTask]]
    registers: Callable[[WaitingTask], Mapping[str, int]]


class TaskThreads:
    """Args:
        waiting: the guest's tasks; None: they are not known.
        arch: the architecture's registers.

    Attributes:
        shown: whether they are threads.
    """

    def __init__(self, waiting: Waiting | None, arch: GdbArch) -> None:
        self._waiting, self._arch = waiting, arch
        self.shown = False
        self._known: dict[int, WaitingTask] | None = None  # by the numbers of their threads, where the machine stands
        self._saved: dict[WaitingTask, Mapping[str, int]] = {}

    def forget(self) -> None:
        """The machine has gone on, or was changed."""
        self._known = None
        self._saved.clear()

    def choose(self, words: str) -> str:
        """Obeys `monitor threads`. Returns what is to be printed.

        Raises:
            ValueError: there is no such choice, or the tasks are not known.
        """
        if words not in ("cpus", "tasks", ""):
            raise ValueError("threads are cpus, or tasks, too")
        if words == "tasks" and self._waiting is None:
            raise ValueError("the tasks of this guest are not known")
        self.forget()
        if words:
            self.shown = words == "tasks"
        return "threads are the CPUs, and the tasks that wait\n" if self.shown else "threads are the CPUs\n"

    def all(self) -> Mapping[int, WaitingTask]:
        """The tasks that are threads, by the numbers of these."""
        if self._known is None:
            listed = self._waiting.tasks() if self.shown and self._waiting is not None else ()
            self._known = {FIRST + task.pid: task for task in listed}
        return self._known

    def registers(self, task: WaitingTask) -> Mapping[str, int]:
        """What was saved of a task's registers, by GDB's names."""
        if task not in self._saved and self._waiting is not None:
            found: Mapping[str, int] = {}
            with suppress(LookupError):
                found = self._waiting.registers(task)
            names = {theirs: name for name, theirs in self._arch.kernel_names.items()}
            self._saved[task] = {names.get(name, name): value for name, value in found.items()}
        return self._saved.get(task, {})
