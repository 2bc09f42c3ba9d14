# SPDX-License-Identifier: GPL-2.0-only
"""The register windows of the calls under way on a SPARC V9 CPU. The innermost are in it. Each of the others is where its %sp
says that it has been saved.

A window has locals and ins of its own, as saved in this order. Its outs are the ins of the next inner window.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emu.cpu.arch.sparc64.state import Env, window_register
from emu.ftrace.native.context import host_address
from emu.kernel.arch.sparc64 import SAVED_FP, SAVED_WINDOW
from emu.native import njit
from emu.native.pointers import in_byte_order, load_u32, load_u64, store_u64

__all__ = [
    "CANRESTORE", "I0", "I6", "I7", "NWINDOWS", "O0", "O1", "O2", "O3", "O6", "O7", "WINDOW", "Windows", "build", "ins",
]  # fmt: skip

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
LOCALS = np.uint64(8)  # how many, and so the first of the ins

# In the CPU
WINDOW, REGBASE = np.uint64(Env.regwptr.offset), np.uint64(Env.regbase.offset)
CWP, CANRESTORE, NWINDOWS = (np.uint64(field.offset) for field in (Env.cwp, Env.canrestore, Env.nwindows))
WINDOW_SIZE = np.uint64(16 * 8)  # bytes from a window to the next one: they share eight registers
O0, O1, O2, O3, O6, O7, L0, I0, I6, I7 = (
    np.uint64(window_register(name)) for name in ("o0", "o1", "o2", "o3", "o6", "o7", "l0", "i0", "i6", "i7")
)

# On the stack
FP_PLACE, WINDOW_PLACE = np.uint64(SAVED_FP), np.uint64(SAVED_WINDOW)


@njit
def ins(env, n):
    """The host address of the ins of the n-th window that is in the CPU, the current one's being the first."""
    index = np.uint64(load_u32(env + CWP)) + n + ONE
    windows = np.uint64(load_u32(env + NWINDOWS))
    if n != ZERO and index >= windows:  # those of the current window follow it in any case
        index %= windows  # once round, whatever the guest has stored in CANRESTORE and OTHERWIN
    return env + REGBASE + index * WINDOW_SIZE


@njit
def locals_in_cpu(env, n):
    """The same for the locals."""
    return env + REGBASE + (np.uint64(load_u32(env + CWP)) + n) % np.uint64(load_u32(env + NWINDOWS)) * WINDOW_SIZE + L0


class Windows(NamedTuple):
    """Compiled functions that know where windows are. `register`: 0 to 7 the locals, 8 to 15 the ins."""

    read: Any
    """read(env, array, n, register) -> the value of a register of the n-th window, the current one being the first."""

    write: Any
    """write(env, array, n, register, value)"""


def build() -> Windows:
    """Compiles them."""
    memory = in_byte_order("big")
    guest_u64, guest_store_u64 = memory.load_u64, memory.store_u64

    @njit
    def in_cpu(env, n):
        return n <= np.uint64(load_u32(env + CANRESTORE))

    @njit
    def place_in_cpu(env, n, register):
        return locals_in_cpu(env, n) + register * WORD if register < LOCALS else ins(env, n) + (register - LOCALS) * WORD

    @njit
    def place_on_stack(env, array, n, register):
        sp = load_u64(load_u64(env + WINDOW) + O6)
        for inner in range(n):
            inside = np.uint64(inner)
            sp = load_u64(ins(env, inside) + O6) if in_cpu(env, inside) else guest_u64(host_address(array, sp + FP_PLACE))
        return host_address(array, sp + WINDOW_PLACE + register * WORD)

    @njit
    def read(env, array, n, register):
        if in_cpu(env, n):
            return load_u64(place_in_cpu(env, n, register))
        return guest_u64(place_on_stack(env, array, n, register))

    @njit
    def write(env, array, n, register, value):
        if in_cpu(env, n):
            store_u64(place_in_cpu(env, n, register), value)
        else:
            guest_store_u64(place_on_stack(env, array, n, register), value)

    return Windows(read, write)
