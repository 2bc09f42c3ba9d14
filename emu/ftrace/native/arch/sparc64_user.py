# SPDX-License-Identifier: GPL-2.0-only
"""Programs on SPARC V9: their memory, and unwinding their stacks."""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import user_memory
from emu.ftrace.native.arch.sparc64_windows import SHAPES, Env, ins
from emu.ftrace.native.context import Context, host_address
from emu.ftrace.native.guest_records import Guest, PtRegs, Task, UserWindow
from emu.ftrace.native.trace_records import TraceArray
from emu.ftrace.native.user_memory import PageTables
from emu.ftrace.native.user_stack import UnwindUser
from emu.kernel.arch.sparc64 import SAVED_CALL, SAVED_FP
from emu.native.functions import Native
from emu.native.records import Values, u64

__all__ = ["PAGE_TABLES", "build"]

_FP, _CALL = 14, 15  # indices of %i6 and %i7 among a window's locals and ins

_VALID, _PRIVILEGED = 1 << 63, 1 << 2

# The tables are the guest kernel's own (asm/pgtable.h): an entry is in the TLB's format (UltraSPARC User's Manual, 6.2), or the
# physical address of a table.
PAGE_TABLES = PageTables(
    levels=3,
    page_shift=u64(13),
    index_bits=u64(10),
    frame=u64(0x1FF_FFFF_E000),
    table=u64(0),
    page=u64(_VALID),
    privileged=u64(_PRIVILEGED),
    large=u64(0),
)


def build(guest: Guest, context: Context) -> UnwindUser:
    """Compiles unwind_user() for a guest, which uses the program's register windows.

    The innermost windows are still in the CPU, as OTHERWIN's, outside those of the kernel. If the kernel needed their room, they
    are on the program's stack, or with the task if the stack was not accessible.
    """
    native = Native(guest.layouts.extended(SHAPES))
    user_word = user_memory.build_word(guest, user_memory.build(guest, context, PAGE_TABLES))

    @native.njit
    def kept_window(env: Env, array: TraceArray, task: Task, sp: u64) -> UserWindow | None:
        """The window that belongs on the stack at `sp`, if the task keeps it."""
        behind = host_address(array, task.next_window)
        for n in range(env.nwindows):
            window = task.windows[n]
            if window.address >= behind:
                break
            if window.sp == sp:
                return window
        return None

    @native.shared
    def unwind_user(cpu: Cpu, array: TraceArray, task: Task, saved: PtRegs, out: Values[u64], most: u64) -> u64:
        env, address, sp = Env(cpu.env), saved.pc, saved.sp
        window = env.canrestore + 1
        others, count = window + env.otherwin, u64(0)
        while count < most and address != 0:
            out[count] = address
            count += 1
            if window < others:
                outer = ins(env, window)
                sp, address = outer.o6, outer.o7
                window += 1
                continue
            kept = kept_window(env, array, task, sp)
            if kept is not None:
                sp, address = kept.window[_FP], kept.window[_CALL]
                continue
            fp, call = user_word(cpu, array, sp + SAVED_FP), user_word(cpu, array, sp + SAVED_CALL)
            if fp is None or call is None:
                break
            sp, address = fp.as_u64, call.as_u64
        return count

    return unwind_user
