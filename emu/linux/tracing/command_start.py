# SPDX-License-Identifier: GPL-2.0-only
"""Notices when the process that emu's agent has made for a command is about to execute it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from emu.cpu.cpu import Cpu
from emu.ftrace.btf import Btf
from emu.linux.symbols import Symbols
from emu.linux.tracing.kernel import LinuxKernel

__all__ = ["CommandStart"]

_CALLS = ("__x64_sys_execve", "__x64_sys_execveat")
_AGENT = "init"  # its name, and that of its child before it executes the command


class CommandStart:
    """Looks at system calls that execute programs.

    Args:
        kernel: the guest's kernel.
        symbols, btf: the kernel's.
    """

    def __init__(self, kernel: LinuxKernel, symbols: Symbols, btf: Btf) -> None:
        self._kernel, self._parent = kernel, btf.offset("task_struct.real_parent")
        self._begun = False  # part of the machine, which may go back
        self._places = [place for name in _CALLS if (place := symbols.address(name)) is not None]

    @contextmanager
    def awaited(self, begins: Callable[[int], None]) -> Iterator[None]:
        """Calls `begins` once during the body, with the pid of the command's process, when that calls execve."""
        board, self._begun = self._kernel.board, False

        def look(cpu: Cpu, address: int) -> None:
            task = self._kernel.tasks.current(cpu)
            if not self._begun and self._is_of_agent(task):
                self._begun = True
                begins(self._kernel.tasks.pid(task))

        handler = board.python_handler(look)
        for place in self._places:
            board.callouts.notice(place, handler)
        try:
            yield
        finally:
            for place in self._places:
                board.callouts.notice(place, None)

    def _is_of_agent(self, task: int) -> bool:
        """Whether a task is a child of the agent, which is the first process or a child of it."""
        tasks, parent = self._kernel.tasks, self._kernel.memory.word(task + self._parent)
        if tasks.comm(task) != _AGENT or tasks.comm(parent) != _AGENT:
            return False
        return 1 in (tasks.pid(parent), tasks.pid(self._kernel.memory.word(parent + self._parent)))
