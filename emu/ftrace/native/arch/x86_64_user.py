# SPDX-License-Identifier: GPL-2.0-only
"""Programs on x86-64: their memory, and unwinding their stacks."""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import user_memory
from emu.ftrace.native.context import Context
from emu.ftrace.native.guest_records import Guest, PtRegs, Task
from emu.ftrace.native.trace_records import TraceArray
from emu.ftrace.native.user_memory import PageTables
from emu.ftrace.native.user_stack import UnwindUser
from emu.native.functions import Native
from emu.native.records import Values, u64

__all__ = ["PAGE_TABLES", "build"]

_PRESENT, _USER, _LARGE = 1, 4, 0x80

# Intel SDM volume 3, 4.5
PAGE_TABLES = PageTables(
    levels=4,
    page_shift=u64(12),
    index_bits=u64(9),
    frame=u64(0x000F_FFFF_FFFF_F000),
    table=u64(_PRESENT | _USER),
    page=u64(_PRESENT | _USER),
    privileged=u64(0),
    large=u64(_LARGE),
)


def build(guest: Guest, context: Context) -> UnwindUser:
    """Compiles unwind_user() for a guest, which uses frame pointers, if the program was compiled with them."""
    user_word = user_memory.build_word(guest, user_memory.build(guest, context, PAGE_TABLES))

    @Native(guest.layouts).shared
    def unwind_user(cpu: Cpu, array: TraceArray, task: Task, saved: PtRegs, out: Values[u64], most: u64) -> u64:
        address, frame, sp, count = saved.pc, saved.link, saved.sp, u64(0)
        while count < most and address != 0:
            out[count] = address
            count += 1
            link, slot = user_word(cpu, array, frame), user_word(cpu, array, frame + 8)
            if frame < sp or link is None or slot is None:
                break
            frame, address = link.as_u64, slot.as_u64
        return count

    return unwind_user
