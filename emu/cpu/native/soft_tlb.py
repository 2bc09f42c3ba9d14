# SPDX-License-Identifier: GPL-2.0-only
"""Unicorn's cache of translated addresses, as accesses to watched memory need it: pages are marked in it, in place.

Nothing is dropped from it. A CPU whose page was dropped would look the page up again, and that shows: it sets bits in page
tables, and where software fills the TLB, in that one. They decide what the guest's kernel replaces.

An entry that has made room for another one comes back if its word is the page's address, without any mark. So a marked one is
looked for here before the page is looked up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.internals import CpuStructures
from emu.cpu.native.cpu_records import Cpu, CpuState, shapes
from emu.cpu.native.history_record import History
from emu.native.functions import Native, external, njit
from emu.native.records import Layouts, Words, i32, u64

__all__ = ["READ", "WRITE", "SoftTlb", "build"]

READ, WRITE = u64(1), u64(2)  # QEMU's BP_MEM_READ, BP_MEM_WRITE

# CPUTLBEntry: words for loads, stores and instructions, NONE if they are not possible; the physical page; and what leads from
# a virtual to a host address. In the low bits of the words are flags. CPUTLBDesc: words, then entries.
LOADS, STORES, CODE, PHYSICAL = u64(0), u64(1), u64(2), u64(3)
NONE = u64(0xFFFF_FFFF_FFFF_FFFF)
ENTRY_BITS = 6  # log2 of the bytes of an entry
ENTRY_WORDS = 8
OTHERS, OTHER_COUNT = u64(48), u64(8)  # the entries that have made room
OTHERS_IO = u64(48 + 8 * 64)  # two words for each of them, and a pointer to those of the table
DESC = u64(696)  # bytes
STORE = i32(1)


class SoftTlb(NamedTuple):
    """The compiled functions."""

    mark: Callable[[Cpu, History], None]
    """mark(cpu, history): marks the pages that are watched now."""

    speed_up: Callable[[Cpu, u64], None]
    """speed_up(cpu, address): later stores to a page need not be slow for its code. Those to a marked page are nevertheless."""

    is_marked: Callable[[Cpu, u64, u64, u64], bool]
    """is_marked(cpu, address, kind, physical): whether a CPU has marked a virtual page that is the page at a physical address."""

    fill: int
    """The address of the function that looks up an address."""


def build(arch: str, layout: CpuStructures, page_bits: int, kinds_of: Callable[[Cpu, History, u64, u64], u64]) -> SoftTlb:
    """Compiles for an architecture.

    Args:
        arch: the architecture, as in the suffix of Unicorn's symbols.
        layout: of Unicorn's structures.
        page_bits: log2 of the bytes in Unicorn's pages of such an architecture.
        kinds_of: kinds_of(cpu, history, page, physical), compiled: which accesses to a page are watched.
    """
    native = Native(Layouts(shapes(layout)))
    modes, offsets, marked = layout.tlb.modes, u64((1 << page_bits) - 1), u64(1 << (page_bits - 4))
    not_dirty = u64(1 << (page_bits - 2))
    to_fast, to_rest = u64(layout.cpu_env - layout.tlb.fast), u64(layout.cpu_env - layout.tlb.rest)
    prefix = arch.partition("64")[0].rstrip("_")
    look_up = external(f"{prefix}_cpu_tlb_fill_{arch}", bool, CpuState, u64, i32, i32, i32, bool, u64)

    @njit
    def table_of(cpu: Cpu, mode: u64) -> Words:
        """A pair: a mask, and the address of the entries."""
        return Words(cpu.env - to_fast + 16 * mode)

    @njit
    def entry_of(cpu: Cpu, mode: u64, address: u64) -> Words:
        table = table_of(cpu, mode)
        return Words(table[1] + ((address >> page_bits << ENTRY_BITS) & table[0]))

    @njit
    def other_of(cpu: Cpu, mode: u64, n: u64) -> Words:
        return Words(cpu.env - to_rest + mode * DESC + OTHERS + (n << ENTRY_BITS))

    @njit
    def mark_entry(cpu: Cpu, history: History, entry: Words) -> None:
        word = entry[LOADS] if entry[LOADS] != NONE else entry[STORES]
        if word == NONE:
            return
        kinds = kinds_of(cpu, history, word & ~offsets, entry[PHYSICAL])
        if entry[LOADS] != NONE:
            entry[LOADS] = (entry[LOADS] & ~marked) | (marked if kinds & READ else u64(0))
        if entry[STORES] != NONE:
            entry[STORES] = (entry[STORES] & ~marked) | (marked if kinds & WRITE else u64(0))

    @njit
    def mark(cpu: Cpu, history: History) -> None:
        for mode in range(u64(modes)):
            table = table_of(cpu, mode)
            for n in range((table[0] >> ENTRY_BITS) + 1):
                mark_entry(cpu, history, Words(table[1] + (n << ENTRY_BITS)))
            for n in range(OTHER_COUNT):
                mark_entry(cpu, history, other_of(cpu, mode, n))

    @njit
    def speed_up_entry(entry: Words, page: u64) -> None:
        if entry[STORES] == page | not_dirty | marked:
            entry[STORES] = page | marked

    @njit
    def speed_up(cpu: Cpu, address: u64) -> None:
        page = address & ~offsets
        for mode in range(u64(modes)):
            speed_up_entry(entry_of(cpu, mode, page), page)
            for n in range(OTHER_COUNT):
                speed_up_entry(other_of(cpu, mode, n), page)

    @njit
    def is_marked(cpu: Cpu, address: u64, kind: u64, physical: u64) -> bool:
        field = LOADS if kind & READ else STORES
        for mode in range(u64(modes)):
            entry = entry_of(cpu, mode, address)
            word = entry[field]
            there = word != NONE and word & marked and word & ~offsets == address & ~offsets
            if there and entry[PHYSICAL] == physical & ~offsets:
                return True
        return False

    @njit
    def exchange(one: Words, other: Words, count: u64) -> None:
        for n in range(count):
            word = one[n]
            one[n] = other[n]
            other[n] = word

    @njit
    def comes_back(cpu: Cpu, address: u64, field: u64, mode: u64) -> bool:
        """Brings back an entry that has made room, and that comes back if it is not marked."""
        wanted = (address & ~offsets) | marked
        for n in range(OTHER_COUNT):
            other = other_of(cpu, mode, n)
            if other[field] == wanted:
                table = table_of(cpu, mode)
                exchange(other, entry_of(cpu, mode, address), u64(ENTRY_WORDS))
                io = cpu.env - to_rest + mode * DESC + OTHERS_IO
                of_table = Words(io + 16 * OTHER_COUNT)[0]
                exchange(Words(io + 16 * n), Words(of_table + ((address >> page_bits << 4) & (table[0] >> 2))), u64(2))
                return True
        return False

    @native.callback
    def tlb_fill(state: CpuState, address: u64, size: i32, access: i32, mode: i32, probe: bool, called_from: u64) -> bool:
        """A CPU needs an address that the table does not have."""
        if state.opaque != 0:
            cpu = Cpu(state.opaque)
            history, field = cpu.board.history, STORES if access == STORE else LOADS
            watched = history is not None and history.watch_count != 0 and access <= STORE
            if watched and comes_back(cpu, address, field, u64(mode)):
                return True
        return look_up(state, address, size, access, mode, probe, called_from)

    return SoftTlb(mark, speed_up, is_marked, tlb_fill.address)
