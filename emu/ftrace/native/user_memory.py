# SPDX-License-Identifier: GPL-2.0-only
"""The memory of the program that a CPU runs, found by the program's page tables as the guest's kernel has made them.

Nothing here faults: what the program could not read at the moment without a fault has no address.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emu.cpu.native import cpu_record
from emu.ftrace.native import array_record
from emu.ftrace.native.context import Context, host_address
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import njit
from emu.native.pointers import Accessors, load_u64

__all__ = ["PageTables", "build", "build_word"]

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
SMALLEST_PAGE = np.uint64(4096)


class PageTables(NamedTuple):
    """What an architecture's tables are: pages of entries of eight bytes, each level found by the one above it."""

    levels: int
    page_shift: np.uint64
    index_bits: np.uint64  # of an address, for each level
    frame: np.uint64  # the bits of an entry that are a physical address
    table: np.uint64  # the bits that are set in an entry that leads to a table
    page: np.uint64  # the bits that are set in an entry of a page of user memory
    privileged: np.uint64  # the bits that are clear there
    large: np.uint64  # the bit of an entry above the last level that is set if it is a page's; 0: there are no large pages


def build(memory: Accessors, guest: GuestLayout, context: Context, tables: PageTables) -> Any:
    """user_address(cpu, array, address) -> the host address of a user address of the task that runs on a CPU, 0 if it has none.

    It is good up to the end of its page. `memory`: accesses in the guest's byte order.
    """
    guest_u64, current_task = memory.load_u64, context.current_task
    index_mask = (ONE << tables.index_bits) - ONE
    page_mask = (ONE << tables.page_shift) - ONE

    @njit
    def user_address(cpu, array, address):
        array_cpu = load_u64(cpu + cpu_record.CALLOUT)
        mm = guest_u64(current_task(array_cpu, array) + guest.task_mm)
        if mm == ZERO or address >= guest.task_size:
            return ZERO
        ram = load_u64(array + array_record.RAM)
        last_page = load_u64(array + array_record.RAM_SIZE)  # which that size leaves out
        table = guest_u64(host_address(array, mm) + guest.mm_pgd) - load_u64(array + array_record.DIRECT_START)
        shift = tables.page_shift + np.uint64(tables.levels - 1) * tables.index_bits
        while True:
            if table > last_page or table & page_mask:
                return ZERO
            entry = guest_u64(ram + table + (address >> shift & index_mask) * WORD)
            if shift == tables.page_shift or entry & tables.large:
                if entry & tables.page != tables.page or entry & tables.privileged:
                    return ZERO
                inside = (ONE << shift) - ONE
                place = (entry & tables.frame & ~inside) | (address & inside)
                return ram + place if place & ~page_mask <= last_page else ZERO
            table = entry & tables.frame
            if table == ZERO or entry & tables.table != tables.table:
                return ZERO
            shift -= tables.index_bits

    return user_address


def build_word(user_address: Any) -> Any:
    """user_word(cpu, array, address) -> the host address of the eight bytes at a user address; 0: they are not all there."""

    @njit
    def user_word(cpu, array, address):
        if address & (SMALLEST_PAGE - ONE) > SMALLEST_PAGE - WORD:  # no aligned word lies across the end of a page
            return ZERO
        return user_address(cpu, array, address)

    return user_word
