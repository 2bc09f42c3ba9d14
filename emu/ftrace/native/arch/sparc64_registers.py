# SPDX-License-Identifier: GPL-2.0-only
"""The registers that probes see on SPARC V9 (`Probing.registers`). The words 0 to 31 are globals, outs, locals and
ins, by the numbers that instructions have for them.

In the handler of a probe's trap, what was interrupted has its globals and outs in the struct pt_regs, and its locals and ins
in the window outside the handler's. At a call site, the function has made a window of its own: at its first instruction, the
window outside that one was in use.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emu.cpu.arch.sparc64.state import Env
from emu.ftrace.native.arch import sparc64_windows
from emu.ftrace.native.arch.sparc64_windows import WINDOW
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import njit
from emu.native.pointers import in_byte_order, load_u32, load_u64, store_u64

__all__ = ["RegisterAccess", "build"]

ZERO, ONE, WORD, INSTRUCTION = np.uint64(0), np.uint64(1), np.uint64(8), np.uint64(4)
GLOBALS, ALL = 8, 32
FIRST_OUT, FIRST_LOCAL = np.uint64(8), np.uint64(16)
TSTATE, TPC, TNPC, Y = (np.uint64(8 * word) for word in range(ALL, ALL + 4))

GREGS, ENV_Y, ASI, PSTATE, CWP = (np.uint64(field.offset) for field in (Env.gregs, Env.y, Env.asi, Env.pstate, Env.cwp))
ASI_SHIFT, PSTATE_SHIFT = np.uint64(24), np.uint64(8)  # in TSTATE


class RegisterAccess(NamedTuple):
    """Compiled functions. `regs`: the host address of a trap's struct pt_regs, the CPU being in its handler. `image`: that of the
    words."""

    read: Any
    """read(env, array, regs, number) -> the value that the register with this number had before the trap."""

    write: Any
    """write(env, array, regs, number, value)"""

    fill_from_trap: Any
    """fill_from_trap(env, array, regs, image)"""

    fill_from_window: Any
    """fill_from_window(env, array, window, pc, image): of code at `pc` that uses the `window`-th window, the current one being
    the first. The condition codes are not among the words."""

    store_to_trap: Any
    """store_to_trap(env, array, regs, image): all but where the CPU goes on."""

    store_to_window: Any
    """store_to_window(env, array, window, image): all but the trap registers."""


def build(guest: GuestLayout) -> RegisterAccess:
    """Compiles for a guest."""
    memory = in_byte_order("big")
    guest_u32, guest_u64, guest_store_u32, guest_store_u64 = memory.load_u32, memory.load_u64, memory.store_u32, memory.store_u64
    read_window, write_window = sparc64_windows.build()

    @njit
    def read(env, array, regs, number):
        if number < FIRST_LOCAL:
            return guest_u64(regs + guest.saved_general + number * WORD)
        return read_window(env, array, ONE, number - FIRST_LOCAL)

    @njit
    def write(env, array, regs, number, value):
        if number >= FIRST_LOCAL:
            write_window(env, array, ONE, number - FIRST_LOCAL, value)
        elif number != ZERO:
            guest_store_u64(regs + guest.saved_general + number * WORD, value)

    @njit
    def fill_from_trap(env, array, regs, image):
        for n in range(ALL):
            number = np.uint64(n)
            store_u64(image + number * WORD, read(env, array, regs, number))
        store_u64(image + TSTATE, guest_u64(regs + guest.saved_state))
        store_u64(image + TPC, guest_u64(regs + guest.saved_pc))
        store_u64(image + TNPC, guest_u64(regs + guest.saved_next_pc))
        store_u64(image + Y, np.uint64(guest_u32(regs + guest.saved_y)))

    @njit
    def store_to_trap(env, array, regs, image):
        for n in range(1, ALL):
            number = np.uint64(n)
            write(env, array, regs, number, load_u64(image + number * WORD))
        guest_store_u64(regs + guest.saved_state, load_u64(image + TSTATE))
        guest_store_u32(regs + guest.saved_y, np.uint32(load_u64(image + Y)))

    @njit
    def read_of(env, array, window, number):
        """One of the outs, locals and ins of a window."""
        if number >= FIRST_LOCAL:
            return read_window(env, array, window, number - FIRST_LOCAL)
        if window == ZERO:
            return load_u64(load_u64(env + WINDOW) + (number - FIRST_OUT) * WORD)
        return read_window(env, array, window - ONE, number)  # the ins have the numbers of the outs there

    @njit
    def write_of(env, array, window, number, value):
        if number >= FIRST_LOCAL:
            write_window(env, array, window, number - FIRST_LOCAL, value)
        elif window == ZERO:
            store_u64(load_u64(env + WINDOW) + (number - FIRST_OUT) * WORD, value)
        else:
            write_window(env, array, window - ONE, number, value)

    @njit
    def fill_from_window(env, array, window, pc, image):
        for n in range(GLOBALS):
            at = np.uint64(n) * WORD
            store_u64(image + at, load_u64(env + GREGS + at))
        for n in range(GLOBALS, ALL):
            number = np.uint64(n)
            store_u64(image + number * WORD, read_of(env, array, window, number))
        state = np.uint64(load_u32(env + ASI)) << ASI_SHIFT | np.uint64(load_u32(env + PSTATE)) << PSTATE_SHIFT
        store_u64(image + TSTATE, state | np.uint64(load_u32(env + CWP)))
        store_u64(image + TPC, pc)
        store_u64(image + TNPC, pc + INSTRUCTION)
        store_u64(image + Y, load_u64(env + ENV_Y))

    @njit
    def store_to_window(env, array, window, image):
        for n in range(1, GLOBALS):
            at = np.uint64(n) * WORD
            store_u64(env + GREGS + at, load_u64(image + at))
        for n in range(GLOBALS, ALL):
            number = np.uint64(n)
            write_of(env, array, window, number, load_u64(image + number * WORD))
        store_u64(env + ENV_Y, load_u64(image + Y))

    return RegisterAccess(read, write, fill_from_trap, fill_from_window, store_to_trap, store_to_window)
