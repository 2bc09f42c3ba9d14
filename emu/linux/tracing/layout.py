# SPDX-License-Identifier: GPL-2.0-only
"""What native code must know of an x86-64 Linux: where its structures have their members, by BTF; and its numbers."""

from __future__ import annotations

from typing import NamedTuple

from emu.ftrace.native.guest_numbers import GuestNumbers
from emu.ftrace.native.guest_records import Calls, Guest, GuestMemory, Hot, Mm, PtRegs, ReturnStackEntry, Task, Waiting
from emu.linux.btf import Btf
from emu.linux.symbols import Symbols
from emu.native.records import Layouts, Record, Shape, u64

__all__ = ["DEEPEST", "HotMembers", "NotTraceable", "guest_of", "hot_members"]

DEEPEST = 256  # calls of a task under way that are followed; more are counted as overrun
_TASK = (
    "pid", "tgid", "comm", "mm", "stack", "exit_state", "prio", "static_prio", "policy", "rt_priority", "flags",
)  # fmt: skip
_THREAD_SIZE = 16 << 10  # THREAD_SIZE of arch/x86/include/asm/page_64_types.h, without KASAN
_FRED_PADDING = 16  # TOP_OF_KERNEL_STACK_PADDING, if the kernel was built for FRED


class NotTraceable(ValueError):
    """A kernel does not say what tracing must know. The message is one line."""


class HotMembers(NamedTuple):
    """Where the members of `Hot` are in a CPU's per-CPU area, and where that of the hard interrupts' stack is."""

    current_task: int
    preempt_count: int
    hardirq_stack: int


def hot_members(btf: Btf, symbols: Symbols) -> HotMembers:
    """They are symbols of their own, but from Linux 6.2 to 6.14 members of pcpu_hot.

    Raises:
        NotTraceable: the kernel has neither.
    """

    def place(symbol: str, member: str) -> int:
        if (found := symbols.address(symbol)) is not None:
            return found
        hot = symbols.address("pcpu_hot")
        if hot is None or not btf.has(f"pcpu_hot.{member}"):
            raise NotTraceable(f"the kernel has no per-CPU variable {symbol}")
        return hot + btf.offset(f"pcpu_hot.{member}")

    return HotMembers(
        place("current_task", "current_task"),
        place("__preempt_count", "preempt_count"),
        place("hardirq_stack_ptr", "hardirq_stack_ptr"),
    )


def guest_of(btf: Btf, symbols: Symbols) -> Guest:
    """The layouts and numbers for native code.

    Raises:
        NotTraceable: a structure lacks a member.
    """
    hot = hot_members(btf, symbols)
    try:
        task = {name: btf.offset(f"task_struct.{name}") for name in _TASK}
        task |= {"state": btf.offset("task_struct.__state"), "thread_info_flags": btf.offset("task_struct.thread_info.flags")}
        registers = {name: btf.offset(f"pt_regs.{member}") for name, member in (("pc", "ip"), ("sp", "sp"), ("link", "bp"))}
        shapes: dict[type[Record], Shape] = {
            GuestMemory: Shape(dict.fromkeys(GuestMemory.__annotations__, 0)),
            Hot: Shape({"current_task": hot.current_task, "preempt_count": hot.preempt_count, "percpu_offset": 0}),
            Task: Shape(task, size=btf.size("task_struct")),
            Waiting: Shape(_waiting(btf), size=btf.size("task_struct")),
            Mm: Shape({"pgd": btf.offset("mm_struct.pgd")}),
            PtRegs: Shape(registers, size=btf.size("pt_regs")),
            ReturnStackEntry: Shape({"ret": 0, "func": 8, "calltime": 16, "subtime": 24, "fp": 32}, size=40),
            Calls: Shape(
                {"curr_ret_stack": 0, "trace_overrun": 4, "ftrace_timestamp": 8, "ret_stack": 16}, {"ret_stack": DEEPEST}
            ),
        }
        of_user = _THREAD_SIZE - btf.size("pt_regs") - _FRED_PADDING * btf.has("pt_regs.fred_ss")
    except LookupError as error:
        raise NotTraceable(f"the kernel's types are not as expected: {error}") from None
    return Guest(Layouts(shapes), _numbers(of_user))


def _waiting(btf: Btf) -> dict[str, int]:
    """The offsets of the members of `Waiting`. The last one is 0 if the kernel has no such member."""
    cpu = "thread_info.cpu" if btf.has("task_struct.thread_info.cpu") else "cpu"
    offsets = {"cpu": btf.offset(f"task_struct.{cpu}"), "on_rq": btf.offset("task_struct.on_rq"), "sched_delayed": 0}
    if btf.has("task_struct.se.sched_delayed"):
        offsets["sched_delayed"] = btf.offset("task_struct.se.sched_delayed")
    return offsets


def _numbers(of_user: int) -> GuestNumbers:
    """The numbers, from include/linux/sched.h, preempt.h and arch/x86/include/asm. They are macros, which BTF does not have."""
    return GuestNumbers(
        thread_size=u64(_THREAD_SIZE),
        of_user=u64(of_user),
        task_size=u64((1 << 47) - 4096),
        depth=u64(DEEPEST),
        task_report=u64(0x7F),
        task_idle=u64(0x402),
        pf_kthread=u64(0x200000),
        tif_need_resched=u64(1 << 3),
        preempt_mask=u64(0xFF),
        softirq_served=u64(0x100),
        softirq_disabled=u64(0xFE00),
        hardirq_mask=u64(0xF_0000),
        nmi_mask=u64(0xF0_0000),
        preempt_need_resched=u64(0x8000_0000),
        preempt_enabled=u64(0x8000_0000),
        trace_string=u64(0),
    )


