# SPDX-License-Identifier: GPL-2.0-only
"""The return stacks of tasks, where function_graph saves the return addresses that it has replaced."""

from __future__ import annotations

from emu.ftrace.arch import FtraceArch
from emu.kernel.memory import GuestMemory
from emu.kernel.tasks import Tasks

__all__ = ["ReturnStacks"]


class ReturnStacks:
    """Reads and prepares `ret_stack` of task_struct."""

    def __init__(self, memory: GuestMemory, tasks: Tasks, arch: FtraceArch) -> None:
        self._memory = memory
        self._tasks = tasks
        trampoline = memory.image.function_at(memory.image.symbol("return_to_handler"))
        assert trampoline is not None
        # The address that function_graph stores, and the address that a call in the trampoline pushes over it.
        self._replacements = range(trampoline.address - arch.return_offset, trampoline.address + trampoline.size)

    def start(self) -> None:
        """Prepares the stacks for a starting graph tracer: clears the counts of overruns and the times of switches.

        Entries stay: their functions are still running and will return through the trampoline.
        """
        for task in self._tasks:
            self._memory.set_member(task, "task_struct.trace_overrun", 0)
            self._memory.set_member(task, "task_struct.ftrace_timestamp", 0)

    def resolve(self, task: int, frame: int, address: int) -> int:
        """The real return address of a call that has `address` on its stack (for backtraces). `frame` identifies the call."""
        if address not in self._replacements or not task:
            return address
        memory, image = self._memory, self._memory.image
        stack = task + image.offset("task_struct.ret_stack")
        size = image.size("ftrace_ret_stack")
        for n in range(image.constant("FTRACE_RETFUNC_DEPTH")):
            entry = stack + n * size
            if memory.member(entry, "ftrace_ret_stack.fp") == frame:
                return memory.member(entry, "ftrace_ret_stack.ret")
        return address
