# SPDX-License-Identifier: GPL-2.0-only
"""Records the user stack of a task: a user_stack event.

The architectures' unwinders, in `native.arch`, have

    unwind_user(cpu, array, task, saved, out, most) -> count

It stores where the program continues and the calls that led there in `out`, innermost first: at most `most`. `saved` is the
task's struct pt_regs. A program's stack may contain anything: the trace ends where nothing can be read.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.buffers.entries import USER_STACK, USER_STACK_DEPTH, EventType
from emu.ftrace.native.context import Context, complete, host_address, now, of_type
from emu.ftrace.native.guest_records import Guest, PtRegs, Task
from emu.ftrace.native.ring_buffer import reserve
from emu.ftrace.native.trace_records import ArrayCpu, TraceArray
from emu.ftrace.native.trace_values import PLACE_PROGRAM
from emu.native.functions import Native
from emu.native.records import Record, Values, inline, u32, u64

__all__ = ["UnwindUser", "build"]

KIND, SIZE, MOST = u64(EventType.USER_STACK), u64(USER_STACK.itemsize), u64(USER_STACK_DEPTH)
UnwindUser = Callable[[Cpu, TraceArray, Task, PtRegs, Values[u64], u64], u64]


class UserStackEntry(Record):
    common: u64
    tgid: u32
    padding: u32
    caller: Values[u64] = inline(USER_STACK_DEPTH)  # 0 after the last


def build(
    guest: Guest, context: Context, unwind_user: UnwindUser
) -> Callable[[Cpu, ArrayCpu, u64], None]:
    """Compiles record_user_stack(cpu, array_cpu, common): records the user stack of the CPU's task for one array,
    after an event with these common fields except the type.

    Kernel threads have no user stack, and in an NMI it is not read, as in Linux.
    """
    numbers = guest.numbers
    current_task, preempt_count = context.current_task, context.preempt_count

    @Native(guest.layouts).njit
    def record_user_stack(cpu: Cpu, array_cpu: ArrayCpu, common: u64) -> None:
        array = array_cpu.array
        task = current_task(array_cpu, array)
        if preempt_count(array_cpu) & numbers.nmi_mask != 0 or task.flags & numbers.pf_kthread != 0:
            return
        place = reserve(array_cpu.ring, now(cpu, array), SIZE)
        if place == 0:
            return
        entry = UserStackEntry(place)
        entry.common = of_type(common, KIND)
        entry.tgid = task.tgid
        entry.padding = 0
        in_program = array.event_context.place == PLACE_PROGRAM
        saved = PtRegs(array.uprobes.program.address if in_program else host_address(array, task.stack + numbers.of_user))
        for n in range(unwind_user(cpu, array, task, saved, entry.caller, MOST), MOST):
            entry.caller[n] = 0
        complete(cpu, array_cpu, array)

    return record_user_stack
