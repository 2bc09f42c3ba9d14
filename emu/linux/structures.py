# SPDX-License-Identifier: GPL-2.0-only
"""Where a Linux kernel keeps what tracing looks at. All that depends on its version is in this table, and in `arch`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from emu.ftrace.btf import Btf
from emu.linux import arch
from emu.linux.memory import LinuxMemory
from emu.linux.symbols import Symbols

__all__ = ["PerCpu", "Place", "Structures", "Task"]

_WORDS = (1 << 64) - 1


class Place(NamedTuple):
    """Of a member in its structure: in bytes."""

    offset: int
    size: int


class Task(NamedTuple):
    """Members of struct task_struct, under the names that they have there unless `_RENAMED` has another."""

    pid: Place
    tgid: Place
    comm: Place
    flags: Place  # PF_*
    thread_flags: Place  # TIF_*
    state: Place
    exit_state: Place
    prio: Place
    static_prio: Place
    rt_priority: Place
    policy: Place
    stack: Place
    saved_stack_pointer: Place  # while it does not run
    mm: Place
    tasks: Place  # links the leaders of all thread groups
    thread_node: Place  # links the threads of one
    signal: Place
    real_parent: Place
    group_leader: Place


# The name in each version; the first that is there is taken.
_RENAMED: Mapping[str, tuple[str, ...]] = {
    "thread_flags": ("thread_info.flags",),
    "state": ("__state", "state"),  # since Linux 5.14, before
    "saved_stack_pointer": (arch.SAVED_STACK_POINTER,),
}


class PerCpu(NamedTuple):
    """Variables that each CPU has, by what must be added to a number of __per_cpu_offset."""

    current_task: int  # the task that runs
    preempt_count: int
    hardirq_stack: int  # a pointer to the end of the stack for interrupts
    top_of_stack: int  # where the stack of the task that runs begins to be used: behind its struct pt_regs


class Structures:
    """The layout of a kernel's structures.

    >>> s = Structures(btf, symbols)
    >>> task = memory.word(s.per_cpu_address(memory, cpu, s.per_cpu.current_task))
    >>> memory.word(task + s.task.pid.offset, s.task.pid.size)
    1

    Attributes:
        task: of struct task_struct.
        thread_head: in struct signal_struct, the list of its threads.
        pgd: in struct mm_struct.
        registers: in struct pt_regs, each register's offset.
        registers_size: of struct pt_regs.
        per_cpu: where each CPU's variables are.

    Raises:
        LookupError: the kernel has no such member or symbol. It is of a version that is not in the table.
    """

    def __init__(self, btf: Btf, symbols: Symbols) -> None:
        self._btf, self._symbols = btf, symbols
        self.task = Task(**{name: self._place("task_struct", _RENAMED.get(name, (name,))) for name in Task._fields})
        self.thread_head = self._place("signal_struct", ("thread_head",))
        self.pgd = self._place("mm_struct", ("pgd",))
        self.registers = {name: btf.offset(f"pt_regs.{name}") for name in arch.REGISTERS}
        self.registers_size = btf.size("pt_regs")
        self.per_cpu = PerCpu(**{name: self._variable(*names) for name, names in arch.PER_CPU.items()})
        self._offsets = self._variable("__per_cpu_offset")

    def per_cpu_address(self, memory: LinuxMemory, cpu: int, variable: int) -> int:
        """The address of a CPU's variable.

        Args:
            variable: one of `per_cpu`, or the address of a per-CPU symbol.
        """
        return memory.word(self._offsets + 8 * cpu) + variable & _WORDS

    def _place(self, structure: str, names: tuple[str, ...]) -> Place:
        name = next((name for name in names if self._btf.has(f"{structure}.{name}")), names[0])
        return Place(self._btf.offset(f"{structure}.{name}"), self._btf.size(f"{structure}.{name}"))

    def _variable(self, *names: str) -> int:
        """The address of a symbol; or of a member of a variable, whose structure has its name: "pcpu_hot.preempt_count"."""
        for name in names:
            variable, _, member = name.partition(".")
            if (address := self._symbols.address(variable)) is not None:
                return address + (self._btf.offset(name) if member else 0)
        raise LookupError(f"there is no symbol {' or '.join(names)}")
