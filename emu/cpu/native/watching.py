# SPDX-License-Identifier: GPL-2.0-only
"""Accesses to watched memory. Unicorn marks pages in its cache of translated addresses (soft_tlb), and calls
`cpu_check_watchpoint` before each access to such a page. Accesses to other pages cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from emu.cpu.internals import CpuStructures
from emu.cpu.native import soft_tlb
from emu.cpu.native.code_pages import PAGE
from emu.cpu.native.cpu_records import Cpu, CpuState, shapes
from emu.cpu.native.history import note
from emu.cpu.native.history_record import ANY, NOWHERE, History, Watch
from emu.cpu.native.soft_tlb import READ, WRITE
from emu.native.functions import Native, external, njit
from emu.native.records import Layouts, i32, u32, u64

__all__ = ["Watching", "build"]


class Watching(NamedTuple):
    """The compiled functions."""

    replaced: Mapping[str, int]
    """Addresses, by the names of the functions of Unicorn that they replace."""

    fill: int
    """The address of the function that looks up an address, for a CPU's cache of translated addresses."""

    mark: Callable[[Cpu, History], None]
    """mark(cpu, history): what is watched has changed."""

    speed_up: Callable[[Cpu, u64], None]
    """See SoftTlb."""


@njit
def wanted(watch: Watch, cpu: Cpu) -> bool:
    return watch.cpu == ANY or watch.cpu == cpu.index


@njit
def nothing(cpu: Cpu) -> u64:
    return 0


@njit
def as_it_is(cpu: Cpu, saved: u64) -> None:
    """Puts nothing back."""


def build(
    arch: str,
    layout: CpuStructures,
    page_bits: int = PAGE,
    save: Callable[[Cpu], u64] = nothing,
    put_back: Callable[[Cpu, u64], None] = as_it_is,
) -> Watching:
    """Compiles for an architecture.

    Args:
        arch: the architecture, as in the suffix of Unicorn's symbols.
        layout: of Unicorn's structures.
        page_bits: log2 of the bytes in Unicorn's pages of such an architecture.
        save, put_back: compiled: what finding the program counter changes in the CPU's state, besides the program counters.
    """
    native = Native(Layouts(shapes(layout)))
    offsets = u64((1 << page_bits) - 1)
    set_page = external(f"tlb_set_page_with_attrs_{arch}", None, CpuState, u64, u64, u32, i32, i32, u64)
    no_code = external(f"tlb_set_dirty_{arch}", None, CpuState, u64)
    find_location = external(f"cpu_restore_state_{arch}", bool, CpuState, u64, bool)

    @njit
    def kinds_of(cpu: Cpu, history: History, page: u64, physical: u64) -> u64:
        """Which accesses to a page are watched."""
        kinds = u64(0)
        for n in range(history.watch_count):
            watch = Watch(history.watches[n])
            at = physical if watch.physical else page
            if wanted(watch, cpu) and watch.first <= (at | offsets) and at <= watch.last:
                kinds |= (READ if watch.reads else u64(0)) | (WRITE if watch.writes else u64(0))
        return kinds

    mark_pages, speed_up, is_marked, fill = soft_tlb.build(arch, layout, page_bits, kinds_of)

    @njit
    def place_of(cpu: Cpu, called_from: u64) -> u64:
        """The virtual address of the instruction that accesses memory."""
        location, following, more = cpu.location[0], cpu.next_location[0], save(cpu)
        find_location(cpu.state, called_from, False)
        place = cpu.location[0]
        cpu.next_location[0] = following
        cpu.location[0] = location
        put_back(cpu, more)
        return place

    @native.callback
    def tlb_set_page_with_attrs(
        state: CpuState, address: u64, physical: u64, attributes: u32, protection: i32, mmu: i32, size: u64
    ) -> None:
        """A CPU notes where a virtual page is."""
        if state.opaque != 0:
            history = Cpu(state.opaque).board.history
            if history is not None:
                history.page = physical & ~offsets
        set_page(state, address, physical, attributes, protection, mmu, size)

    @native.callback
    def cpu_watchpoint_address_matches(state: CpuState, address: u64, size: u64) -> i32:
        """Which accesses to a page that a CPU notes must be checked."""
        if state.opaque == 0:
            return 0
        cpu = Cpu(state.opaque)
        history = cpu.board.history
        if history is None:
            return 0
        return i32(kinds_of(cpu, history, address & ~offsets, history.page))

    @njit
    def touched(cpu: Cpu, watch: Watch, address: u64, size: u64, kind: u64) -> u64:
        """The address, virtual or physical as the watchpoint's, if an access is one to its memory; else NOWHERE."""
        if not wanted(watch, cpu) or not ((kind & READ != 0 and watch.reads) or (kind & WRITE != 0 and watch.writes)):
            return NOWHERE
        if not watch.physical:
            return address if watch.first <= address + (size - 1) and address <= watch.last else NOWHERE
        for page in range(watch.first & ~offsets, (watch.last & ~offsets) + 1, offsets + 1):
            at = page | (address & offsets)
            if watch.first <= at + (size - 1) and at <= watch.last and is_marked(cpu, address, kind, page):
                return at
        return NOWHERE

    @njit
    def check(cpu: Cpu, history: History, address: u64, size: u64, kind: u64, called_from: u64) -> None:
        for n in range(history.watch_count):
            watch = Watch(history.watches[n])
            at = touched(cpu, watch, address, size, kind)
            if at != NOWHERE:
                if history.showing:
                    history.touched = watch.address
                else:
                    note(cpu, history, watch, place_of(cpu, called_from), 1, at, kind & WRITE != 0)

    @native.callback
    def cpu_check_watchpoint(state: CpuState, address: u64, size: u64, attributes: u32, kind: i32, called_from: u64) -> None:
        """A CPU is about to access a page that must be checked."""
        if state.opaque == 0:
            return
        cpu = Cpu(state.opaque)
        history = cpu.board.history
        if history is not None:
            check(cpu, history, address, size, u64(kind), called_from)

    @native.callback
    def tlb_set_dirty(state: CpuState, address: u64) -> None:
        """After a slow store: later ones need not be slow for the page's code."""
        no_code(state, address)
        if state.opaque != 0:
            speed_up(Cpu(state.opaque), address)

    @native.shared
    def mark(cpu: Cpu, history: History) -> None:
        mark_pages(cpu, history)

    replaced = {
        "tlb_set_dirty": tlb_set_dirty.address,
        "tlb_set_page_with_attrs": tlb_set_page_with_attrs.address,
        "cpu_watchpoint_address_matches": cpu_watchpoint_address_matches.address,
        "cpu_check_watchpoint": cpu_check_watchpoint.address,
    }
    return Watching({f"{name}_{arch}": address for name, address in replaced.items()}, fill, mark, speed_up)
