# SPDX-License-Identifier: GPL-2.0-only
"""What native code must know of a Linux: where its structures have their members, by BTF; and its numbers."""

from __future__ import annotations

from emu.ftrace.btf import Btf
from emu.ftrace.native.guest_records import Calls, Guest, GuestMemory, Hot, Mm, PtRegs, ReturnStackEntry, Task, Waiting
from emu.ftrace.native.syscall_record import Calling, SyscallRegisters
from emu.linux.memory import LinuxMemory
from emu.linux.structures import Structures
from emu.linux.symbols import Symbols
from emu.linux.tracing import arch
from emu.native.records import Layouts, Record, Shape

__all__ = ["DEEPEST", "NotTraceable", "guest_of"]

DEEPEST = 256  # calls of a task under way that are followed; more are counted as overrun
_TASK = (
    "thread_info_flags", "pid", "tgid", "comm", "mm", "stack", "state", "exit_state", "prio", "static_prio", "policy",
    "rt_priority", "flags",
)  # fmt: skip
_MEMBERS = {"thread_info_flags": "thread_flags"}  # names in `structures.Task`


class NotTraceable(ValueError):
    """A kernel does not say what tracing must know. The message is one line."""


def guest_of(btf: Btf, symbols: Symbols, memory: LinuxMemory) -> Guest:
    """The layouts and numbers for native code.

    Raises:
        NotTraceable: a structure lacks a member.
    """
    try:
        known = Structures(btf, symbols)
        registers = {"pc": known.registers[arch.PC], "sp": known.registers[arch.SP], "link": known.registers[arch.LINK]}
        top = _top_of_stack(known, memory)
        waiting = _waiting(btf)
    except LookupError as error:
        raise NotTraceable(f"the kernel's types are not as expected: {error}") from None
    task = {name: getattr(known.task, _MEMBERS.get(name, name)).offset for name in _TASK}
    shapes: dict[type[Record], Shape] = {
        GuestMemory: Shape(dict.fromkeys(GuestMemory.__annotations__, 0)),
        Hot: Shape({"percpu_offset": 0} | {name: getattr(known.per_cpu, name) for name in ("current_task", "preempt_count")}),
        Task: Shape(task, size=btf.size("task_struct")),
        Waiting: Shape(waiting, size=btf.size("task_struct")),
        Mm: Shape({"pgd": known.pgd.offset}),
        PtRegs: Shape(registers, size=known.registers_size),
        SyscallRegisters: Shape({name: known.registers[member] for name, member in arch.SYSCALL_REGISTERS.items()}),
        Calling: Shape({name: _offset_if_any(btf, f"task_struct.{member}") for name, member in arch.CALLING.items()}),
        ReturnStackEntry: Shape({"ret": 0, "func": 8, "calltime": 16, "subtime": 24, "fp": 32}, size=40),
        Calls: Shape({"curr_ret_stack": 0, "trace_overrun": 4, "ftrace_timestamp": 8, "ret_stack": 16}, {"ret_stack": DEEPEST}),
    }
    of_user = top - known.registers_size
    return Guest(Layouts(shapes), arch.numbers(of_user, DEEPEST))


def _offset_if_any(btf: Btf, path: str) -> int:
    """The offset of a member; 0 if an older kernel has none, in which nothing that reads it is used."""
    return btf.offset(path) if btf.has(path) else 0


def _waiting(btf: Btf) -> dict[str, int]:
    """The offsets of the members of `Waiting`. The last one is 0 if the kernel has no such member."""
    cpu = "thread_info.cpu" if btf.has("task_struct.thread_info.cpu") else "cpu"
    offsets = {"cpu": btf.offset(f"task_struct.{cpu}"), "on_rq": btf.offset("task_struct.on_rq"), "sched_delayed": 0}
    if btf.has("task_struct.se.sched_delayed"):
        offsets["sched_delayed"] = btf.offset("task_struct.se.sched_delayed")
    return offsets


def _top_of_stack(known: Structures, memory: LinuxMemory) -> int:
    """Where a task's stack begins to be used, behind its program's registers, from the stack's lowest address on.

    Kernels that were built for FRED leave some bytes free above. Before the kernel has booted, it does not say so.
    """
    task = memory.word(known.per_cpu_address(memory, 0, known.per_cpu.current_task))
    top = memory.word(known.per_cpu_address(memory, 0, known.per_cpu.top_of_stack))
    found = top - memory.word(task + known.task.stack.offset)
    return found if 0 < found <= arch.THREAD_SIZE else arch.THREAD_SIZE
