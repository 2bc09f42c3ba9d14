# SPDX-License-Identifier: GPL-2.0-only
"""Programs on RISC-V: their memory, and unwinding their stacks."""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import user_memory
from emu.ftrace.native.arch.riscv64_unwind import RA
from emu.ftrace.native.context import Context
from emu.ftrace.native.guest_records import Guest, GuestMemory, PtRegs, Task
from emu.ftrace.native.trace_records import TraceArray
from emu.ftrace.native.user_memory import PageTables
from emu.ftrace.native.user_stack import UnwindUser
from emu.native.functions import Native
from emu.native.records import Values, u64

__all__ = ["PAGE_TABLES", "build"]

_VALID, _READ, _USER = 1, 2, 16

# The RISC-V Instruction Set Manual, volume II, 4.4 (Sv39): the number of a page is two bits lower than its address.
PAGE_TABLES = PageTables(
    levels=3,
    page_shift=u64(12),
    index_bits=u64(9),
    frame=u64(0x003F_FFFF_FFFF_FC00),
    frame_shift=u64(2),
    table=u64(_VALID),
    page=u64(_VALID | _READ | _USER),
    privileged=u64(0),
    large=u64(_READ),
)

WORD, FRAME_SIZE = 8, 16  # bytes


def build(guest: Guest, context: Context) -> UnwindUser:
    """Compiles unwind_user() for a guest, which uses frame pointers, if the program was compiled with them.

    The innermost function may be a leaf: it has stored its caller's frame pointer where others have their return address. Frame
    pointers lie above the frame, code below it.
    """
    user_word = user_memory.build_word(guest, user_memory.build(guest, context, PAGE_TABLES))
    pc_offset = u64(guest.layouts.fields(PtRegs)["pc"].offset)

    @Native(guest.layouts).shared
    def unwind_user(cpu: Cpu, array: TraceArray, task: Task, saved: PtRegs, out: Values[u64], most: u64) -> u64:
        address, frame, sp, count = saved.pc, saved.link, saved.sp, u64(0)
        while count < most and address != 0:
            out[count] = address
            count += 1
            link, slot = user_word(cpu, array, frame - FRAME_SIZE), user_word(cpu, array, frame - WORD)
            if frame < sp or link is None or slot is None:
                break
            if count == 1 and slot.as_u64 > frame:
                address, frame = GuestMemory(saved.address + pc_offset).as_words[RA], slot.as_u64
            else:
                frame, address = link.as_u64, slot.as_u64
        return count

    return unwind_user
