# SPDX-License-Identifier: GPL-2.0-only
"""The registers that probes see on SPARC V9 (`Probing.registers`). Words 0 to 31 are globals, outs, locals and
ins, numbered as in instructions.

In a probe's trap handler, the interrupted code's globals and outs are in the struct pt_regs, and its locals and ins are
in the next outer window of the handler. At a call site, the function has set up its own window: at the function's first
instruction, the next outer window was in use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.ftrace.native.arch import sparc64_windows
from emu.ftrace.native.arch.sparc64_windows import Env
from emu.ftrace.native.guest_records import PtRegs
from emu.ftrace.native.trace_records import TraceArray
from emu.native.functions import Native
from emu.native.records import Layouts, Values, Words, u64

__all__ = ["RegisterAccess", "build"]

INSTRUCTION = 4  # bytes
GLOBALS, ALL = 8, 32
FIRST_OUT, FIRST_LOCAL = u64(8), u64(16)
TSTATE, TPC, TNPC, Y = (u64(word) for word in range(ALL, ALL + 4))
OUTSIDE = u64(1)  # the next outer window
ASI_SHIFT, PSTATE_SHIFT = 24, 8  # bit positions in TSTATE


class RegisterAccess(NamedTuple):
    """Compiled functions. `regs`: a trap's, with the CPU in its handler. `image`: the words."""

    read: Callable[[Env, TraceArray, PtRegs, u64], u64]
    """read(env, array, regs, number) -> the value of the register with this number before the trap."""

    write: Callable[[Env, TraceArray, PtRegs, u64, u64], None]
    """write(env, array, regs, number, value)"""

    fill_from_trap: Callable[[Env, TraceArray, PtRegs, Values[u64]], None]
    """fill_from_trap(env, array, regs, image)"""

    fill_from_window: Callable[[Env, TraceArray, u64, u64, Values[u64]], None]
    """fill_from_window(env, array, window, pc, image): for code at `pc` that uses the `window`-th window, counted from the
    current one as 0. The condition codes are not among the words."""

    store_to_trap: Callable[[Env, TraceArray, PtRegs, Values[u64]], None]
    """store_to_trap(env, array, regs, image): stores everything except where the CPU continues."""

    store_to_window: Callable[[Env, TraceArray, u64, Values[u64]], None]
    """store_to_window(env, array, window, image): stores everything except the trap registers."""


def build(layouts: Layouts) -> RegisterAccess:
    """Compiles for a guest with these layouts and those of `sparc64_windows`."""
    njit = Native(layouts).njit
    read_window, write_window = sparc64_windows.read, sparc64_windows.write

    @njit
    def read(env: Env, array: TraceArray, regs: PtRegs, number: u64) -> u64:
        if number < FIRST_LOCAL:
            return regs.general[number]
        return read_window(env, array, OUTSIDE, number - FIRST_LOCAL)

    @njit
    def write(env: Env, array: TraceArray, regs: PtRegs, number: u64, value: u64) -> None:
        if number >= FIRST_LOCAL:
            write_window(env, array, OUTSIDE, number - FIRST_LOCAL, value)
        elif number != 0:
            regs.general[number] = value

    @njit
    def fill_from_trap(env: Env, array: TraceArray, regs: PtRegs, image: Values[u64]) -> None:
        for number in range(u64(ALL)):
            image[number] = read(env, array, regs, number)
        image[TSTATE] = regs.state
        image[TPC] = regs.pc
        image[TNPC] = regs.next_pc
        image[Y] = regs.y

    @njit
    def store_to_trap(env: Env, array: TraceArray, regs: PtRegs, image: Values[u64]) -> None:
        for number in range(u64(1), u64(ALL)):
            write(env, array, regs, number, image[number])
        regs.state = image[TSTATE]
        regs.y = image[Y]

    @njit
    def read_of(env: Env, array: TraceArray, window: u64, number: u64) -> u64:
        """A register among the outs, locals and ins of a window."""
        if number >= FIRST_LOCAL:
            return read_window(env, array, window, number - FIRST_LOCAL)
        if window == 0:
            return Words(env.regwptr.address)[number - FIRST_OUT]
        return read_window(env, array, window - 1, number)  # the outs are the ins of the next inner window

    @njit
    def write_of(env: Env, array: TraceArray, window: u64, number: u64, value: u64) -> None:
        if number >= FIRST_LOCAL:
            write_window(env, array, window, number - FIRST_LOCAL, value)
        elif window == 0:
            Words(env.regwptr.address)[number - FIRST_OUT] = value
        else:
            write_window(env, array, window - 1, number, value)

    @njit
    def fill_from_window(env: Env, array: TraceArray, window: u64, pc: u64, image: Values[u64]) -> None:
        for number in range(u64(GLOBALS)):
            image[number] = env.gregs[number]
        for number in range(u64(GLOBALS), u64(ALL)):
            image[number] = read_of(env, array, window, number)
        image[TSTATE] = env.asi << ASI_SHIFT | env.pstate << PSTATE_SHIFT | env.cwp
        image[TPC] = pc
        image[TNPC] = pc + INSTRUCTION
        image[Y] = env.y

    @njit
    def store_to_window(env: Env, array: TraceArray, window: u64, image: Values[u64]) -> None:
        for number in range(u64(1), u64(GLOBALS)):
            env.gregs[number] = image[number]
        for number in range(u64(GLOBALS), u64(ALL)):
            write_of(env, array, window, number, image[number])
        env.y = image[Y]

    return RegisterAccess(read, write, fill_from_trap, fill_from_window, store_to_trap, store_to_window)
