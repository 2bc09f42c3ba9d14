# SPDX-License-Identifier: GPL-2.0-only
"""Recording the calls under way in the program of a task: an event user_stack.

The unwinders of the architectures, `native.arch`, have

    unwind_user(cpu, array, task, saved, out, most) -> count

It stores where the program goes on and the calls that led there as 64-bit words at the host address `out`, innermost first: at
most `most`. `task` and `saved` are the host addresses of the task and of its struct pt_regs. Programs may have anything where
their stack should be: the calls end where nothing can be read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.ftrace.events import USER_STACK, USER_STACK_DEPTH, EventType
from emu.ftrace.native import array_cpu_record
from emu.ftrace.native.context import Context, complete, host_address, now, of_type
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.ring_buffer import reserve
from emu.native import njit
from emu.native.pointers import Accessors, load_u64, store_u64
from emu.native.record import offset_of

__all__ = ["build"]

ZERO, WORD = np.uint64(0), np.uint64(8)
KIND, SIZE, MOST = np.uint64(EventType.USER_STACK), np.uint64(USER_STACK.itemsize), np.uint64(USER_STACK_DEPTH)
TGID, CALLERS = offset_of(USER_STACK, "tgid"), offset_of(USER_STACK, "caller")


def build(memory: Accessors, guest: GuestLayout, context: Context, unwind_user: Any) -> Any:
    """Compiles record_user_stack(cpu, array_cpu, common): records the stack of the program that a CPU's task runs for one array,
    after an event that has these common fields, the type aside.

    Kernel threads have no program, and in an NMI its stack is left alone, as in Linux.

    `memory`: accesses in the guest's byte order.
    """
    guest_u32, guest_u64 = memory.load_u32, memory.load_u64
    current_task, preempt_count = context.current_task, context.preempt_count

    @njit
    def record_user_stack(cpu, array_cpu, common):
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        task = current_task(array_cpu, array)
        if preempt_count(array_cpu) & guest.nmi_mask or guest_u32(task + guest.task_pf) & guest.pf_kthread:
            return
        entry = reserve(load_u64(array_cpu + array_cpu_record.RING), now(cpu, array), SIZE)
        if entry == ZERO:
            return
        store_u64(entry, of_type(common, KIND))
        store_u64(entry + TGID, np.uint64(guest_u32(task + guest.task_tgid)))
        saved = host_address(array, guest_u64(task + guest.task_stack) + guest.of_user)
        callers = entry + CALLERS
        for n in range(unwind_user(cpu, array, task, saved, callers, MOST), MOST):
            store_u64(callers + np.uint64(n) * WORD, ZERO)
        complete(cpu, array_cpu, array)

    return record_user_stack
