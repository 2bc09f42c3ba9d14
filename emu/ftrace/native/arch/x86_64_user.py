# SPDX-License-Identifier: GPL-2.0-only
"""Programs on x86-64: their memory, and the calls under way in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.ftrace.native import user_memory
from emu.ftrace.native.context import Context
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.user_memory import PageTables
from emu.native import njit
from emu.native.pointers import in_byte_order, load_u64, store_u64

__all__ = ["PAGE_TABLES", "build"]

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
_PRESENT, _USER, _LARGE = 1, 4, 0x80

# Intel SDM volume 3, 4.5
PAGE_TABLES = PageTables(
    levels=4,
    page_shift=np.uint64(12),
    index_bits=np.uint64(9),
    frame=np.uint64(0x000F_FFFF_FFFF_F000),
    table=np.uint64(_PRESENT | _USER),
    page=np.uint64(_PRESENT | _USER),
    privileged=np.uint64(0),
    large=np.uint64(_LARGE),
)


def build(guest: GuestLayout, context: Context) -> Any:
    """Compiles unwind_user() for a guest: by frame pointers, where the program has been compiled with them."""
    user_word = user_memory.build_word(user_memory.build(in_byte_order("little"), guest, context, PAGE_TABLES))

    @njit
    def unwind_user(cpu, array, task, saved, out, most):
        address, frame = load_u64(saved + guest.saved_pc), load_u64(saved + guest.saved_link)
        sp = load_u64(saved + guest.saved_sp)
        count = ZERO
        while count < most and address != ZERO:
            store_u64(out + count * WORD, address)
            count += ONE
            link, slot = user_word(cpu, array, frame), user_word(cpu, array, frame + WORD)
            if frame < sp or link == ZERO or slot == ZERO:
                break
            frame, address = load_u64(link), load_u64(slot)
        return count

    return unwind_user
