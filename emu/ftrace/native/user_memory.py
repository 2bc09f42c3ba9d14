# SPDX-License-Identifier: GPL-2.0-only
"""The memory of the program on a CPU, found through the page tables made by the guest's kernel.

Nothing here faults: memory that the program could not read at the moment without a fault has no address.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.context import Context, host_address
from emu.ftrace.native.guest_records import Guest, GuestMemory, Mm
from emu.ftrace.native.trace_records import ArrayCpu, TraceArray
from emu.native.functions import Native
from emu.native.records import u64

__all__ = ["PageTables", "UserAddress", "UserWord", "build", "build_word"]

IN_PAGE, LAST_IN_PAGE = u64(4095), 4088  # the offset bits of an address in the smallest page; the page's last word
UserAddress = Callable[[Cpu, TraceArray, u64], u64]
UserWord = Callable[[Cpu, TraceArray, u64], GuestMemory | None]


class PageTables(NamedTuple):
    """The format of an architecture's page tables: pages of eight-byte entries; each level is found by the one above it."""

    levels: int
    page_shift: u64
    index_bits: u64  # bits of an address per level
    frame: u64  # the bits of an entry that form a physical address
    table: u64  # the bits that are set in an entry that points to a table
    page: u64  # the bits that are set in an entry of a user page
    privileged: u64  # the bits that are clear there
    large: u64  # the bit that marks a page in an entry above the last level; 0: there are no large pages
    frame_shift: u64 = u64(0)  # how far below their place in the address these bits are


def build(guest: Guest, context: Context, tables: PageTables) -> UserAddress:
    """user_address(cpu, array, address) -> the host address of a user address of the current task on a CPU, 0 if there is none.

    It is valid up to the end of its page.
    """
    numbers = guest.numbers
    native, current_task = Native(guest.layouts), context.current_task
    index_mask, page_mask = (u64((1 << int(bits)) - 1) for bits in (tables.index_bits, tables.page_shift))
    first_shift = tables.page_shift + u64(tables.levels - 1) * tables.index_bits

    @native.shared
    def user_address(cpu: Cpu, array: TraceArray, address: u64) -> u64:
        mm = current_task(ArrayCpu(cpu.callout), array).mm
        if mm == 0 or address >= numbers.task_size:
            return 0
        last_page = array.ram_size  # the page excluded by the size above
        table = Mm(host_address(array, mm)).pgd - array.direct_start
        shift = first_shift
        while True:
            if table > last_page or table & page_mask != 0:
                return 0
            entry = GuestMemory(array.ram + table).as_words[address >> shift & index_mask]
            if shift == tables.page_shift or entry & tables.large != 0:
                if entry & tables.page != tables.page or entry & tables.privileged != 0:
                    return 0
                inside = (u64(1) << shift) - 1
                place = ((entry & tables.frame) << tables.frame_shift & ~inside) | (address & inside)
                return array.ram + place if place & ~page_mask <= last_page else 0
            table = (entry & tables.frame) << tables.frame_shift
            if table == 0 or entry & tables.table != tables.table:
                return 0
            shift -= tables.index_bits

    return user_address


def build_word(guest: Guest, user_address: UserAddress) -> UserWord:
    """user_word(cpu, array, address) -> the eight bytes at a user address; None if not all are readable."""

    @Native(guest.layouts).njit
    def user_word(cpu: Cpu, array: TraceArray, address: u64) -> GuestMemory | None:
        if address & IN_PAGE > LAST_IN_PAGE:  # an aligned word never crosses the end of a page
            return None
        return GuestMemory(user_address(cpu, array, address))

    return user_word
