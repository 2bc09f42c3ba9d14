# SPDX-License-Identifier: GPL-2.0-only
"""Programs on SPARC V9: their memory, and the calls under way in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.cpu.arch.sparc64.state import Env
from emu.cpu.native import cpu_record
from emu.ftrace.native import user_memory
from emu.ftrace.native.arch.sparc64_unwind import CALL_PLACE, FP_PLACE
from emu.ftrace.native.arch.sparc64_windows import CANRESTORE, NWINDOWS, O6, O7, ins
from emu.ftrace.native.context import Context, host_address
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.user_memory import PageTables
from emu.native import njit
from emu.native.pointers import in_byte_order, load_u32, load_u64, store_u64

__all__ = ["PAGE_TABLES", "build"]

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
OTHERWIN = np.uint64(Env.otherwin.offset)
_VALID, _PRIVILEGED = 1 << 63, 1 << 2

# The tables are the guest kernel's own (asm/pgtable.h): an entry is what the TLB takes (UltraSPARC User's Manual, 6.2), or the
# physical address of a table.
PAGE_TABLES = PageTables(
    levels=3,
    page_shift=np.uint64(13),
    index_bits=np.uint64(10),
    frame=np.uint64(0x1FF_FFFF_E000),
    table=np.uint64(0),
    page=np.uint64(_VALID),
    privileged=np.uint64(_PRIVILEGED),
    large=np.uint64(0),
)


def build(guest: GuestLayout, context: Context) -> Any:
    """Compiles unwind_user() for a guest: by the program's register windows.

    The innermost are still in the CPU, as OTHERWIN's, behind those of the kernel. If the kernel needed the room of some, they are
    on the program's stack, or with the task if they could not go there.
    """
    guest_u64 = in_byte_order("big").load_u64
    user_word = user_memory.build_word(user_memory.build(in_byte_order("big"), guest, context, PAGE_TABLES))

    @njit
    def kept_window(env, array, task, sp):
        """The host address of the window that belongs on the stack at `sp`, if the task has it; else 0."""
        behind = host_address(array, guest_u64(task + guest.next_window))
        window = task + guest.windows
        for _ in range(load_u32(env + NWINDOWS)):
            if window >= behind:
                break
            if guest_u64(window + guest.window_sp) == sp:
                return window
            window += guest.window_size
        return ZERO

    @njit
    def unwind_user(cpu, array, task, saved, out, most):
        env = load_u64(cpu + cpu_record.ENV)
        address, sp = guest_u64(saved + guest.saved_pc), guest_u64(saved + guest.saved_sp)
        window = np.uint64(load_u32(env + CANRESTORE)) + ONE
        others = window + np.uint64(load_u32(env + OTHERWIN))
        count = ZERO
        while count < most and address != ZERO:
            store_u64(out + count * WORD, address)
            count += ONE
            if window < others:
                sp, address = load_u64(ins(env, window) + O6), load_u64(ins(env, window) + O7)
                window += ONE
                continue
            kept = kept_window(env, array, task, sp)
            if kept != ZERO:
                sp, address = guest_u64(kept + guest.window_fp), guest_u64(kept + guest.window_call)
                continue
            fp, call = user_word(cpu, array, sp + FP_PLACE), user_word(cpu, array, sp + CALL_PLACE)
            if fp == ZERO or call == ZERO:
                break
            sp, address = guest_u64(fp), guest_u64(call)
        return count

    return unwind_user
